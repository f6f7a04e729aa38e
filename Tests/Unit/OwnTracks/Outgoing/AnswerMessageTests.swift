import Model
import OwnTracks
import Testing
import Timebase

/// Answers to commands and the card, as their readers get them.
struct AnswerMessageTests {
  private static let mode = ModeState(mode: .move, downgraded: true, adapted: true, configured: .move)

  private func status(_ change: (inout StatusReport) -> Void = { _ in }) -> StatusReport {
    var report = StatusReport(
      time: WallTime(seconds: start), mode: Self.mode, queueLength: 3, historyCount: 8)
    change(&report)
    return report
  }

  private static var board: BoardFacts {
    var board = BoardFacts()
    (board.version, board.hostName, board.kernel, board.locale) = ("1.2", "pi", "6.12", "C.UTF-8")
    (board.model, board.uptime, board.receiver, board.satellites) = ("Zero 2", 77, "/dev/ttyACM0", 9)
    (board.isSourceReached, board.fixMode) = (true, 3)
    (board.hasBluetooth, board.isBluetoothPowered, board.isScanning) = (true, true, true)
    (board.hasBarometer, board.health) = (true, BoardHealth())
    return board
  }

  @Test func statusContainsAllKnownValues() {
    let message = encoder().encode(
      .status(
        status { report in
          (report.battery, report.network) = (Battery(level: 57, state: .full), .wired)
          (report.queueBytes, report.dropped, report.resent, report.refused) = (4, 5, 6, 7)
          (report.oldest, report.lastConfirmed) = (1_600_000_000, 1_650_000_000)
          (report.ignition, report.vehicleVolts) = (true, 12.44)
          var volume = DataVolume()
          volume.add(88, on: CalendarDay(number: 1))
          var data = DataUse(volume)
          (data.budget, data.spacing) = (99, .seconds(60))
          report.data = data
          let place = Coordinate(latitude: 48.1234564, longitude: -11.7654326)!
          report.fix = Fix(time: WallTime(seconds: start - 9), coordinate: place, accuracy: 4.1)
          report.board = Self.board
        }))
    #expect(
      text(message.payload) == """
        {"_type":"status","linux":{"adapted":true,"barometer":{"present":true},"battery":{"level":57,"present":true},\
        "bluetooth":{"powered":true,"present":true,"scanning":true},"dataBudget":99,"dataMonth":88,\
        "dataSpacing":60,"dataToday":88,\
        "downgraded":true,"dropped":5,\
        "fix":{"acc":5,"lat":48.123456,"lon":-11.765433,"tst":1699999991},\
        "gpsd":{"connected":true,"device":"/dev/ttyACM0","mode":3,"sats":9},\
        "health":{"readOnly":false,"troubles":[]},"historyCount":8,"hostname":"pi","ignition":true,\
        "kernel":"6.12","lastConfirmed":1650000000,"locale":"C.UTF-8","mode":2,"model":"Zero 2",\
        "network":"wired","oldest":1600000000,"queueBytes":4,"queueLength":3,"refused":7,"resent":6,\
        "uptime":77,"vehicleVolts":12.4,"version":"1.2"},"tst":1700000000}
        """)
    #expect(message.topic == "owntracks/u/d/status" && message.time == 1_700_000_000)
    #expect(message.isEvent && !message.isRetained && message.qos == 1)
  }

  @Test func statusOmitsUnknownValues() {
    var report = status { $0.mode = ModeState(mode: .quiet, configured: .move) }
    #expect(
      text(encoder().encode(.status(report)).payload) == """
        {"_type":"status","linux":{"adapted":false,"battery":{"present":false},"downgraded":false,\
        "dropped":0,"historyCount":8,"mode":-1,"queueBytes":0,"queueLength":3,"refused":0,"resent":0},\
        "tst":1700000000}
        """)
    report.time = nil
    report.board = BoardFacts()
    let message = encoder().encode(.status(report))
    #expect(
      text(message.payload) == """
        {"_type":"status","linux":{"adapted":false,"barometer":{"present":false},\
        "battery":{"present":false},"bluetooth":{"powered":false,"present":false,"scanning":false},\
        "downgraded":false,"dropped":0,"gpsd":{"connected":false,"mode":0},"historyCount":8,\
        "hostname":"","kernel":"","locale":"","mode":-1,"queueBytes":0,"queueLength":3,"refused":0,\
        "resent":0,"uptime":0,"version":""}}
        """)
    #expect(message.time == 0)
  }

  @Test(arguments: [
    (Network.none, String?("none")), (.wifi(ssid: "n", bssid: nil), "wifi"), (.mobile, "mobile"),
    (.wired, "wired"),
    (.unknown, nil),
  ])
  func statusNamesTheNetworkKind(_ network: Network, _ word: String?) throws {
    let json = try payload(encoder().encode(.status(status { $0.network = network })))
    #expect(json["linux"]?["network"]?.text == word)
  }

  /// The broker keeps it for those who look later, and what it was an hour ago helps nobody.
  @Test func presenceMessagesAreRetainedAndNoEvents() {
    let encoder = encoder { $0.messages.qos = 2 }
    let there = encoder.encode(.status(status { $0.isOnline = true }))
    #expect(there.isRetained && there.qos == 0 && !there.isEvent)
    let gone = encoder.absence(at: nil)
    #expect(gone.isRetained && gone.qos == 2 && !gone.isEvent && gone.time == 0)
  }

  @Test func theFactsOfTheBoardAreAskedForWhenAStatusIsMade() throws {
    let encoder = encoder()
    encoder.additions.facts = { _ in Self.board }
    #expect(try payload(encoder.encode(.status(status())))["linux"]?["uptime"] == 77)
    var known = Self.board
    known.uptime = 1
    // What is read anew is newer.
    #expect(try payload(encoder.encode(.status(status { $0.board = known })))["linux"]?["uptime"] == 77)
  }

  @Test func boardHealthListsTroublesAndValues() {
    var health = BoardHealth()
    (health.isUnderVoltage, health.hadUnderVoltage) = (false, true)
    (health.isThrottled, health.hadThrottling) = (true, true)
    (health.temperature, health.storageWear, health.fileSystemErrors) = (79.96, 20, 2)
    health.isReadOnly = true
    #expect(
      StatusRecord.Board(health).answer.description == """
        {"fileSystemErrors":2,"readOnly":true,"storageWear":20,"temperature":80.0,"throttled":true,\
        "throttledSeen":true,"troubles":["throttled","fileSystemErrors","readOnly"],\
        "underVoltage":false,"underVoltageSeen":true}
        """)
  }

  // MARK: Dump, waypoints, steps, card

  @Test func aDumpHasTheModeThatIsOnAndTheRegions() throws {
    let encoder = encoder {
      ($0.login.password, $0.messages.encryptionKey) = ("hunter2", "s1kr3t")
      $0.reports.monitoring = .move
    }
    let report = DumpReport(time: WallTime(seconds: start), mode: .manual, regions: [home])
    let message = encoder.encode(.dump(report))
    #expect(message.topic == "owntracks/u/d/dump" && message.isEvent && !message.isRetained)
    #expect(message.time == 1_700_000_000)
    let settings = try #require(try payload(message)["configuration"])
    #expect(settings["_type"] == "configuration" && settings["monitoring"] == 0)
    #expect(settings["waypoints"]?.elements?.map { $0["rid"] } == ["e1f891"])
    #expect(settings["username"] == "u" && settings["password"] == "***")
    #expect(settings["encryptionKey"] == nil)
  }

  @Test func secretsAreInADumpOnlyWhereTheyAreAllowed() throws {
    let encoder = encoder {
      ($0.login.password, $0.messages.encryptionKey) = ("hunter2", "s1kr3t")
      $0.commands.dumpSecrets = true
    }
    let report = DumpReport(time: WallTime(seconds: start), mode: .manual, regions: [])
    let settings = try payload(encoder.encode(.dump(report)))["configuration"]
    #expect(settings?["password"] == "hunter2" && settings?["encryptionKey"] == "s1kr3t")
    // A reader learns that there are none.
    #expect(settings?["waypoints"] == [])
  }

  @Test func aListOfWaypoints() {
    let message = encoder().encode(.waypoints([home], time: WallTime(seconds: start)))
    #expect(
      text(message.payload)
        == #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"Home","lat":48.0,"lon":11.0,"#
        + #""rad":100,"rid":"e1f891","tst":1700000100}]}"#)
    #expect(message.topic == "owntracks/u/d/waypoints" && message.isEvent && !message.isRetained)
  }

  @Test func noStepsOfTheTimesThatWereAskedFor() {
    let report = StepsReport(time: WallTime(seconds: start), from: 1000.6, to: 2000.4)
    #expect(
      text(encoder().encode(.steps(report)).payload)
        == #"{"_type":"steps","from":1001,"steps":-1,"to":2000,"tst":1700000000}"#)
  }

  @Test func stepsDefaultToTheLocalDay() throws {
    // An hour of the day that is no midnight in any zone.
    for moment in [1_700_000_017, 1_700_043_217] {
      let report = StepsReport(time: WallTime(seconds: Double(moment)), from: nil, to: nil)
      let json = try payload(encoder().encode(.steps(report)))
      let from = try #require(json["from"]?.int)
      #expect(json["to"]?.int == moment && from < moment && moment - from < 90_000)
      #expect((from + LocalZone.offset(at: from)) % 86_400 == 0, "not the beginning of a day")
    }
  }

  @Test func cardHasOnlyKnownFieldsAndIsRetained() {
    let whole = encoder().encode(.card(FriendCard(name: "Jane \"J\"", face: "QUJD")))
    #expect(
      whole
        == Message(
          topic: "owntracks/u/d/info",
          payload: bytes(#"{"_type":"card","face":"QUJD","name":"Jane \"J\"","tid":"D"}"#), qos: 1,
          isRetained: true, isEvent: true, time: 0))
    #expect(text(encoder().encode(.card(FriendCard())).payload) == #"{"_type":"card","tid":"D"}"#)
  }

  @Test func aFriendThatIsForgottenIsAnEmptyMessageThatIsKept() {
    #expect(
      encoder { $0.messages.qos = 2 }.encode(.friendForgotten(topic: "owntracks/bob/p"))
        == Message(
          topic: "owntracks/bob/p", payload: [], qos: 2, isRetained: true, isEvent: true, time: 0))
  }

  // MARK: The encoder

  @Test func encoderForNewSettingsKeepsAdditions() {
    let old = encoder()
    old.additions.board.number = "5f"
    let new = configured { $0.messages.topicBase = "a/%d" }
    let adopted = old.adopting(new, .joined(user: "u", device: "d")) as? Encoder
    #expect(adopted?.topics.base == "a/d" && adopted?.topics.clientId == "ud")
    #expect(adopted?.additions === old.additions)
    var unnamed = new
    unnamed.identity.deviceId = ""
    #expect((old.adopting(unnamed, .apart) as? Encoder)?.topics.base == "a/raspberrypi")
  }

  @Test func onlySomeSettingsAreTheBrokersAffair() {
    #expect(encoder().isSameConnection(as: encoder { $0.reports.ping = 7 }))
    #expect(!encoder().isSameConnection(as: encoder { $0.broker.host = "other" }))
  }
}
