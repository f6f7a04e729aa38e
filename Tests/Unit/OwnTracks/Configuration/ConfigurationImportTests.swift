import Model
import OwnTracks
import Testing

// behaviour: The configuration file
/// What other configurations bring: as files, as links, and as a preset.
struct ConfigurationImportTests {
  private let own: JSON = ["_type": "configuration", "host": "h", "deviceId": "van"]

  private func waypoint(_ name: String, _ more: [(String, JSON)] = []) -> JSON {
    var entry: JSON = ["_type": "waypoint", "desc": .string(name), "lat": 48, "lon": 11, "rad": 100]
    for (key, value) in more { entry.set(key, value) }
    return entry
  }

  @Test func importingTwiceChangesNothing() {
    let phone: JSON = [
      "_type": "configuration", "tid": "ja", "stateDir": "/tmp",
      "waypoints": [
        waypoint("Home", [("tst", 5)]), waypoint("Work", [("rid", "abc")]), waypoint("By hand"),
        waypoint("Home"),
      ],
    ]
    let first = ConfigurationImport(of: phone, into: own)
    // Two of one name are two, though the second has no date and no id.
    #expect(first.file["waypoints"]?.elements?.count == 4)
    #expect(first.changed == ["tid", "waypoints"] && first.left == ["stateDir"] && first.count == 2)
    let second = ConfigurationImport(of: phone, into: first.file)
    #expect(second.file == first.file && second.changed.isEmpty && second.count == 2)
  }

  @Test func aMaskedSecretIsLeftOut() {
    let dump: JSON = ["_type": "configuration", "password": "***", "tid": "ja", "clientId": "***"]
    let found = ConfigurationImport(of: dump, into: own)
    #expect(found.left == ["password"] && found.file["password"] == nil && found.file["clientId"] == "***")
  }

  /// What an entry is called by now is known from then on.
  @Test func anEntryThatWasRenamedIsFoundByItsNewName() {
    let own: JSON = [
      "_type": "configuration", "host": "h", "deviceId": "van",
      "waypoints": [waypoint("A", [("rid", "1")]), waypoint("B")],
    ]
    let renamed = ConfigurationImport(of: ["waypoints": [waypoint("A2", [("rid", "1")])]], into: own)
    let found = ConfigurationImport(of: ["waypoints": [waypoint("A2", [("rad", 200)])]], into: renamed.file)
    let all = found.file["waypoints"]?.elements ?? []
    #expect(all.map { $0["desc"]?.text } == ["A2", "B"] && all.first?["rad"]?.double == 200)
  }

  /// One date for all, as scripts write them, and the second time each is the one that it was.
  @Test func namesakesOfOneFileAreAllTaken() {
    let gyms: JSON = .array([1, 2, 3].map { waypoint("Gym", [("tst", 7), ("rad", .integer($0 * 100))]) })
    let first = ConfigurationImport(of: ["waypoints": gyms], into: own)
    #expect(first.file["waypoints"] == gyms)
    let second = ConfigurationImport(of: ["waypoints": gyms], into: first.file)
    #expect(second.file == first.file && second.changed.isEmpty)
  }

  @Test func anEntryTakesThePlaceOfTheOneThatItIs() {
    let before = ConfigurationImport(
      of: ["waypoints": [waypoint("A", [("rid", "1")]), waypoint("B", [("tst", 7)])]], into: own
    ).file
    let after = ConfigurationImport(
      of: [
        "waypoints": [
          waypoint("A new name", [("rid", "1")]), waypoint("B", [("tst", 7), ("rad", 200)]),
          // Another id is another region, whatever its name is.
          waypoint("B", [("rid", "2")]),
        ]
      ], into: before
    ).file
    let all = after["waypoints"]?.elements ?? []
    #expect(all.compactMap { $0["desc"]?.text } == ["A new name", "B", "B"])
    #expect(all.map { $0["rad"]?.int } == [100, 200, 100])
  }

  @Test func namesThatComeAlongAreSaid() {
    let phone: JSON = ["deviceId": "phone", "clientId": "janephone"]
    let first = ConfigurationImport(of: phone, into: own)
    #expect(first.identity == [#"deviceId "phone""#, #"clientId "janephone""#])
    #expect(ConfigurationImport(of: phone, into: first.file).identity.isEmpty)
    #expect(ConfigurationImport(of: ["deviceId": nil, "clientId": ""], into: own).identity.isEmpty)
  }

