import Model
import OwnTracks
import Testing

/// Each field of a waypoint: its limits, and what null and nothing mean.
struct WaypointFieldTests {
  private func decode(
    _ fields: String, source: Waypoints.Source = .message, base: BeaconNumberBase = .auto
  ) -> Waypoints.Decoded {
    let json = try? JSON.parse("{\"_type\":\"waypoint\",\"desc\":\"h\",\(fields)}")
    return Waypoints.decode(json ?? .null, numberBase: base, source: source)
  }

  private func entry(_ fields: String, source: Waypoints.Source = .message) -> WaypointEntry? {
    decode(fields, source: source).entries.first
  }

  private func reason(_ fields: String, source: Waypoints.Source = .message) -> String? {
    decode(fields, source: source).problems.first?.reason
  }

  private let uuid = "CA271EAE-5FA8-4E80-8F08-2A302A95A959"

  @Test func nullIsNotSaid() {
    let keys = [
      "rid", "uuid", "major", "minor", "share", "speedLimit", "dwell", "private", "polygon", "inside",
    ]
    let nulls = keys.map { #","\#($0)":null"# }.joined()
    let plain = WaypointEntry(name: "h", coordinate: Coordinate(latitude: 0, longitude: 0), created: 1)
    #expect(entry(#""tst":1"# + nulls) == plain)
    var recorded = plain
    recorded.presence = .unknown
    #expect(entry(#""tst":1"# + nulls, source: .timeline) == recorded)
  }

  @Test func anIDHas200BytesAtMost() {
    let longest = String(repeating: "r", count: 200)
    #expect(entry(#""tst":1,"rid":"\#(longest)""#)?.rid == longest)
    #expect(reason(#""tst":1,"rid":"\#(longest)r""#) == "rid is not a text of at most 200 bytes")
    #expect(entry(#""tst":1,"rid":"""#) != nil && entry(#""tst":1,"rid":"""#)?.rid == nil)
  }

  @Test func aDateIsThatOf32Bits() {
    #expect(entry(#""tst":0"#)?.created == 0 && entry(#""tst":-0.5"#)?.created == 0)
    #expect(entry(#""tst":4294967295.5"#)?.created == 4_294_967_295)
    // Milliseconds of some Android apps.
    #expect(entry(#""tst":1505910709000"#)?.created == 1_505_910_709)
    for date in ["4294967296000", "-1", "1e300"] {
      #expect(reason(#""tst":\#(date)"#) == "tst is not a time in Unix seconds")
    }
    #expect(reason(#""lat":1"#) == "tst is missing")
  }

  @Test func undatedWaypointsGetTheDateOfTheirSource() {
    #expect(entry(#""lat":1"#, source: .file(written: 5_000_000_000))?.written == 4_294_967_295)
    #expect(entry(#""lat":1"#, source: .timeline)?.created == 0)
    let gone = entry(#""lat":-1000000"#, source: .file(written: 7))
    #expect(gone != nil && gone?.written == nil && gone?.created == nil)
    #expect(entry(#""lat":-1000000,"tst":5"#)?.created == 5)
    let dated = Waypoints.dated([["desc": "a"], ["desc": "b", "tst": nil], ["desc": "c", "tst": 5], 7], 9)
    #expect(
      dated == [["desc": "a", "tst": 9], ["desc": "b", "tst": 9], ["desc": "c", "tst": 5], 7])
    #expect(
      Waypoints.dated(["_type": "waypoints", "waypoints": [["desc": "a"]]], -3) == [["desc": "a", "tst": 0]])
    #expect(Waypoints.dated(["desc": "a"], 5_000_000_000) == [["desc": "a", "tst": 4_294_967_295]])
  }

