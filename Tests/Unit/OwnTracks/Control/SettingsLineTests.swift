import Model
import Testing

@testable import OwnTracks

// behaviour: Settings that people change
/// `settings show` and `settings set`, as people and the page write them.
struct SettingsLineTests {
  private var configuration: Configuration = {
    var configuration = Configuration()
    (configuration.identity.username, configuration.broker.host) = ("jane", "home")
    return configuration
  }()

  private func change(_ words: String...) throws -> SettingsChange {
    guard
      case .tracker(.settingsSet(let change)) = try Request(
        words: ["settings", "set"] + words, over: configuration)
    else { throw ControlError("no change") }
    return change
  }

  private func refusal(_ words: String...) -> String {
    do {
      _ = try Request(words: ["settings"] + words, over: configuration)
      return "taken"
    } catch {
      return error.description
    }
  }

  @Test func textAndJSONMeanTheSame() throws {
    let wanted: [SettingsChange.Setting] = [
      .init("ping", .number(7)), .init("trips", .flag(true)), .init("tid", .text("zz")),
      .init("timeModes", .text("22:00-06:00|0|1")), .init("ignoreStaleLocations", .real(1.5)),
    ]
    let json = try change(
      "ping=7", "trips=true", #"tid="zz""#, #"timeModes=["22:00-06:00|0|1"]"#, "ignoreStaleLocations=1.5")
    #expect(json.settings == wanted)
    let typed = try change(
      "ping=7", "trips=yes", "tid=zz", "timeModes=22:00-06:00|0|1", "ignoreStaleLocations=1.5")
    #expect(typed.settings == wanted)
  }

  @Test func nullIsTheDefaultAndNothingIsNothing() throws {
    #expect(try change("locatorInterval=null").settings == [.init("locatorInterval", .number(300))])
    #expect(try change("password=null").settings == [.init("password", .text(""))])
    #expect(try change("tid=").settings == [.init("tid", .text(""))])
  }

  @Test(arguments: ["[a", "\"a", "a=b", "1", "true", "[1]"]) func aTextIsTakenAsItIs(_ text: String) throws {
    #expect(try change("password=\(text)").settings == [.init("password", .text(text))])
  }

  @Test func theModeIsNoSetting() throws {
    let found = try change("monitoring=move")
    #expect(found.monitoring == .move && found.settings.isEmpty)
  }

  @Test func invalidSettingIsRefusedWithItsExpectation() {
    #expect(
      refusal("set", "ping=7", "locatorInterval=often")
        == #"not changed: locatorInterval is "often", expected a whole number from -1 to 86400"#)
    #expect(
      refusal("set", "mode=1", "ping=-1").hasPrefix(
        #"not changed: mode is "1", expected 0 (MQTT) or 3 (HTTP); ping"#))
    #expect(refusal("set", "locatorIntervall=1").hasSuffix("did you mean locatorInterval?"))
    #expect(refusal("set", "ping=1", "ping=2") == "not changed: ping is there twice, expected each key once")
    #expect(refusal("set", "username=").hasPrefix("not changed: username is empty, expected a name"))
    #expect(refusal("set", "host=").hasPrefix("not changed: host is empty, expected the broker's name"))
    #expect(refusal("set", "mode=3").hasPrefix("not changed: url is empty, expected the address to post to"))
  }

  @Test func secretsAreNotRepeated() {
    let header = refusal("set", "httpHeaders=hunter2")
    #expect(header.hasPrefix("not changed: httpHeaders is (hidden), expected") && !header.contains("hunter2"))
    for word in ["hunter2", "=hunter2"] {
      #expect(refusal("set", word) == "not changed: a word without =; expected: settings set KEY=VALUE ...")
    }
  }

  @Test(arguments: ["stateDir=/x", "tls=false", "encryptionKey=x", "friends=true"])
  func fileOnlyKeysCannotBeSet(_ word: String) {
    let key = word.prefix { $0 != "=" }
    #expect(refusal("set", word).contains("\(key) is set in the file alone: homeward config set \(key)"))
  }

  @Test func refusalsNameTheWordsThatAreTaken() {
    #expect(refusal("set", "cmd=maybe").hasSuffix("expected true or false, or yes, no, on, off"))
    #expect(refusal("set", "stateDir=/x").hasSuffix("VALUE, then sudo systemctl restart homeward"))
    #expect(refusal("set", "friends=true").hasSuffix("VALUE, then homeward reload"))
  }

  @Test func otherWordsAreRefused() throws {
    for words in [
      ["settings"], ["settings", "set"], ["settings", "show", "x"], ["settings", "show", "--all"],
    ] {
      #expect(throws: ControlError.self) { try Request(words: words, over: configuration) }
    }
  }

  // MARK: The answer

  private func shown(_ change: (inout Configuration) -> Void = { _ in }) throws -> (JSON, [String: JSON]) {
    var (shown, standard) = (configuration, Configuration())
    (shown.login.password, shown.reports.ping) = ("hunter2", 7)
    (shown.identity.deviceId, standard.identity.deviceId) = ("board", "board")
    change(&shown)
    let changed = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(15))])
    let bytes = SettingsWords.answer(
      shown, standard: standard, changed: changed, mode: .move, isOnTrial: true)
    let answer = try JSON.parse(bytes)
    let settings = answer["settings"]?.elements ?? []
    return (answer, Dictionary(uniqueKeysWithValues: settings.map { ($0["name"]?.text ?? "", $0) }))
  }

  @Test func everyKeyIsShownWithWhereItComesFrom() throws {
    let (answer, settings) = try shown()
    #expect(answer["ok"] == true && answer["locked"] == false && answer["trial"] == true)
    #expect(answer["settings"]?.elements?.compactMap { $0["name"]?.text } == ConfigurationKey.all.map(\.name))
    #expect(settings["host"] == ["from": "file", "name": "host", "value": "home"])
    #expect(settings["ping"] == ["from": "remote", "name": "ping", "value": 7])
    #expect(settings["locatorInterval"] == ["from": "default", "name": "locatorInterval", "value": 300])
    // The board's own name is nobody's setting, and the mode is the one that is on.
    #expect(settings["deviceId"]?["from"] == "default")
    #expect(settings["monitoring"] == ["from": "remote", "name": "monitoring", "value": 2])
    #expect(try shown { $0.commands.locked = true }.0["locked"] == true)
  }

  @Test func secretsAreShownOnlyAsSetOrUnset() throws {
    let (answer, settings) = try shown()
    #expect(settings["password"] == ["from": "file", "isSet": true, "name": "password"])
    #expect(settings["encryptionKey"] == ["from": "default", "isSet": false, "name": "encryptionKey"])
    #expect(!answer.description.contains("hunter2"))
  }
}