  @Test(arguments: [
    "owntracks:///config?inline=eyJ0aWQiOiJqw6QifQ==", "owntracks:///config?inline=eyJ0aWQiOiJqw6QifQ",
    "owntracks:///config?x=1&inline=eyJ0aWQiOiJqw6QifQ%3D%3D",
    "OwnTracks://config?inline=eyJ0aWQiOiJqw6QifQ%3d%3D",
  ])
  func aLinkHoldsAFile(_ link: String) throws {
    #expect(ConfigurationLink.isOne(link))
    #expect(String(decoding: try ConfigurationLink.file(in: link), as: UTF8.self) == #"{"tid":"jä"}"#)
  }

  @Test(arguments: [
    ("owntracks:///config?inline=%%%", "what is inline is no base64"),
    ("owntracks:///config?inline=A", "what is inline is no base64"),
    ("owntracks:///config?url=http%3A%2F%2Fx%2Fa.otrc", "it names a file on the web; download that"),
    ("owntracks:///config", "expected owntracks:///config?inline=..."),
    ("owntracks:", "expected owntracks:///config?inline=..."),
    (
      "owntracks:///beacon?name=Gar%20age%27&uuid=CA271EAE-5FA8-4E80-8F08-2A302A95A959&major=1",
      "homeward region add 'Gar age' --uuid CA271EAE-5FA8-4E80-8F08-2A302A95A959 --major 1"
    ),
  ])
  func aLinkThatHoldsNoneSaysWhy(_ link: String, _ words: String) {
    do {
      _ = try ConfigurationLink.file(in: link)
      Issue.record("taken: \(link)")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
    }
  }

  @Test func base64OfBothAlphabets() {
    for count in 0...5 {
      let bytes = [UInt8]([0xFB, 0xFF, 0xFE, 0x3E, 0x00].prefix(count))
      let text = Base64.text(of: bytes)
      #expect(Base64.bytes(of: text) == bytes)
      let other = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
      #expect(Base64.bytes(of: String(other)) == bytes)
    }
    #expect(Base64.bytes(of: "AA=A") == nil && Base64.bytes(of: "é") == nil)
  }

  /// What the board would skip does not come into its file.
  @Test func waypointsThatAreSkippedAreLeftOut() {
    let pole = waypoint("Pole", [("lat", 98)])
    let places: JSON = [pole, waypoint("Home"), waypoint("Nowhere", [("lon", "x")])]
    let all: JSON = ["_type": "configuration", "tid": "ja", "waypoints": places]
    let phone = ConfigurationFile.decode(all.pretty(), purpose: .replay, written: 5)
    #expect(phone.skipped.map(\.key) == ["waypoints[0]", "waypoints[2]"])
    let taken = ConfigurationImport(of: phone, into: own)
    #expect(taken.file["waypoints"] == [waypoint("Home")] && taken.changed == ["tid", "waypoints"])
    let bad: JSON = ["tid": "ja", "waypoints": [pole]]
    let none = ConfigurationImport(of: ConfigurationFile.decode(bad.pretty(), written: 5), into: own)
    #expect(none.file["waypoints"] == nil && none.changed == ["tid"])
  }

  private func reports(_ members: String, _ typed: [(String, String)] = []) -> [Int] {
    let decoded = ConfigurationFile.decode(bytes("{\"host\":\"h\"\(members)}"), overrides: typed)
    #expect(decoded.problems.isEmpty)
    return [decoded.configuration.reports.locatorDisplacement, decoded.configuration.reports.locatorInterval]
  }

  @Test func aPresetStandsInForDefaultsOnly() {
    #expect(reports("") == [100, 300] && reports(#","preset":"none""#) == [100, 300])
    #expect(reports(#","preset":"iosapp""#) == [200, 180])
    #expect(reports("", [("preset", "iosapp")]) == [200, 180])
    #expect(reports(#","preset":"iosapp","locatorInterval":60"#) == [200, 60])
    #expect(reports(#","preset":"iosapp","locatorInterval":null"#) == [200, 180])
    #expect(reports(#","preset":"iosapp""#, [("locatorDisplacement", "50")]) == [50, 180])
    let wrong = ConfigurationFile.decode(bytes(#"{"host":"h","preset":"ios"}"#)).problems
    #expect(wrong.map(\.description) == [#"line 1: preset is "ios", expected one of none, iosapp"#])
  }
}
