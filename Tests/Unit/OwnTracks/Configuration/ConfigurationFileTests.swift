import Model
import OwnTracks
import Testing

struct ConfigurationFileTests {
  private func decode(_ members: String, _ overrides: [(String, String)] = []) -> ConfigurationFile.Decoded {
    ConfigurationFile.decode(
      bytes("{\"_type\":\"configuration\",\"host\":\"h\",\"username\":\"u\"\(members)}"), overrides: overrides
    )
  }

  @Test func emptyIsAllDefaults() {
    let decoded = ConfigurationFile.decode(bytes(#"{"_type":"configuration"}"#), purpose: .replay)
    #expect(decoded.configuration == Configuration())
    #expect(decoded.problems.isEmpty && decoded.warnings.isEmpty)
  }

  @Test(arguments: ["", " \r\n\t\n", "\u{FEFF}"])
  func aFileWithNothingInItIsEmpty(_ text: String) throws {
    let problems = ConfigurationFile.decode(bytes(text)).problems.map(\.description)
    #expect(problems == ["line 1: the file is empty, expected an object, { … }"])
    let begun = try JSON.parse(try ConfigurationFile.setting("port", to: "1883", in: bytes(text)))
    #expect(begun == ["_type": "configuration", "port": 1883])
  }

  @Test func filesThatAreNotThereAreNamedByKey() {
    let decoded = decode(
      ",\"tlsCaFile\":\"/ca\",\"tlsClientCert\":\"/cert\",\n\"tlsClientKey\":\"/key\"")
    let named = decoded.missingFiles { $0 == "/cert" }.map(\.description)
    #expect(
      named == [
        #"line 1: tlsCaFile is "/ca", expected a file that is there"#,
        #"line 2: tlsClientKey is "/key", expected a file that is there"#,
      ])
    #expect(decode("").missingFiles { _ in false }.isEmpty)
  }

  @Test(arguments: ["true", "1", "\"true\"", "\"1\"", "1.0"])
  func flagsOn(_ value: String) {
    let decoded = decode(",\"cmd\":\(value)")
    #expect(decoded.configuration.commands.isOn && decoded.problems.isEmpty)
  }

  @Test(arguments: ["false", "0", "\"false\""])
  func flagsOff(_ value: String) {
    let decoded = decode(",\"tls\":\(value)")
    #expect(!decoded.configuration.tls.isOn && decoded.problems.isEmpty)
  }

  @Test func numbersMayBeQuoted() {
    let decoded = decode(#","locatorInterval":"60","monitoring":"-1","port":1883.0"#)
    #expect(decoded.configuration.reports.locatorInterval == 60)
    #expect(decoded.configuration.reports.monitoring == .quiet)
    #expect(decoded.configuration.broker.port == 1883)
  }

  // behaviour: Mode by network and by time
  @Test(arguments: [
    #"["a b|0|1","c|2|"]"#, #""a b|0|1\\nc|2|""#, #""a b|0|1\nc|2|""#,
  ])
  func aListIsAnArrayOrAText(_ value: String) throws {
    let decoded = decode(",\"networkModes\":\(value)")
    #expect(decoded.problems.isEmpty)
    #expect(decoded.configuration.reports.networkModes.value?.rules.map(\.text) == ["a b|0|1", "c|2|"])
    let file = ConfigurationFile.json(decoded.configuration, redacting: true)
    #expect(file["networkModes"] == ["a b|0|1", "c|2|"] && file["timeModes"] == [])
    let set = try ConfigurationFile.setting("timeModes", to: "22:00-06:00|0|1", in: [])
    #expect(try JSON.parse(set)["timeModes"] == ["22:00-06:00|0|1"])
  }

  // behaviour: Mode by network and by time
  @Test func theBadEntryOfAListIsNamedAndNoneIsTaken() {
    let decoded = decode(
      #","timeModes":["22:00-06:00|0|1","25:00-06:00|0|1","x"],"networkModes":[7]"#)
    #expect(decoded.configuration.reports == Configuration().reports)
    #expect(
      decoded.problems.map(\.description) == [
        "line 1: timeModes is \"25:00-06:00|0|1\", expected a list of at most 20, each HH:MM-HH:MM|IN|OUT, two different "
          + "times and two modes, -1, 0, 1, 2 or nothing, such as 22:00-06:00|0|1",
        "line 1: networkModes is 7, expected a list of at most 20, each SSID|IN|OUT, the name of a network (1 to 32 bytes) "
          + "and two modes, -1, 0, 1, 2 or nothing, such as Home|0|1",
      ])
  }

  @Test func nullIsTheDefault() {
    let decoded = decode(#","locatorInterval":null,"tid":null,"tls":null,"waypoints":null"#)
    #expect(decoded.problems.isEmpty)
    #expect(decoded.configuration.reports.locatorInterval == 300)
  }

  // behaviour: History
  @Test func positionsLimitAloneDisablesTheDayLimit() {
    #expect(decode("").configuration.history.days == 7)
    #expect(decode(#","positions":1000"#).configuration.history.days == -1)
    #expect(decode(#","positions":1000,"days":30"#).configuration.history.days == 30)
    #expect(decode(#","positions":null"#).configuration.history.days == 7)
    let overridden = ConfigurationFile.decode(Array("{}".utf8), overrides: [("positions", "3")])
    #expect(overridden.configuration.history.days == -1)
  }

  // behaviour: The configuration file
  @Test func everyBadKeyIsNamed() {
    let decoded = decode(
      #","downgrade":300,"tls":"maybe","tid":"abc","pubTopicBase":"a/+/b","logLevel":"loud","port":1.5,"#
        + #""stateDir":"here","subTopic":"a/#/b","deviceId":"a/b","keepalive":true"#)
    #expect(
      decoded.problems.map(\.key) == [
        "downgrade", "tls", "tid", "pubTopicBase", "logLevel", "port", "stateDir", "subTopic", "deviceId",
        "keepalive",
      ])
    #expect(decoded.configuration.reports.downgrade == 0)
  }

  /// libmosquitto refuses every message whose topic has one.
  @Test(arguments: ["username", "deviceId", "pubTopicBase", "subTopic"])
  func controlCharactersInTopicKeysAreRefused(_ key: String) {
    for character in ["\\u001b", "\\u009b", "\\ufffe"] {
      let decoded = ConfigurationFile.decode(bytes("{\"\(key)\":\"a\(character)b\"}"), purpose: .replay)
      #expect(decoded.problems.map(\.key) == [key])
      #expect(decoded.problems.allSatisfy { $0.description == $0.description.plainLine })
    }
  }

  // behaviour: The configuration file
  @Test func problemsSayLineValueAndExpectation() {
    let decoded = ConfigurationFile.decode(
      bytes("{\n\"_type\":\"configuration\",\n\"x\":{\"port\":[1]},\n  \"port\" : 70000,\"host\":\"h\"}"))
    #expect(
      decoded.problems.map(\.description)
        == ["line 4: port is 70000, expected a whole number from 0 to 65535"])
  }

  // behaviour: The configuration file
  @Test func secretsAreNeverShown() {
    let decoded = decode(#","password":["hunter2"]"#)
    #expect(decoded.problems.map(\.value) == ["(hidden)"])
    #expect(!"\(decoded.problems)".contains("hunter"))
  }

  @Test func secretsAreNoticed() {
    #expect(decode(#","password":"x""#).holdsSecret)
    #expect(decode(#","encryptionKey":"x""#).holdsSecret)
    #expect(!decode(#","password":"""#).holdsSecret)
  }

  @Test func nulInATextIsRefused() {
    #expect(decode(#","password":"a\u0000b""#).problems.map(\.key) == ["password"])
  }

  // behaviour: The configuration file
  @Test func unknownKeysAreKept() {
    let decoded = decode(#","theme":"dark","foo":{"a":[1]}"#)
    #expect(decoded.ignored == ["theme"] && decoded.unknown.map(\.name) == ["foo"])
    #expect(decoded.raw["foo"] == ["a": [1]])
    #expect(decoded.problems.isEmpty)
  }

  @Test func oldNameOfExtendedData() {
    #expect(!decode(#","pubExtendedData":false"#).configuration.reports.extendedData)
    #expect(decode(#","extendedData":true,"pubExtendedData":false"#).configuration.reports.extendedData)
    #expect(decode(#","pubExtendedData":7"#).problems.map(\.key) == ["pubExtendedData"])
  }

  @Test func beaconLossTimeoutMayBeAuto() {
    #expect(decode(#","beaconLossTimeout":"auto""#).configuration.beacons.lossTimeout == 0)
    #expect(decode(#","beaconLossTimeout":"45""#).configuration.beacons.lossTimeout == 45)
    #expect(decode(#","holdDown":"auto""#).problems.count == 1)
  }

  @Test func modeThreeWantsAnAddress() {
    let problem = decode(#","mode":3,"url":"https://host:port/path""#).problems.first
    #expect(problem?.key == "url" && problem?.value == "(hidden)")
    #expect(decode(#","mode":3,"url":"https://h/""#).problems.isEmpty)
    // What the apps export where nobody ever set one.
    #expect(decode(#","url":"https://host:port/path""#).problems.isEmpty)
    #expect(decode(#","mode":1"#).problems.count == 1)
  }

  @Test func brokerMustBeNamed() {
    let file = bytes(#"{"_type":"configuration","username":"u"}"#)
    #expect(ConfigurationFile.decode(file).problems.map(\.key) == ["host"])
    #expect(ConfigurationFile.decode(file, overrides: [("port", "0")]).problems.isEmpty)
    #expect(ConfigurationFile.decode(file, purpose: .replay).problems.isEmpty)
  }

  @Test func keysThatBelongTogether() {
    #expect(decode(#","reconnectMin":90"#).problems.map(\.key) == ["reconnectMin"])
    #expect(decode(#","tlsClientCert":"/c.pem""#).problems.map(\.key) == ["tlsClientKey"])
  }

  @Test func warnings() {
    let decoded = ConfigurationFile.decode(
      bytes(
        """
        {"host":"h","allowinvalidcerts":true,"mqttProtocolLevel":3,
         "clientId":"abcdefghijklmnopqrstuvwxyz","pubTopicBase":"a/b"}
        """))
    #expect(decoded.problems.isEmpty)
    let subjects = ["_type", "username", "allowinvalidcerts", "clientId", "pubTopicBase"]
    #expect(decoded.warnings.map { $0.prefix { $0 != " " } } == subjects.map { $0[...] })
  }

  @Test(arguments: ["", "[]", "{", #"{"_type":"waypoints"}"#, "{\"a\":1,\"a\":2}"])
  func wrongFiles(_ text: String) {
    let decoded = ConfigurationFile.decode(bytes(text))
    #expect(decoded.problems.count == 1)
  }

  @Test func overridesWin() {
    let decoded = decode(
      #","locatorInterval":"soon""#, [("locatorInterval", "60"), ("cmd", "1"), ("tid", "x1")])
    #expect(decoded.problems.isEmpty)
    #expect(decoded.configuration.reports.locatorInterval == 60)
    #expect(decoded.configuration.commands.isOn && decoded.configuration.identity.tid == "x1")
  }

  @Test func overridesObeyTheRules() {
    let decoded = decode(
      "", [("port", "x"), ("nonsense", "1"), ("maxHistory", "5"), ("tls", "")])
    #expect(decoded.problems.map(\.key) == ["port", "nonsense", "tls"])
    #expect(decoded.ignored == ["maxHistory"] && decoded.unknown.isEmpty)
  }

  @Test func waypointsComeAlong() {
    let decoded = decode(
      ",\n\"beaconNumberBase\":\"hex\",\"waypoints\":[\n{\"_type\":\"waypoint\",\"desc\":\"B:\(uuid):10\","
        + "\"tst\":1},\n{\"_type\":\"waypoint\",\"desc\":\"C\"}]")
    #expect(decoded.waypoints.map(\.beacon) == [BeaconIdentity(uuid: uuid, major: 16)])
    #expect(decoded.problems.isEmpty)
    #expect(
      decoded.skipped.map(\.description)
        == ["line 4: waypoints[1] is \"C\", expected a waypoint: tst is missing"])
    #expect(decode(#","waypoints":{}"#).problems.map(\.key) == ["waypoints"])
  }

  @Test func settingKeepsTheRest() throws {
    let file = bytes(#"{"_type":"configuration","foo":[1,2.5],"port":1,"host":"h"}"#)
    let changed = try ConfigurationFile.setting("port", to: "1883", in: file)
    #expect(
      try JSON.parse(changed) == ["_type": "configuration", "foo": [1, 2.5], "port": 1883, "host": "h"])
    let removed = try ConfigurationFile.setting("port", to: nil, in: file)
    #expect(try JSON.parse(removed)["port"] == nil)
    let auto = try ConfigurationFile.setting("beaconLossTimeout", to: "auto", in: [])
    #expect(try JSON.parse(auto) == ["_type": "configuration", "beaconLossTimeout": "auto"])
  }

  @Test func settingRefusesBadValues() {
    #expect(throws: ConfigurationFile.Problem.self) { try ConfigurationFile.setting("port", to: "x", in: []) }
    #expect(throws: ConfigurationFile.Problem.self) { try ConfigurationFile.setting("prot", to: "1", in: []) }
    #expect(throws: ConfigurationFile.Problem.self) {
      try ConfigurationFile.setting("port", to: "1", in: bytes("{"))
    }
  }

  @Test func scanDutyMayBeAutoOrOff() {
    #expect(decode(#","scanDuty":"off""#).configuration.beacons.scanDuty == 0)
    #expect(decode(#","scanDuty":"auto""#).configuration.beacons.scanDuty == -1)
    #expect(decode(#","scanDuty":25"#).configuration.beacons.scanDuty == 25)
    #expect(decode(#","scanDuty":-1"#).problems.map(\.key) == ["scanDuty"])
  }

  @Test func thresholdsTooCloseAreRefused() {
    #expect(decode(#","beaconEnterRssi":-80,"beaconLeaveRssi":-86"#).problems.isEmpty)
    #expect(
      decode(#","beaconEnterRssi":-80,"beaconLeaveRssi":-85"#).problems.map(\.key) == ["beaconLeaveRssi"])
  }

  @Test func aNumberMayHaveAFraction() {
    #expect(decode(#","pathLossExponent":2.7"#).configuration.beacons.pathLossExponent == 2.7)
    #expect(decode(#","pathLossExponent":"x""#).problems.map(\.key) == ["pathLossExponent"])
  }

  @Test func encodeReadsBack() {
    var configuration = configured {
      $0.broker.host = "broker"
      $0.login.password = "hunter2"
      $0.reports.locatorInterval = 17
      $0.reports.extendedData = false
    }
    let decoded = ConfigurationFile.decode(
      ConfigurationFile.encode(configuration, regions: [home], redacting: false))
    #expect(decoded.configuration == configuration)
    #expect(decoded.waypoints.map(\.rid) == ["e1f891"])
    #expect(decoded.problems.isEmpty && decoded.unknown.isEmpty)
    configuration.login.password = ""
    #expect(ConfigurationFile.json(configuration, redacting: true)["password"] == "")
  }

  @Test func redactingHidesSecrets() {
    let shown = text(ConfigurationFile.encode(configured { $0.login.password = "hunter2" }, redacting: true))
    #expect(!shown.contains("hunter2"))
    #expect(shown.contains(#""password": "***""#))
  }
}
