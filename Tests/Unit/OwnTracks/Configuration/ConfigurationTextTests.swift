import Model
import Testing

@testable import OwnTracks

/// What people are told of a file: how much of it, on which line, and what they probably meant.
struct ConfigurationTextTests {
  private func decode(_ text: String) -> ConfigurationFile.Decoded {
    ConfigurationFile.decode(bytes(text), purpose: .replay)
  }

  private func unknown(_ count: Int) -> [String] {
    let members = (0..<count).map { "\"zzzzzzzz\($0)\":1" }.joined(separator: ",")
    return decode("{\"_type\":\"configuration\",\(members)}").remarks
  }

  @Test func remarksBeyondTwentyOfAKindAreCounted() {
    #expect(unknown(20).count == 20 && unknown(20).last?.contains("zzzzzzzz19") == true)
    #expect(unknown(21).count == 21 && unknown(21).last == "and 1 more of this kind")
  }

  @Test func namesThatAreKeptFreeAreNoTypingErrors() {
    let names = [
      "configRollbackMinutes", "motionFromSpeed", "revgeoUrl", "fontSize", "wsPath", "notificationX",
      "discardNetworkLocationThresholdSeconds",
    ]
    for name in names { #expect(AppKeys.contains(name)) }
    for name in ["", "host", "revgeo", "fontsize"] { #expect(!AppKeys.contains(name)) }
  }

  @Test func unredactedJSONHasSecretsAndSortedKeys() {
    let file = ConfigurationFile.json(configured { $0.login.password = "x" }, redacting: false)
    #expect(file["password"] == "x" && file["encryptionKey"] == "")
    let secret = configured { ($0.identity.tid, $0.login.password) = ("x1", "x") }
    let shown = ConfigurationFile.json(secret, redacting: true)
    #expect(shown["tid"] == "x1" && shown["password"] == "***" && shown["waypoints"] == nil)
    #expect(shown["encryptionKey"] == "", "nothing is hidden where there is nothing")
    // The Booklet knows only those of one or two characters.
    #expect(ConfigurationFile.json(Configuration(), redacting: true)["tid"] == nil)
    #expect(ConfigurationFile.json(Configuration(), regions: [home], redacting: true)["waypoints"] != nil)
    let names = keys(file).dropFirst()
    #expect(names.sorted() == Array(names))
  }

  @Test func theBeginningOfAValueIsEnough() {
    let longest = String(repeating: "x", count: 60)
    #expect(
      ConfigurationFile.brief(longest) == longest && ConfigurationFile.brief(longest + "y") == longest + "…")
    #expect(ConfigurationFile.brief("") == "")
  }

  @Test func wrongFilesAreNamed() {
    func problem(_ text: String) -> String? { decode(text).problems.first?.description }
    #expect(problem("[]") == "line 1: expected an object, { … }")
    #expect(problem(#"{"_type":5}"#) == #"line 1: _type is 5, expected "configuration""#)
    #expect(problem("{\n,}")?.hasPrefix("line 2, column") == true)
    #expect(decode("{}").warnings == [#"_type is missing, taken for "configuration""#])
    #expect(ConfigurationFile.limit == 8_388_608)
  }

  // MARK: Lines

  @Test func linesAreCountedThroughTextsAndNestedObjects() {
    let file = #"""
      {
        "a": "x\\", "c": "\\\"", "port"
        : 70000, "info": {"ping": [
          "keepalive"]},
        "x": "ping", "y": "", "": 1,
        "ping": -1, "waypoints": [ {"desc":
          "a"},
          [], {"desc": {}, "_type": "waypoint"} ], "keepalive": -1
      }
      """#
    let decoded = decode(file)
    #expect(
      decoded.problems.map { "\($0.place) \($0.key)" } == ["line 2 port", "line 6 ping", "line 8 keepalive"])
    #expect(decoded.skipped.map(\.place) == ["line 6", "line 8", "line 8"])
    #expect(
      decoded.unknown.map { "\($0.place) \($0.name)" } == [
        "line 2 a", "line 2 c", "line 5 x", "line 5 y", "line 5 ",
      ])
  }

  @Test func keysMissingFromFileHaveNoLine() {
    let places = ConfigurationPlaces(bytes(#"{"a":1,"waypoints":[{}]}"#))
    #expect(places.place(of: "a") == "line 1" && places.place(of: "b") == "not in the file")
    #expect(places.place(ofWaypoint: 0) == "line 1" && places.place(ofWaypoint: 1) == "/waypoints/1")
  }

  // MARK: Words that are near

  @Test(
    arguments: [
      ("oprt", "port"), ("prot", "port"), ("por", "port"), ("ports", "port"), ("pott", "port"),
      ("PORT", "port"),
      ("prto", nil), ("p", nil), ("porttt", nil),
    ] as [(String, String?)])
  func oneLetterOfFourMayBeWrong(_ written: String, _ meant: String?) {
    #expect(UnknownKey.nearest(to: written, among: ["port"]) == meant)
  }

  @Test func aThirdOfTheLettersMayBeWrong() {
    #expect(UnknownKey.nearest(to: "abcdxx", among: ["abcdef"]) == "abcdef")
    #expect(UnknownKey.nearest(to: "abcxxx", among: ["abcdef"]) == nil)
    #expect(UnknownKey.nearest(to: "abcxx", among: ["abcde"]) == nil)
    // The shorter of the two says how many.
    #expect(UnknownKey.nearest(to: "abcdexx", among: ["abcde"]) == nil)
    #expect(UnknownKey.nearest(to: "bacdfe", among: ["abcdef"]) == "abcdef")
    #expect(UnknownKey.nearest(to: "", among: ["a", "ab"]) == "a")
  }

  @Test func theFirstOfThoseThatAreAsNearIsMeant() {
    #expect(UnknownKey.nearest(to: "ad", among: ["ab", "ac"]) == "ab")
    #expect(UnknownKey.nearest(to: "ad", among: ["ab", "ad", "ac"]) == "ad")
    let long = String(repeating: "x", count: 64)
    #expect(UnknownKey.nearest(to: long, among: ["a", long]) == long)
    #expect(UnknownKey.nearest(to: long + "x", among: [long]) == nil)
  }

  // MARK: Links and hosts

  private func refusal(_ link: String) -> String {
    do {
      _ = try ConfigurationLink.file(in: link)
      return "taken"
    } catch {
      return error.description
    }
  }

  @Test func aLinkIsReadToItsEnd() throws {
    func file(_ link: String) throws -> String { text(try ConfigurationLink.file(in: link)) }
    let inline = "eyJ0aWQiOiJqw6QifQ"
    #expect(try file("owntracks:///config?x=a?b&inline=\(inline)") == #"{"tid":"jä"}"#)
    #expect(try file("owntracks:///config/?x=y=z&inline=\(inline)==&url=u") == #"{"tid":"jä"}"#)
    #expect(try file("owntracks:config?inl%69ne=\(inline)") == #"{"tid":"jä"}"#)
    #expect(refusal("owntracks:///config?inline=%4") == "owntracks:///config: what is inline is no base64")
    #expect(refusal("owntracks:///config?inline") == "taken")
    #expect(refusal("owntracks:///config?inline=%zz") == "owntracks:///config: what is inline is no base64")
    #expect(refusal("owntracks:///config?=inline").hasPrefix("this link holds no configuration"))
    #expect(refusal("owntracks:///other?inline=\(inline)").hasPrefix("this link holds no configuration"))
    #expect(ConfigurationLink.isOne("OWNTRACKS:x") && !ConfigurationLink.isOne("owntrack:x"))
  }

  @Test func aBeaconsLinkBecomesACommandThatIsSafeToType() {
    let start = "this link is a beacon, not a configuration; make its region: homeward region add "
    #expect(
      refusal("owntracks:///beacon?name=a'%3Brm&uuid=12-aB;%C3%A4&major=1%20&minor=2|3")
        == start + "'a;rm' --uuid 12-aB --major 1 --minor 23")
    #expect(refusal("owntracks:///BEACON") == start + "'NAME' --uuid UUID")
  }

  @Test(arguments: [
    ("tcp://b", #"the bare name "b", with 1883 as port, and tls false"#),
    ("ssl://b", #"the bare name "b", with 8883 as port, and tls true"#),
    ("TLS://u:p@b:1/x", #"the bare name "b", with 1 as port, and tls true"#),
    (
      "ws://b:80",
      #"the bare name "b", with 80 as port; websockets are not supported, give the broker's port for MQTT"#
    ),
    ("u:p@w@b", #"the bare name "b""#), ("b:", #"the bare name "b""#), ("[::1]", #"the bare name "::1""#),
    ("mqtt://[::1]:99", #"the bare name "::1", with 99 as port, and tls false"#),
    ("http://::1", #"the bare name "::1""#),
    ("/x", #"the bare name "broker.example""#), ("a\tb", "the bare name, without blanks"),
  ])
  func aHostThatIsMoreIsTakenApart(_ host: String, _ advice: String) {
    #expect(HostText.advice(host) == advice)
  }

  @Test(arguments: ["", "b", "b.example", "::1", "fe80::1%eth0"]) func aHostThatIsOneIsLeftAlone(
    _ host: String
  ) {
    #expect(HostText.advice(host) == nil)
  }

  // MARK: Batteries, imports, the table

  @Test func aBatteryIsReadUpTo4Kilobytes() throws {
    #expect(try BatteryText.parse(bytes("57" + String(repeating: " ", count: 4094))).level == 57)
    #expect(throws: BatteryText.Refusal.self) {
      try BatteryText.parse(bytes("57" + String(repeating: " ", count: 4095)))
    }
    #expect(try BatteryText.parse(bytes("100% unplugged")) == Battery(level: 100, state: .unplugged))
    #expect(try BatteryText.parse(bytes(#"{"level":0.4,"status":"unknown"}"#)).level == 0)
    do {
      _ = try BatteryText.parse(bytes("57\n Melting\u{1b}"))
      Issue.record("taken")
    } catch {
      #expect(
        error.description
          == "57 Melting\\u{1b}, expected a level from 0 to 100 and Charging, Discharging, Full or "
          + "Unknown, such as: 57 Discharging")
    }
  }

  @Test func anImportedKeyReplacesAndNullTakesOut() {
    let own: JSON = ["host": "h", "tid": "x"]
    let new = ConfigurationImport(
      of: ["host": "i", "tid": nil, "ping": 5, "_type": "configuration"], into: own)
    #expect(
      new.file == ["host": "i", "ping": 5] && new.changed == ["host", "tid", "ping"] && new.count == 3)
    let same = ConfigurationImport(of: ["host": "h", "unheardOf": nil], into: own)
    #expect(same.file == own && same.changed.isEmpty && same.count == 2 && same.left.isEmpty)
  }

  @Test func regionsAreKnownByIDThenByNameAndDateThenByName() {
    func merged(_ new: JSON, into old: JSON) -> JSON? {
      ConfigurationImport(of: ["waypoints": new], into: ["waypoints": old]).file["waypoints"]
    }
    let dated: JSON = [["desc": "A", "tst": 1], ["desc": "A", "tst": 2]]
    #expect(
      merged([["desc": "A", "tst": "2", "rad": 5]], into: dated) == [
        ["desc": "A", "tst": 1], ["desc": "A", "tst": "2", "rad": 5],
      ])
    #expect(
      merged([["desc": "A", "rad": 5]], into: dated) == [["desc": "A", "rad": 5], ["desc": "A", "tst": 2]])
    #expect(merged([["desc": "A", "rid": "x", "tst": 2]], into: dated)?[1]?["rid"] == "x")
    #expect(merged([["desc": "A", "rid": "x"]], into: dated)?.elements?.count == 3)
    #expect(merged([["rad": 5], ["rad": 5]], into: [])?.elements?.count == 2)
    #expect(merged([["desc": "B", "rid": ""], ["desc": "B", "rad": 1]], into: [])?.elements?.count == 2)
    // Two of one list are two, whatever they are called.
    #expect(
      merged([["desc": "B"], ["desc": "B", "rad": 1], ["desc": "C"], ["desc": "C"]], into: [])?.elements?
        .count == 4)
  }

  @Test func aKeyIsDescribedWhole() throws {
    func described(_ name: String) throws -> String {
      SettingsTable.description(of: try #require(ConfigurationKey.named(name))).description
    }
    let ping = try #require(SettingNote(of: "ping"))
    #expect(ping.unit == "min" && !ping.isExpert)
    #expect(
      try described("ping") == """
        {"default":15,"expert":false,"group":"reporting","max":1440,"min":0,"secret":false,"settable":true,\
        "text":"\(ping.text)","type":"integer","unit":"min"}
        """)
    let duty = try #require(SettingsTable.description(of: ConfigurationKey.named("scanDuty")!).members)
    #expect(JSON.object(duty)["words"] == ["auto", "off"] && JSON.object(duty)["default"] == "auto")
    let low = SettingsTable.description(of: ConfigurationKey.named("vehicleBatteryLow")!)
    #expect(low["min"] == 0.0 && low["max"] == 60.0 && low["default"] == 11.9)
    let password = SettingsTable.description(of: .password)
    #expect(password["default"] == "" && password["secret"] == true && password["words"] == nil)
    #expect(SettingsTable.description(of: .monitoring)["choices"]?.elements?.count == 4)
  }
}
