import Model
import OwnTracks
import Testing
import Timebase

/// Whether the board is there, as the broker keeps it on `status`.
struct StatusMessageTests {
  private let encoder: Encoder = {
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId) = ("jane", "van")
    return Encoder(configuration, hostName: "van")
  }()

  private func text(_ message: Message) -> String { String(decoding: message.payload, as: UTF8.self) }

  @Test func aBoardThatIsGoneSaysThatAndWhen() {
    let message = encoder.absence(at: WallTime(seconds: 1_700_000_000))
    #expect(message.topic == "owntracks/jane/van/status" && message.isRetained)
    #expect(text(message) == #"{"_type":"status","linux":{"online":false},"tst":1700000000}"#)
  }

  @Test func withoutAClockThereIsNoDate() {
    #expect(text(encoder.absence(at: nil)) == #"{"_type":"status","linux":{"online":false}}"#)
    var report = StatusReport(
      time: nil, mode: ModeState(mode: .move, configured: .move), queueLength: 0, historyCount: 0)
    report.isOnline = true
    let told = text(encoder.encode(.status(report)))
    #expect(told.contains(#""online":true"#) && !told.contains("tst"))
  }

  /// Home Assistant would complain of a value that the word of a dead board does not have.
  @Test func templatesGuardKeysMissingFromTheWill() {
    for (entity, key) in [(DiscoveredEntity.queue, "queueLength"), (.mode, "mode")] {
      let shown = text(encoder.encode(.discovery(.init(entity))))
      #expect(shown.contains("value_json.linux.\(key) is defined"), "\(shown)")
    }
  }

  // behaviour: The board's own health
  @Test func boardHealthOmitsUnknownValues() {
    #expect(StatusRecord.Board(BoardHealth()).answer == ["troubles": [], "readOnly": false])
    var health = BoardHealth()
    (health.isUnderVoltage, health.hadUnderVoltage, health.temperature) = (true, true, 81.27)
    health.storageWear = 90
    #expect(
      StatusRecord.Board(health).answer == [
        "troubles": ["underVoltage", "hot", "storageWorn"], "readOnly": false, "temperature": 81.3,
        "underVoltage": true, "underVoltageSeen": true, "storageWear": 90,
      ])
  }

  // behaviour: Fleets
  @Test func factsForAFleetsOwnerAreThereAsFarAsTheyAreKnown() throws {
    var report = StatusReport(
      time: WallTime(seconds: 1_700_000_000), mode: ModeState(mode: .move, configured: .move),
      queueLength: 0, historyCount: 0)
    (report.isOnline, report.presence.interval) = (true, 3600)
    report.battery = Battery(level: 71, state: .charging)
    report.board = BoardFacts()
    func linux(_ report: StatusReport) throws -> JSON {
      let told = try JSON.parse(encoder.encode(.status(report)).payload, values: 1000)
      return try #require(told["linux"])
    }
    let bare = try linux(report)
    #expect(bare["interval"] == 3600 && bare["battery"]?["level"] == 71 && bare["reason"] == nil)
    for key in ["disk", "reconnects", "lastEnd", "certificateEnd", "update"] { #expect(bare[key] == nil) }
    var facts = FleetFacts()
    facts.disk = DiskRoom(free: 1_000, size: 3_000)
    facts.certificateEnd = 1_800_000_000
    facts.update = UpdateOutcome(.back, version: "2.0-1", time: 1_600_000_000)
    (facts.reconnects, facts.lastEnd) = (Reconnects(), LastEnd(word: "refused", time: nil))
    report.board?.fleet = facts
    (report.isOnline, report.presence) = (false, PresenceNote())
    report.presence.departure = .parked
    report.presence.nextCheckIn = 1_700_021_600
    report.presence.batteryStep = "beacons"
    report.presence.missed = MissedCheckIns(count: 2, cause: .noFix)
    let full = try linux(report)
    #expect(
      full["disk"]?.description == #"{"free":1000,"percent":33}"# && full["certificateEnd"] == 1_800_000_000)
    #expect(full["update"]?.description == #"{"result":"back","tst":1600000000,"version":"2.0-1"}"#)
    #expect(full["reconnects"]?.description == #"{"today":0,"total":0}"#)
    #expect(full["lastEnd"]?.description == #"{"word":"refused"}"#)
    #expect(full["reason"] == "parked" && full["interval"] == nil)
    #expect(full["nextCheckIn"] == 1_700_021_600 && bare["nextCheckIn"] == nil)
    #expect(full["missedCheckIns"]?.description == #"{"count":2,"reason":"noFix"}"#)
    #expect(bare["missedCheckIns"] == nil && bare["batteryStep"] == nil && full["batteryStep"] == "beacons")
  }
}
