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
}
