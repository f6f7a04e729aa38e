import Model
import OwnTracks
import Testing

struct WaypointsTests {
  private func decode(
    _ fields: String, base: BeaconNumberBase = .auto, source: Waypoints.Source = .message
  ) throws -> Waypoints.Decoded {
    let json = try JSON.parse("{\"_type\":\"waypoint\",\(fields)}")
    return Waypoints.decode(json, numberBase: base, source: source)
  }

  private func entry(_ fields: String, base: BeaconNumberBase = .auto) throws -> WaypointEntry? {
    try decode(fields, base: base).entries.first
  }

  private func beacon(_ desc: String, base: BeaconNumberBase = .auto) throws -> BeaconIdentity? {
    try entry("\"desc\":\"\(desc)\",\"tst\":1", base: base)?.beacon
  }

  @Test func moreThanABoardHasRoomForArePassedOver() throws {
    let one = #"{"_type":"waypoint","desc":"a","tst":1,"lat":1,"lon":1}"#
    let all = "[" + [String](repeating: one, count: 1003).joined(separator: ",") + "]"
    let decoded = Waypoints.decode(try JSON.parse(Array(all.utf8)))
    #expect(decoded.entries.count == 1000)
    #expect(
      decoded.problems.map(\.description)
        == ["waypoints[1000]: the last 3 of 1003 were skipped: at most 1000 are taken"])
  }

  @Test func plainEntry() throws {
    let entry = try entry(
      #""rid":"a1","desc":"home","lat":30,"lon":40.5,"rad":100,"tst":1708625557,"share":false"#)
    #expect(
      entry
        == WaypointEntry(
          rid: "a1", name: "home", coordinate: Coordinate(latitude: 30, longitude: 40.5), radius: 100,
          created: 1_708_625_557, isShared: false))
  }

  // behaviour: How regions come and go
  @Test func numericTexts() throws {
    let entry = try entry(#""desc":"h","lat":"30.5","lon":"-40","rad":"50","tst":"1700000000""#)
    #expect(entry?.coordinate == Coordinate(latitude: 30.5, longitude: -40))
    #expect(entry?.radius == 50 && entry?.created == 1_700_000_000)
  }

  @Test func absentNumbersAreZero() throws {
    let entry = try entry(#""desc":"h","tst":1"#)
    #expect(entry?.coordinate == Coordinate(latitude: 0, longitude: 0))
    #expect(entry?.radius == 0 && entry?.isShared == true && entry?.rid == nil)
  }

  // behaviour: How regions come and go
  /// An entry that was copied in an editor, with its id.
  @Test(arguments: [Waypoints.Source.message, .file(written: nil)])
  func anIdThatStandsTwiceIsNamed(_ source: Waypoints.Source) throws {
    let json = try JSON.parse(
      #"""
      [{"_type":"waypoint","desc":"Home","lat":43.5,"lon":16,"rad":100,"tst":1,"rid":"ab12cd"},
       {"_type":"waypoint","desc":"Office","lat":43.7,"lon":16,"rad":100,"tst":1,"rid":"ab12cd"},
       {"_type":"waypoint","desc":"Home","lat":-1000000,"lon":0,"rid":"ab12cd"},
       {"_type":"waypoint","desc":"Mill","lat":-1000000,"lon":0,"rid":"ab12cd"},
       {"_type":"waypoint","desc":"Barn","lat":43.7,"lon":16,"rad":100,"tst":1}]
      """#)
    let decoded = Waypoints.decode(json, source: source)
    #expect(decoded.entries.map(\.name) == ["Home", "Home", "Barn"])
    #expect(
      decoded.problems.map(\.description) == [
        #"waypoints[1] "Office": it has the rid of waypoints[0] "Home": give it one of its own, or none"#,
        #"waypoints[3] "Mill": it has the rid of waypoints[0] "Home": give it one of its own, or none"#,
      ])
  }

  // behaviour: How regions come and go
  @Test func aDeletionMark() throws {
    let entry = try entry(#""desc":"home","lat":-1000000,"lon":0"#)
    #expect(entry?.name == "home")
    #expect(entry?.coordinate == nil && entry?.created == nil)
  }

  @Test(arguments: [
    #""tst":1"#, #""desc":5,"tst":1"#, #""desc":"h""#, #""desc":"h","tst":"x""#, #""desc":"h","tst":-1"#,
    #""desc":"h","tst":1,"lat":"north""#, #""desc":"h","tst":1,"lon":null"#,
    #""desc":"h","tst":1,"rad":true"#,
    #""desc":"h","tst":1,"rad":"nan""#, #""desc":"h","tst":1,"share":"maybe""#,
    #""desc":"h","tst":1,"rid":5"#,
    #""desc":"h","tst":1,"uuid":"CA271EAE-5FA8-4E80-8F08-2A302A95A959","major":65536"#,
    #""desc":"h:CA271EAE-5FA8-4E80-8F08-2A302A95A959:70000","tst":1"#,
    #""desc":"h:CA271EAE-5FA8-4E80-8F08-2A302A95A959:1:2:3","tst":1"#,
  ])
  func badEntries(_ fields: String) throws {
    let decoded = try decode(fields)
    #expect(decoded.entries.isEmpty)
    #expect(decoded.problems.count == 1)
  }

  // behaviour: How regions come and go
  @Test func badEntriesCostOnlyThemselves() throws {
    let json = try JSON.parse(
      #"[{"_type":"waypoint","desc":"a","tst":1},7,{"_type":"cmd"},{"_type":"waypoint","desc":"b","tst":2}]"#)
    let decoded = Waypoints.decode(json)
    #expect(decoded.entries.map(\.name) == ["a", "b"])
    #expect(decoded.problems.map(\.index) == [1, 2])
  }

  // behaviour: Kinds and names
  @Test func beaconNumbersAreDecimalOrHexadecimal() throws {
    #expect(try beacon("X:\(uuid):0001:CAFE") == BeaconIdentity(uuid: uuid, major: 1, minor: 51966))
    #expect(try beacon("Y:\(uuid):0010")?.major == 10)
    #expect(try beacon("Y:\(uuid):0010", base: .hex)?.major == 16)
    #expect(try beacon("Z:\(uuid):0:7") == BeaconIdentity(uuid: uuid))
    #expect(try beacon("Z:\(uuid):0x10", base: .dec)?.major == 16)
    #expect(try decode("\"desc\":\"Z:\(uuid):CAFE\",\"tst\":1", base: .dec).entries.isEmpty)
  }

  @Test func suffixLeavesTheName() throws {
    let entry = try entry("\"desc\":\"Main|1|2:\(uuid.lowercased())\",\"tst\":1")
    #expect(entry?.name == "Main|1|2")
    #expect(entry?.beacon?.uuid == uuid)
  }

  // behaviour: Kinds and names
  @Test func colonsMayBelongToTheName() throws {
    #expect(try entry(#""desc":"Cafe: Rio:7","tst":1"#)?.name == "Cafe: Rio:7")
    let entry = try entry("\"desc\":\"A:B:\(uuid):5\",\"tst\":1")
    #expect(entry?.name == "A:B" && entry?.beacon?.major == 5)
  }

  @Test func keysWinOverTheSuffix() throws {
    let other = "00000000-0000-0000-0000-000000000001"
    let same = try entry("\"desc\":\"A:\(uuid):5:6\",\"tst\":1,\"major\":7")
    #expect(same?.beacon == BeaconIdentity(uuid: uuid, major: 7, minor: 6))
    let changed = try entry("\"desc\":\"A:\(uuid):5:6\",\"tst\":1,\"uuid\":\"\(other)\"")
    #expect(changed?.beacon == BeaconIdentity(uuid: other))
    #expect(changed?.name == "A")
  }

  @Test func anImpossibleUUIDIsRefusedByNameAndField() throws {
    let one = #"{"_type":"waypoint","desc":"Bad","tst":1,"uuid":"xx"}"#
    let other = #"{"_type":"waypoint","desc":"Good","tst":1,"rad":5,"uuid":"xx"}"#
    let decoded = Waypoints.decode(try JSON.parse("[\(one),\(other)]"))
    #expect(decoded.entries.map(\.name) == ["Good"])
    let text = decoded.problems.first?.description
    #expect(text == #"waypoints[0] "Bad": uuid is "xx", not 8-4-4-4-12 hexadecimal digits"#)
  }

  @Test func anEmptyUUIDIsNoBeacon() throws {
    let entry = try entry(#""desc":"A","tst":1,"uuid":"","major":5"#)
    #expect(entry != nil && entry?.beacon == nil)
  }

  @Test func wholeFile() throws {
    let json = try JSON.parse(#"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"a","tst":1}]}"#)
    #expect(Waypoints.decode(json).entries.count == 1)
    #expect(Waypoints.decode(["_type": "location"]).problems.count == 1)
  }

  @Test func onlyTimelinesSayInside() throws {
    let fields = #""desc":"a","tst":1,"inside":true"#
    #expect(try decode(fields).entries.first?.presence == nil)
    #expect(try decode(fields, source: .timeline).entries.first?.presence == .inside)
    #expect(try decode(#""desc":"a""#, source: .timeline).entries.first?.presence == .unknown)
    let bare = Waypoints.decode(["desc": "a", "inside": false], source: .timeline)
    #expect(bare.entries.first?.presence == .outside)
  }

  @Test func exportReadsBack() throws {
    var beacon = home
    (beacon.rid, beacon.name) = ("k", "-Keys|1|2")
    beacon.radius = -1
    beacon.isShared = false
    beacon.beacon = BeaconIdentity(uuid: uuid, major: 10, minor: 11)
    let decoded = Waypoints.decode(try JSON.parse(Waypoints.file([home, beacon])))
    #expect(decoded.problems.isEmpty)
    let back = decoded.entries.map { entry in
      Region(
        rid: entry.rid!, name: entry.name, coordinate: entry.coordinate!, radius: entry.radius,
        beacon: entry.beacon, created: entry.created!, isShared: entry.isShared)
    }
    #expect(back == [home, beacon])
  }

  @Test(arguments: [BeaconNumberBase.auto, .hex, .dec])
  func exportReadsBackInEveryNumberBase(_ base: BeaconNumberBase) throws {
    var region = home
    region.beacon = BeaconIdentity(uuid: uuid, major: 10, minor: 51_966)
    let decoded = Waypoints.decode(Waypoints.array([region]), numberBase: base)
    #expect(decoded.entries.map(\.beacon) == [region.beacon])
  }

  @Test func aNumberInTheTextIsWrongWhereNoKeyReplacesIt() throws {
    let text = "\"desc\":\"h:\(uuid):1:70000\",\"tst\":1"
    #expect(try decode(text).entries.isEmpty)
    #expect(try entry(text + ",\"minor\":7")?.beacon == BeaconIdentity(uuid: uuid, major: 1, minor: 7))
  }

  @Test func exportOfTheLongestNameReadsBack() throws {
    var region = home
    region.name = String(repeating: "n", count: 1024)
    region.beacon = BeaconIdentity(uuid: uuid, major: 65_535, minor: 65_535)
    #expect(Waypoints.decode(Waypoints.array([region])).entries.map(\.name) == [region.name])
    region.name += "n"
    #expect(Waypoints.decode(Waypoints.array([region])).entries.isEmpty)
  }

  @Test func problemsReadWell() throws {
    let problem = try decode(#""desc":"Home","tst":1,"lat":"x""#).problems[0]
    #expect(problem.description == #"waypoints[0] "Home": lat is not a number"#)
  }
}
