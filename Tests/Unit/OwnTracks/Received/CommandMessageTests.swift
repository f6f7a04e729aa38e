import Model
import Testing

@testable import OwnTracks

/// Commands as bytes: what they ask for, and what is wrong with those that are none.
struct CommandMessageTests {
  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.identity.username = "u"
    configuration.identity.deviceId = "d"
    configuration.broker.host = "broker"
    return configuration
  }

  private func read(_ text: String, on suffix: String = "cmd", isRetained: Bool = false) -> Incoming {
    Incoming.read(
      topic: "owntracks/u/d/\(suffix)", payload: Array(text.utf8), isRetained: isRetained,
      topics: Topics(configuration, hostName: ""), configuration: configuration)
  }

  private func asked(_ keys: String) -> (SettingsChange, [String])? {
    let text =
      #"{"_type":"cmd","action":"setConfiguration","configuration":{"_type":"configuration","# + keys + "}}"
    guard case .command(let received, let problems) = read(text),
      case .setConfiguration(let change) = received.command
    else { return nil }
    return (change, problems)
  }

  // behaviour: What commands do
  @Test(arguments: [
    "reportLocation", "dump", "status", "waypoints", "clearWaypoints", "reportSteps", "requestCertificate",
  ])
  func plainActions(_ action: String) {
    guard case .command(let received, let problems) = read(#"{"_type":"cmd","action":"\#(action)"}"#) else {
      Issue.record("not read as a command")
      return
    }
    #expect(received.command.action == action && problems.isEmpty)
  }

  // behaviour: What commands do
  @Test(arguments: [
    (#"{"_type":"cmd"}"#, "action is missing"), (#"{"_type":"cmd","action":5}"#, "action is missing"),
    (#"{"_type":"cmd","action":"fly"}"#, #"unknown action "fly""#),
    (#"{"_type":"location","lat":1}"#, "_type is location, expected cmd"), ("[1]", "no _type"),
    ("{", "line 1"), (#"{"_type":"cmd","action":"reportSteps","to":"x"}"#, "to is not a time"),
    (#"{"_type":"cmd","action":"setWaypoints"}"#, "waypoints: expected an object"),
    (#"{"_type":"cmd","action":"setConfiguration"}"#, "configuration is missing"),
    (
      #"{"_type":"cmd","action":"setCertificate","certificate":7}"#,
      "certificate: expected PEM, a text of at most 16384"
    ),
    (#"{"_type":"cmd","action":"dump","tst":"soon"}"#, "tst is not a time"),
  ])
  func invalidCommandIsRefusedWithReason(_ text: String, _ complaint: String) {
    guard case .malformedCommand(_, nil, let reason, let line) = read(text) else {
      Issue.record("not refused")
      return
    }
    #expect(line.hasPrefix("owntracks/u/d/cmd: ") && line.contains(complaint), "\(line)")
    #expect(line.hasSuffix(reason) && reason.contains(complaint))
  }

  @Test func listentoAcceptsOnlyPublish() {
    for (text, isAsked) in [
      ("publish", true), (" publish\r\n", true), ("Publish", false), ("publish it", false),
    ] {
      var found = false
      if case .command(let received, _) = read(text, on: "listento") {
        found = received.command == .reportLocation && received.isLegacy
      }
      #expect(found == isAsked, "\(text)")
    }
  }

  @Test func nullIsTheDefault() throws {
    let (change, problems) = try #require(asked(#""ping":null"#))
    #expect(change.settings == [.init("ping", .number(15))] && problems.isEmpty)
  }

  // behaviour: Settings that a command changes
  @Test func aBadValueCostsItsKey() throws {
    let (change, problems) = try #require(asked(#""downgrade":300,"ping":20,"foo":1"#))
    #expect(change.settings == [.init("ping", .number(20))])
    #expect(problems.count == 1 && problems[0].contains("downgrade is 300"), "\(problems)")
  }

  @Test func localKeyIsNotSetRemotely() throws {
    let (change, problems) = try #require(asked(#""stateDir":"/tmp","cmd":false"#))
    #expect(change.settings == [.init("cmd", .flag(false))])
    #expect(problems.count == 1 && problems[0].contains("stateDir"), "\(problems)")
  }

  @Test(arguments: [#""encryptionKey":"""#, #""tls":false"#, #""allowinvalidcerts":true"#])
  func securityKeysAreNotSetRemotely(_ key: String) throws {
    let (change, problems) = try #require(asked(key))
    #expect(change.settings.isEmpty)
    #expect(problems.count == 1 && problems[0].contains("can only be set on the board itself"), "\(problems)")
  }

  @Test func aBoardIsLockedFromAfarAndNotUnlocked() throws {
    let (change, _) = try #require(asked(#""locked":true"#))
    #expect(change.settings == [.init("locked", .flag(true))])
    var locked = configuration
    locked.commands.locked = true
    let json = try JSON.parse(
      Array(
        #"{"action":"setConfiguration","configuration":{"_type":"configuration","locked":false}}"#.utf8))
    let decoded = try CommandMessage.decode(json, configuration: locked)
    #expect(decoded.problems.lines == ["locked can only be switched off on the board itself"])
  }

  @Test func aCommandKnowsWhereItCameIn() {
    let text = Array(#"{"_type":"cmd","action":"dump"}"#.utf8)
    for (transport, topic) in [(Configuration.Transport.mqtt, "owntracks/u/d/cmd"), (.http, nil)] {
      var settings = configuration
      settings.transport = transport
      let incoming = Incoming.read(
        topic: "owntracks/u/d/cmd", payload: text, isRetained: false,
        topics: Topics(settings, hostName: ""), configuration: settings)
      if case .command(let received, _) = incoming {
        #expect(received.topic == topic && !received.isEncrypted)
      } else {
        Issue.record("no command")
      }
    }
  }

  @Test func connectionWithoutAHostIsRefused() throws {
    let (change, problems) = try #require(asked(#""host":"","keepalive":5,"ping":20"#))
    #expect(change.settings == [.init("ping", .number(20))])
    #expect(problems.count == 1 && problems[0].contains("host"), "\(problems)")
  }

  @Test func usernameIsNotClearedRemotely() throws {
    let (change, problems) = try #require(asked(#""username":null,"ping":20"#))
    #expect(change.settings == [.init("ping", .number(20))])
    #expect(problems.count == 1 && problems[0].contains("username"), "\(problems)")
  }

  /// An answer to `dump` that was changed in one place and sent back.
  @Test func aMaskedSecretIsNoValue() throws {
    let (change, problems) = try #require(asked(#""password":"***","url":"***","ping":20,"tid":"***""#))
    #expect(change.settings.filter { $0.name != "tid" } == [.init("ping", .number(20))])
    let masked = problems.filter { $0.contains("is ***, as an answer shows a secret: it stays as it is") }
    #expect(
      masked.count == 2 && masked[0].contains(" password is") && masked[1].contains(" url is"), "\(problems)")
  }

  @Test func aSecretIsNotRepeatedInAComplaint() throws {
    let (_, problems) = try #require(asked(#""password":["sesame"]"#))
    #expect(problems.count == 1 && !problems[0].contains("sesame"), "\(problems)")
  }

  @Test func theModeIsNoSetting() throws {
    let (change, _) = try #require(asked(#""monitoring":2"#))
    #expect(change.monitoring == .move && change.settings.isEmpty)
  }

  @Test func twoMessagesAreTwoDigests() {
    var digests: Set<UInt64> = []
    for text in [#"{"_type":"cmd","action":"dump"}"#, #"{"_type":"cmd","action":"dump" }"#] {
      if case .command(let received, _) = read(text) { digests.insert(received.digest) }
    }
    #expect(digests.count == 2)
  }
}
