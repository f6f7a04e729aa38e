import Model
import Testing

@testable import OwnTracks

/// What each kind of text takes: the last that it does and the first that it does not.
struct ConfigurationValueTests {
  private static let longest = "https://h/" + String(repeating: "x", count: 1990)

  private static let taken: [(ConfigurationKey.TextRule, [String])] = [
    (.any, ["", "a\u{1}\nb"]), (.url, ["", "no address at all", longest]),
    (.placeURL, ["", "https://h/?lat={lat}&lon={lon}", "http://h/{lon}/{lat}"]),
    (.headers, ["", "a: b", #"a: b\nc: d"#]), (.bytes(3), ["", "abc", "\u{e4}b"]),
    (.topicLevel(3), ["", "abc", "\u{e4}b"]),
    (.topic, ["", "a/b", String(repeating: "x", count: 200)]),
    (.filters, ["", "#", "+", "a/+/b/#", " a//b  +/c\t/# ", "+/+/#"]),
    (.trackerID, ["", "x", "x1", "\u{e4}\u{df}", "e\u{301}"]), (.oneOf(["a", "b"]), ["a", "b"]),
    (.batterySource, ["auto", "ina219"]), (.voltageSource, ["", "ina219"]), (.powerInput, ["", "supply:AC"]),
    (.voltages, ["3.3:0 4.2:100"]), (.path, ["", "/", "/a b"]),
    (.bluetoothAddress, ["", "B8:27:EB:12:34:56", "b8:27:eb:aa:bb:cc"]), (.networkMode, ["Home|0|1"]),
    (.timeMode, ["22:00-06:00|0|1"]),
    (.batteryStep, ["receiver|1%", "beacons|100%", "checkins|1V", "off|60V", "off|11.65V"]),
  ]

  private static let refused: [(ConfigurationKey.TextRule, [String])] = [
    (.any, ["a\0b"]), (.url, [longest + "x"]),
    (
      .placeURL,
      [
        "x", "h/{lat}{lon}", "https://h/?lat={lat}", "https://h/?lon={lon}", "https://h/",
        "ftp://h/{lat}{lon}",
      ]
    ),
    (.headers, ["a"]), (.bytes(3), ["abcd", "\u{e4}bc"]),
    (.topicLevel(3), ["abcd", "a/b", "a+", "a#", "a\u{1b}", "\u{e4}bc"]),
    (.topic, ["a+b", "a#b", "a\u{9b}", "a\u{7f}", String(repeating: "x", count: 201)]),
    (
      .filters,
      ["a+", "+a", "a#", "#a", "#/a", "a/#/b", "#/", "a +b", "a/b+/c", "a\u{1b}", "b#/c", "a/\u{fffe}"]
    ),
    (.trackerID, ["abc", "a-", "e\u{301}x", " a"]), (.oneOf(["a", "b"]), ["", "c"]),
    (.batterySource, ["", "x"]), (.voltageSource, ["x"]), (.powerInput, ["x"]), (.voltages, ["x"]),
    (.path, ["a", "a/", " /a"]),
    (
      .bluetoothAddress,
      [
        "B8:27:EB:12:34", "B8:27:EB:12:34:56:78", "B8:27:EB:12:34:5", "B8:27:EB:12:34:567",
        "B8:27:EB:12:34:5G", "B8:27::EB:12:34:56", "B827EB123456", "12",
      ]
    ),
    (.networkMode, ["|0|1", "Home|3|1"]), (.timeMode, ["x", "22:00-22:00|0|1"]),
    (
      .batteryStep,
      [
        "", "receiver", "receiver|30", "receiver|0%", "receiver|101%", "receiver|2.5%", "off|0.9V", "off|61V",
        "off|V", "sleep|30%", "Off|30%", "off|30%|", "off |30%",
      ]
    ),
  ]

  @Test(arguments: taken) func aTextThatFitsIsTaken(_ rule: ConfigurationKey.TextRule, _ texts: [String]) {
    for text in texts { #expect(ConfigurationValue.allows(text, rule), "\(rule): \(text.prefix(40))") }
  }

  @Test(arguments: refused) func aTextThatDoesNotIsNot(_ rule: ConfigurationKey.TextRule, _ texts: [String]) {
    for text in texts { #expect(!ConfigurationValue.allows(text, rule), "\(rule): \(text.prefix(40))") }
  }

  private func key(_ name: String) throws -> ConfigurationKey { try #require(ConfigurationKey.named(name)) }

  /// Nil: it was not taken, and nothing has changed.
  private func applied(_ value: JSON, _ name: String) throws -> JSON? {
    let key = try key(name)
    var configuration = Configuration()
    guard ConfigurationValue.apply(value, key, to: &configuration) else {
      #expect(configuration == Configuration())
      return nil
    }
    return ConfigurationValue.json(key, of: configuration)
  }

  /// The default configuration with another value of this key.
  private func changed(_ key: ConfigurationKey) -> Configuration {
    var configuration = Configuration()
    switch key.value {
    case .flag(let path): configuration[keyPath: path].toggle()
    case .number(let path, let range, _):
      let isLast = configuration[keyPath: path] == range.upperBound
      configuration[keyPath: path] = isLast ? range.lowerBound : range.upperBound
    case .choice(let path, let choices):
      let other = choices.first { $0.number != configuration[keyPath: path] }
      configuration[keyPath: path] = other?.number ?? configuration[keyPath: path]
    case .real(let path, let range):
      let isLast = configuration[keyPath: path] == range.upperBound
      configuration[keyPath: path] = isLast ? range.lowerBound : range.upperBound
    case .text(let path, .oneOf(let words)):
      configuration[keyPath: path] = words.first { $0 != configuration[keyPath: path] } ?? ""
    case .text(let path, _), .list(let path, _): configuration[keyPath: path] += "other"
    }
    #expect(configuration != Configuration(), "\(key.name)")
    return configuration
  }

  @Test func nullIsTheDefaultOfEveryKey() {
    for key in ConfigurationKey.all {
      var configuration = changed(key)
      #expect(ConfigurationValue.apply(nil, key, to: &configuration), "\(key.name)")
      #expect(configuration == Configuration(), "\(key.name)")
    }
  }

  @Test func defaultOfEveryKeyIsReadBack() {
    for key in ConfigurationKey.all {
      var configuration = changed(key)
      let value = ConfigurationValue.json(key, of: Configuration())
      #expect(ConfigurationValue.apply(value, key, to: &configuration), "\(key.name) \(value)")
      #expect(configuration == Configuration(), "\(key.name)")
    }
  }

  @Test func eachKindTakesItsOwnValuesAndTexts() throws {
    #expect(try applied(true, "trips") == true && applied("1", "trips") == true)
    #expect(try applied(2, "trips") == nil && applied("yes", "trips") == nil && applied([], "trips") == nil)
    #expect(try applied(0, "ping") == 0 && applied("1440", "ping") == 1440 && applied(7.0, "ping") == 7)
    #expect(try applied(-1, "ping") == nil && applied(1441, "ping") == nil && applied(7.5, "ping") == nil)
    #expect(try applied(3, "mode") == 3 && applied("0", "mode") == 0 && applied(1, "mode") == nil)
    #expect(try applied(60, "vehicleBatteryLow") == 60.0 && applied("0.5", "vehicleBatteryLow") == 0.5)
    #expect(try applied(60.1, "vehicleBatteryLow") == nil && applied(true, "vehicleBatteryLow") == nil)
    #expect(try applied("home", "host") == "home" && applied(5, "host") == nil)
    #expect(try applied("auto", "scanDuty") == "auto" && applied("off", "scanDuty") == "off")
    #expect(try applied(100, "scanDuty") == 100 && applied("on", "scanDuty") == nil)
  }

  // MARK: Lists

  @Test func entriesEndWhereTheirTextSaysSo() throws {
    #expect(try applied("net|0|1\nb|0|1\r\nc|0|1", "networkModes") == ["net|0|1", "b|0|1", "c|0|1"])
    #expect(try applied(#"a|0|1\nb|0|1\n\n"#, "networkModes") == ["a|0|1", "b|0|1"])
    // A backslash in front takes the meaning from the one behind it.
    #expect(try applied(#"a\\nb|0|1"#, "networkModes") == [#"a\\nb|0|1"#])
    #expect(try applied(#"a\tb|0|1\nc|0|1"#, "networkModes") == [#"a\tb|0|1"#, "c|0|1"])
    #expect(try applied("", "networkModes") == [] && applied(["a|0|1"], "networkModes") == ["a|0|1"])
    #expect(try applied(7, "networkModes") == nil)
  }

  @Test func aListHasTwentyEntriesAtMost() throws {
    let key = try key("networkModes")
    let all = (0...20).map { JSON.string("net\($0)|0|1") }
    #expect(try applied(.array(all.dropLast()), "networkModes") == .array(all.dropLast()))
    #expect(try applied(.array(all), "networkModes") == nil)
    #expect(ConfigurationValue.offender(.array(all), key) == "net20|0|1")
    #expect(ConfigurationValue.offender(["a|0|1", "bad", 5], key) == "bad")
    #expect(ConfigurationValue.offender([nil], key) == .null)
    #expect(ConfigurationValue.offender(7, key) == 7)
  }

  @Test func everyKeyDescribesItsValidValues() throws {
    func expectation(_ name: String) throws -> String { ConfigurationValue.expectation(try key(name)) }
    #expect(try expectation("trips") == "true or false")
    #expect(try expectation("ping") == "a whole number from 0 to 1440")
    #expect(try expectation("scanDuty") == #"a whole number from 0 to 100, or "auto" or "off""#)
    #expect(try expectation("mode") == "0 (MQTT) or 3 (HTTP)")
    #expect(try expectation("vehicleBatteryLow") == "a number from 0.0 to 60.0")
    for key in ConfigurationKey.all { #expect(!ConfigurationValue.expectation(key).isEmpty, "\(key.name)") }
  }

  // MARK: Voltages

  @Test(arguments: [
    ("12.4", 12.4), ("12.4 V\n", 12.4), ("12.4V", 12.4), (" 0 ", 0), ("100", 100), ("\t100.0\tV", 100),
  ])
  func aVoltageIsUnderstood(_ text: String, _ volts: Double) {
    #expect(VoltageText.parse(bytes(text)) == volts)
  }

  @Test(arguments: [
    "", "V", "100.1", "-0.1", "12.4 A", "12.4 V V", "12 4", "12,4", "nan",
    "12" + String(repeating: " ", count: 4095),
  ])
  func invalidVoltageIsRejected(_ text: String) {
    #expect(VoltageText.parse(bytes(text)) == nil)
  }

  @Test func blanksBehindAVoltageHaveALimit() {
    #expect(VoltageText.parse(bytes("12" + String(repeating: " ", count: 4094))) == 12)
  }
}
