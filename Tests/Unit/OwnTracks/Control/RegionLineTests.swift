import Model
import OwnTracks
import Testing

/// `region …`, option by option: what a person leaves out is not changed.
struct RegionLineTests {
  private func parse(_ words: String...) throws -> ControlRequest {
    try tracked(["region"] + words)
  }

  private func added(_ words: String...) throws -> WaypointEntry? {
    guard case .regionAdd(let entry, _) = try tracked(["region", "add"] + words) else { return nil }
    return entry
  }

  private func refusal(_ words: String...) -> String {
    do {
      _ = try tracked(["region"] + words)
      return "taken"
    } catch {
      return error.description
    }
  }

  @Test func setTakesEveryOption() throws {
    var edit = ControlRequest.RegionEdit()
    edit.name = "New"
    edit.coordinate = Coordinate(latitude: 1.5, longitude: -2)
    edit.radius = 150
    edit.beacon = BeaconIdentity(uuid: uuid, major: 7, minor: 8)
    (edit.isShared, edit.isPrivate, edit.speedLimit, edit.dwell) = (false, true, 50, 61)
    #expect(
      try parse(
        "set", "Home", "--name", "New", "--lat", "1.5", "--lon", "-2", "--radius", "150", "--uuid", uuid,
        "--major", "7", "--minor", "8", "--share", "no", "--private", "yes", "--speed-limit", "49.6",
        "--dwell", "60.5") == .regionSet(region: "Home", edit))
  }

  @Test func eachOptionOfSetIsEnough() throws {
    func changed(
      _ words: String..., to change: (inout ControlRequest.RegionEdit) -> Void,
      at place: SourceLocation = #_sourceLocation
    ) throws {
      var edit = ControlRequest.RegionEdit()
      change(&edit)
      let found = try tracked(["region", "set", "Home"] + words)
      #expect(found == .regionSet(region: "Home", edit), sourceLocation: place)
    }
    try changed("--here") { $0.isHere = true }
    try changed("--at", "1,2") { $0.coordinate = Coordinate(latitude: 1, longitude: 2) }
    try changed("--rad", "0") { $0.radius = 0 }
    try changed("--uuid", uuid) { $0.beacon = BeaconIdentity(uuid: uuid) }
    try changed("--no-share") { $0.isShared = false }
    try changed("--share", "1") { $0.isShared = true }
    try changed("--private", "true") { $0.isPrivate = true }
    try changed("--private", "false") { $0.isPrivate = false }
    try changed("--speed-limit", "0") { $0.speedLimit = 0 }
    try changed("--dwell", "86400") { $0.dwell = 86_400 }
  }

  @Test func aRegionMayBeAPlaceWithoutACircle() throws {
    #expect(
      try parse("add", "A", "--at", "1,2")
        == .regionAdd(
          WaypointEntry(name: "A", coordinate: Coordinate(latitude: 1, longitude: 2)), isHere: false))
    // Nameless, and here: the tracker knows better.
    #expect(try parse("add") == .regionAdd(WaypointEntry(name: "", coordinate: nil), isHere: true))
    #expect(try added("A", "--no-share")?.isShared == false)
  }

  /// Without a circle, and heard everywhere.
  @Test func onlyABeaconMayHaveARadiusBelowZero() throws {
    #expect(try added("A:\(uuid)", "--radius", "-1")?.radius == -1)
    #expect(try added("A", "--radius", "-1", "--uuid", uuid)?.radius == -1)
    #expect(refusal("add", "A", "--radius", "-1").hasPrefix("--radius is below 0, which only a region with"))
    #expect(
      refusal("add", "A", "--radius", "20037509")
        == #"--radius is "20037509"; expected a number from -20037508.0 to 20037508.0"#)
  }

  @Test func aPairIsTwoNumbersAndPerhapsBlanks() throws {
    #expect(
      try added("A", "--at", "48.1,  -11.5")?.coordinate == Coordinate(latitude: 48.1, longitude: -11.5))
    for pair in ["1", "1,2,3", "1,,2", ",1", "1,", "91,1", "a,b", "1;2"] {
      #expect(
        refusal("add", "A", "--at", pair)
          == "--at is \"\(pair)\"; expected LAT,LON in degrees, as in 48.1,11.5")
    }
  }

  @Test func aPlaceIsSaidOnce() {
    let both = "either --at or --lat and --lon"
    #expect(refusal("add", "A", "--at", "1,2", "--lat", "1") == both)
    #expect(refusal("add", "A", "--at", "1,2", "--lon", "1") == both)
    #expect(refusal("add", "A", "--lon", "1") == "--lat and --lon come together")
    #expect(
      refusal("set", "A", "--here", "--lat", "1", "--lon", "1") == "either --here or coordinates, not both")
    #expect(refusal("move", "A").hasPrefix("where to? expected: region move NAME (--here | --at LAT,LON"))
    #expect(refusal("set", "A").hasPrefix("nothing to change; expected: region set NAME"))
  }

  @Test func aNameHasALimitAndIsNotEmpty() throws {
    let longest = String(repeating: "n", count: 1024)
    #expect(try added(longest)?.name == longest)
    for name in ["", longest + "n"] {
      #expect(refusal("add", name) == "a region's name has 1 to 1024 bytes")
      #expect(refusal("set", "A", "--name", name) == "a region's name has 1 to 1024 bytes")
    }
  }

  @Test func theNumbersOfABeaconNeedOne() throws {
    #expect(refusal("add", "A", "--major", "5") == "--major and --minor need a --uuid")
    #expect(refusal("add", "A", "--minor", "5") == "--major and --minor need a --uuid")
    #expect(
      refusal("add", "A", "--uuid", uuid, "--major", "")
        == #"--major is ""; expected a number from 0 to 65535"#)
    #expect(
      refusal("add", "A", "--uuid", uuid, "--minor", "65536")
        == #"--minor is "65536"; expected a number from 0 to 65535"#)
    #expect(
      refusal("add", "A", "--uuid", "5") == #"--uuid is "5"; expected 8-4-4-4-12 hexadecimal digits"#)
    // What is said by an option counts.
    let other = "00000000-0000-0000-0000-000000000001"
    #expect(
      try added("A:\(uuid):1:2", "--uuid", other, "--minor", "0xB")?.beacon
        == BeaconIdentity(uuid: other, major: 1, minor: 11))
    #expect(try added("A:\(uuid):5:6")?.beacon == BeaconIdentity(uuid: uuid, major: 5, minor: 6))
  }

  @Test func aFileIsTakenWhereAnyOfItCanBe() throws {
    let good = #"{"_type":"waypoint","desc":"a","tst":1}"#
    #expect(
      try parse("import", good)
        == .regionImport([
          WaypointEntry(name: "a", coordinate: Coordinate(latitude: 0, longitude: 0), created: 1)
        ]))
    #expect(refusal("import", "[1]") == #"waypoints[0]: expected an object of _type "waypoint""#)
    #expect(refusal("import", "[1").hasPrefix("region import: not valid JSON: line 1, column"))
    // A file that is empty is no mistake.
    #expect(try parse("import", "[]") == .regionImport([]))
    #expect(refusal("import").hasPrefix("too few words"))
    #expect(
      refusal("paint") == #"unknown "paint" after region; expected: region list|add|set|move|rm|import"#)
  }

  // MARK: The words of any line

  @Test func anOptionsValueMayHoldAnything() throws {
    #expect(try tracked(["publish", "--poi=a=b=c"]) == .publish(poi: "a=b=c"))
    #expect(try tracked(["publish", "--poi="]) == .publish(poi: nil))
    #expect(try tracked(["publish", "--poi", "--json-like"]) == .publish(poi: "--json-like"))
    #expect(try tracked(["tag", ""]) == .tag(nil))
  }

  @Test func refusalNamesTheFaultAndTheUsage() {
    func refusal(_ words: String...) -> String {
      do {
        _ = try tracked(words)
        return "taken"
      } catch {
        return error.description
      }
    }
    let usage = "expected: publish [--poi TEXT [--image DATA --imagename NAME]]"
    #expect(refusal("publish", "--poi") == "--poi needs a value; " + usage)
    #expect(refusal("publish", "--pio=x") == "unknown option --pio=x; " + usage)
    #expect(refusal("publish", "--image", "QUJD") == "an image goes with a remark; " + usage)
    #expect(refusal("publish", "--poi", "a", "--image", "") == "--image is no base64")
    #expect(refusal("mode") == "too few words; expected: mode quiet|manual|significant|move (or -1, 0, 1, 2)")
    #expect(refusal("card", "--name", "").hasPrefix("no name; expected: card --name NAME"))
    #expect(refusal("settings", "set") == "too few words; expected: settings set KEY=VALUE ...")
    #expect(
      refusal("settings") == "settings: expected: settings show, settings set KEY=VALUE ... or settings clear"
    )
    #expect(refusal("reload", "now") == #"unexpected "now"; expected: reload"#)
  }

  @Test func aPictureHas64KilobytesAtMost() throws {
    let longest = String(repeating: "A", count: 87_384)
    #expect(
      try tracked(["publish", "--poi", "a", "--image", longest, "--imagename", "b"])
        == .publish(poi: "a", image: AttachedImage(data: longest, name: "b")))
    #expect(throws: ControlError("--face is larger than 65536 bytes")) {
      try tracked(["card", "--name", "Van", "--face", longest + "A"])
    }
  }
}