  /// Metres of a projection, degrees times 10 million, a missing decimal point: none of them is a wish to delete.
  @Test func aFileDeletesByItsMarkAlone() {
    let file = Waypoints.Source.file(written: 7)
    for mark in [#""lat":-1000000"#, #""lon":-1000000"#, #""lat":-1000000.0,"lon":"-1000000""#] {
      #expect(entry(mark, source: file) != nil && entry(mark, source: file)?.coordinate == nil)
    }
    for latitude in ["999999", "1000000", "435000000", "-4816123.9", "1e300"] {
      #expect(
        reason(#""lat":\#(latitude),"lon":0"#, source: file)?.hasSuffix(
          ", expected -90 to 90 (-1000000 deletes the region)") == true, "\(latitude)")
    }
    #expect(
      reason(#""lat":90,"lon":181"#, source: file)
        == "lon is 181, expected -180 to 180 (-1000000 deletes the region)")
    #expect(entry(#""lat":90,"lon":-180"#, source: file)?.coordinate != nil)
  }

  @Test func onlyInAFileARadiusBelowZeroIsAMistake() {
    let file = Waypoints.Source.file(written: 7)
    #expect(entry(#""rad":-1,"uuid":"\#(uuid)""#, source: file)?.radius == -1)
    #expect(entry(#""rad":0"#, source: file)?.radius == 0)
    #expect(entry(#""rad":-1,"lat":-1000000"#, source: file) != nil)
    #expect(entry(#""tst":1,"rad":-1"#)?.radius == -1)
  }

  @Test func aUUIDMattersWhereNothingElseIsARegion() {
    #expect(reason(#""tst":1,"uuid":5"#) == "uuid is 5, not 8-4-4-4-12 hexadecimal digits")
    #expect(entry(#""tst":1,"uuid":"xx","rad":0.1"#) != nil)
    #expect(entry(#""lat":-1000000,"uuid":"xx""#) != nil)
    #expect(entry(#""tst":1,"uuid":"\#(uuid.lowercased())""#)?.beacon == BeaconIdentity(uuid: uuid))
  }

  @Test func numbersInTheNameBelongToTheUUIDInTheName() {
    func beacon(_ desc: String, _ more: String = "") -> BeaconIdentity? {
      Waypoints.decode(
        (try? JSON.parse(#"{"_type":"waypoint","tst":1,"desc":"\#(desc)"\#(more)}"#)) ?? .null
      ).entries.first?.beacon
    }
    #expect(
      beacon("A:\(uuid.lowercased()):5:6", #","uuid":"\#(uuid)""#)
        == BeaconIdentity(uuid: uuid, major: 5, minor: 6))
    #expect(beacon("A:\(uuid):5:6") == BeaconIdentity(uuid: uuid, major: 5, minor: 6))
    #expect(beacon("A:\(uuid)::6") == BeaconIdentity(uuid: uuid, major: 0, minor: 6))
    #expect(beacon("A:\(uuid)::") == BeaconIdentity(uuid: uuid, major: 0, minor: 0))
    #expect(beacon("A:\(uuid):70000", #","major":65535"#) == BeaconIdentity(uuid: uuid, major: 65_535))
    #expect(beacon("A:\(uuid)", #","major":"CAFE""#)?.major == 51_966)
    let entry = Waypoints.decode(["_type": "waypoint", "tst": 1, "desc": .string("A::B:\(uuid)")]).entries
      .first
    #expect(entry?.name == "A::B")
  }

  @Test(arguments: [
    (BeaconNumberBase.auto, "", 0), (.auto, "10", 10), (.auto, "0x10", 16), (.auto, "0X1f", 31),
    (.auto, "1f", 31),
    (.auto, "99", 99), (.hex, "10", 16), (.hex, "0xFFFF", 65_535), (.dec, "65535", 65_535),
    (.dec, "0x10", 16),
  ])
  func aBeaconsNumberHasABase(_ base: BeaconNumberBase, _ text: String, _ number: UInt16) {
    #expect(base.number(text) == number)
  }

  @Test(arguments: ["+5", "-5", "0x+5", "65536", "0x", "0x10000", " 5", "g"])
  func invalidBeaconNumberIsRejected(_ text: String) {
    for base in [BeaconNumberBase.auto, .hex, .dec] where !(base == .hex && text == "65536") {
      #expect(base.number(text) == nil)
    }
    #expect(BeaconNumberBase.dec.number("1f") == nil)
  }

  @Test func aSpeedLimitIsRoundedAndBounded() {
    func limit(_ value: String) -> Int? { entry(#""tst":1,"speedLimit":\#(value)"#)?.speedLimit }
    #expect(limit("0") == 0 && limit("500.4") == 500 && limit(#""49.6""#) == 50)
    for value in ["-1", "500.5", "1e300", "[]"] {
      #expect(
        reason(#""tst":1,"speedLimit":\#(value)"#) == "speedLimit is not a number of km/h from 0 to 500")
    }
  }

  @Test func aDwellIsBoundedAndOfNoMatterWhereARegionGoes() {
    #expect(entry(#""tst":1,"rad":5,"dwell":86400"#)?.dwell == 86_400)
    #expect(entry(#""tst":1,"rad":5,"dwell":0"#)?.dwell == 0)
    let gone = entry(#""lat":-1000000,"dwell":"long""#)
    #expect(gone != nil && gone?.dwell == nil)
  }

  @Test func onlyATimelineMayLeaveTheTypeOut() {
    let bare: JSON = ["desc": "a", "tst": 1]
    #expect(Waypoints.decode(bare).entries.isEmpty)
    #expect(Waypoints.decode(bare, source: .file(written: 7)).entries.isEmpty)
    #expect(Waypoints.decode(bare, source: .timeline).entries.count == 1)
    #expect(Waypoints.decode(["_type": "x", "desc": "a"], source: .timeline).entries.isEmpty)
  }

  @Test func whetherATimelineIsInsideIsAFlag() {
    #expect(reason(#""inside":5"#, source: .timeline) == "inside is neither true nor false")
    #expect(entry(#""tst":1,"inside":5"#)?.presence == nil)
  }

  @Test func problemsBeyondTheLimitAreCounted() {
    let decoded = Waypoints.decode(
      [1, 2, ["_type": "waypoint", "desc": "a", "tst": 1], 3, 4], problemLimit: 2)
    #expect(decoded.problems.map(\.index) == [0, 1] && decoded.omitted == 2)
    #expect(decoded.entries.map(\.name) == ["a"])
    #expect(Waypoints.decode([1, 2]).omitted == 0)
    #expect(Waypoints.decode(["_type": "waypoints"]).problems.map(\.reason) == ["_type is not \"waypoint\""])
  }

  @Test func aRegionIsWrittenWithEverythingThatItHas() {
    var region = home
    (region.name, region.radius, region.created) = ("A", 0.3, 5)
    region.coordinate = Coordinate(latitude: 48.1234567, longitude: -0.0000001)!
    region.beacon = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
    (region.isShared, region.isPrivate, region.speedLimit, region.dwell) = (false, true, 50, 60)
    region.polygon = try? Polygon(
      [(48, 11), (49, 11), (48, 12.12345678)].map { Coordinate(latitude: $0.0, longitude: $0.1)! })
    let everything = """
      {"_type":"waypoint","desc":"A:\(uuid):1:2","dwell":60,"lat":48.123457,"lon":0.0,"major":1,\
      "minor":2,"polygon":[[11.0,48.0],[11.0,49.0],[12.1234568,48.0]],"private":true,"rad":1,\
      "rid":"e1f891","share":false,"speedLimit":50,"tst":5,"uuid":"\(uuid)"}
      """
    #expect(Waypoints.object(region).description == everything)
    let little = """
      {"_type":"waypoint","desc":"Home","lat":48.0,"lon":11.0,"rad":100,"rid":"e1f891","tst":1700000100}
      """
    #expect(Waypoints.object(home).description == little)
  }

  @Test(arguments: [(0.0, 0), (0.4, 1), (-0.4, -1), (0.6, 1), (-1.6, -2), (2e9, 1_000_000_000), (-2e9, -1)])
  func aRadiusIsWholeAndNeverRoundedAway(_ metres: Double, _ told: Int) throws {
    var region = home
    region.radius = metres
    #expect(try payload(encoder().encode(.waypoint(region)))["rad"]?.int == told)
  }
}
