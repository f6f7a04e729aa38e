import Model

/// `region list|add|set|move|rm|import`.
enum RegionWords {
  private static let commands = "region list|add|set|move|rm|import"
  private static let placeWords = "--here | --at LAT,LON | --lat N --lon N"
  private static let beaconWords = "[--uuid U [--major N [--minor N]]]"
  private static let placeOptions: Set = ["--lat", "--lon", "--at"]
  private static let shapeOptions: Set = [
    "--radius", "--rad", "--uuid", "--major", "--minor", "--share", "--speed-limit", "--private",
    "--dwell",
  ]
  /// Half the way around the earth, in metres: a larger circle is everywhere.
  private static let radii = -20_037_508.0...20_037_508.0

  static func parse(
    _ words: ArraySlice<String>, _ base: BeaconNumberBase
  ) throws(ControlError) -> ControlRequest {
    let rest = words.dropFirst()
    switch words.first {
    case "list": return try rest.standingFor(.regionList, "region list")
    case "add": return try add(rest, base)
    case "set": return try set(rest, base)
    case "move": return try move(rest)
    case "rm": return .regionRemove(region: try RequestWords(rest, usage: "region rm NAME").operands(1)[0])
    case "import": return try importing(rest, base)
    case let word: throw ControlError("unknown \"\(word ?? "")\" after region; expected: \(commands)")
    }
  }

  private static func add(
    _ words: ArraySlice<String>, _ base: BeaconNumberBase
  ) throws(ControlError) -> ControlRequest {
    let usage =
      "region add [NAME] [\(placeWords)] [--radius M] \(beaconWords) [--no-share] [--speed-limit N] "
      + "[--private yes|no] [--dwell S] [--rid R] [--tst N]"
    let line = try RequestWords(
      words, valued: placeOptions.union(shapeOptions).union(["--rid", "--tst"]),
      flags: ["--here", "--no-share"], usage: usage)
    // Nobody says how it is called: the tracker names it after its id.
    let suffix = line.operands.isEmpty ? nil : try suffix(try line.operands(1)[0], base)
    let place = try place(line)
    let beacon = try beacon(line, suffix)
    let radius = try line.number("--radius", "--rad", within: radii) ?? 0
    guard radius >= 0 || beacon != nil else {
      throw ControlError(
        "--radius is below 0, which only a region with --uuid may have; expected metres, 0 or more")
    }
    let entry = WaypointEntry(
      rid: line.value("--rid"), name: suffix?.name ?? "", coordinate: place, radius: radius, beacon: beacon,
      created: try line.number("--tst", within: 0...Double(WaypointFields.lastSecond)).map { Int($0) },
      isShared: try share(line) ?? true, speedLimit: try speedLimit(line),
      isPrivate: try flag(line, "--private"), dwell: try dwell(line))
    // Nobody says where: it is here.
    return .regionAdd(entry, isHere: place == nil)
  }

  private static func set(
    _ words: ArraySlice<String>, _ base: BeaconNumberBase
  ) throws(ControlError) -> ControlRequest {
    let usage =
      "region set NAME [--name NEW] [--radius M] [\(placeWords)] \(beaconWords) [--share yes|no] "
      + "[--speed-limit N] [--private yes|no] [--dwell S]"
    let line = try RequestWords(
      words, valued: placeOptions.union(shapeOptions).union(["--name"]), flags: ["--here", "--no-share"],
      usage: usage)
    let region = try line.operands(1)[0]
    let suffix = try line.value("--name").map { text throws(ControlError) in try Self.suffix(text, base) }
    var edit = ControlRequest.RegionEdit()
    edit.name = suffix?.name
    edit.coordinate = try place(line)
    edit.isHere = line.has("--here")
    edit.radius = try line.number("--radius", "--rad", within: radii)
    edit.beacon = try beacon(line, suffix)
    edit.isShared = try share(line)
    edit.speedLimit = try speedLimit(line)
    edit.isPrivate = try flag(line, "--private")
    edit.dwell = try dwell(line)
    guard edit != ControlRequest.RegionEdit() else {
      throw ControlError("nothing to change; expected: \(usage)")
    }
    return .regionSet(region: region, edit)
  }

  private static func move(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    let usage = "region move NAME (\(placeWords))"
    let line = try RequestWords(words, valued: placeOptions, flags: ["--here"], usage: usage)
    let region = try line.operands(1)[0]
    var edit = ControlRequest.RegionEdit()
    edit.coordinate = try place(line)
    edit.isHere = line.has("--here")
    guard edit.isHere || edit.coordinate != nil else { throw ControlError("where to? expected: \(usage)") }
    return .regionSet(region: region, edit)
  }

  /// The text of a waypoints file, an array or one waypoint.
  private static func importing(
    _ words: ArraySlice<String>, _ base: BeaconNumberBase
  ) throws(ControlError) -> ControlRequest {
    let text = try RequestWords(words, usage: "region import JSON").operands(1)[0]
    let json: JSON
    do {
      json = try JSON.parse(Array(text.utf8), limit: ConfigurationFile.limit)
    } catch {
      throw ControlError("region import: not valid JSON: \(error)")
    }
    let decoded = Waypoints.decode(json, numberBase: base, source: .file(written: nil))
    if decoded.entries.isEmpty, let problem = decoded.problems.first { throw ControlError("\(problem)") }
    return .regionImport(decoded.entries)
  }

  // MARK: - Pieces

  private static func place(_ line: RequestWords) throws(ControlError) -> Coordinate? {
    var latitude = try line.number("--lat", within: -90...90)
    var longitude = try line.number("--lon", within: -180...180)
    if let text = line.value("--at") {
      guard latitude == nil, longitude == nil else { throw ControlError("either --at or --lat and --lon") }
      let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
        String(part.drop { $0 == " " })
      }
      latitude = parts.count == 2 ? DecimalText.number(parts[0]) : nil
      longitude = parts.count == 2 ? DecimalText.number(parts[1]) : nil
      guard let latitude, let longitude, let place = Coordinate(latitude: latitude, longitude: longitude)
      else {
        throw ControlError("--at is \"\(text)\"; expected LAT,LON in degrees, as in 48.1,11.5")
      }
      return try unlessHere(line, place)
    }
    switch (latitude, longitude) {
    case (nil, nil): return nil
    case (let latitude?, let longitude?):
      return try unlessHere(line, Coordinate(latitude: latitude, longitude: longitude))
    case (nil, _?), (_?, nil): throw ControlError("--lat and --lon come together")
    }
  }

  private static func unlessHere(_ line: RequestWords, _ place: Coordinate?) throws(ControlError)
    -> Coordinate?
  {
    if line.has("--here") { throw ControlError("either --here or coordinates, not both") }
    return place
  }

  private static func suffix(
    _ name: String, _ base: BeaconNumberBase
  ) throws(ControlError) -> BeaconSuffix {
    guard !name.isEmpty, name.utf8.count <= WaypointFields.longestName else {
      throw ControlError("a region's name has 1 to \(WaypointFields.longestName) bytes")
    }
    do {
      return try BeaconSuffix(name, base: base)
    } catch {
      throw ControlError("the beacon in \"\(name)\" is wrong; expected NAME:UUID[:MAJOR[:MINOR]]")
    }
  }

  /// Options win over the name's suffix.
  private static func beacon(_ line: RequestWords, _ suffix: BeaconSuffix?) throws(ControlError)
    -> BeaconIdentity?
  {
    let major = try beaconNumber(line, "--major") ?? suffix?.major
    let minor = try beaconNumber(line, "--minor") ?? suffix?.minor
    guard let uuid = line.value("--uuid") ?? suffix?.uuid else {
      guard major == nil, minor == nil else { throw ControlError("--major and --minor need a --uuid") }
      return nil
    }
    guard let beacon = BeaconIdentity(uuid: uuid, major: major, minor: minor) else {
      throw ControlError("--uuid is \"\(uuid)\"; expected 8-4-4-4-12 hexadecimal digits")
    }
    return beacon
  }

  private static func beaconNumber(_ line: RequestWords, _ name: String) throws(ControlError) -> UInt16? {
    guard let text = line.value(name) else { return nil }
    guard !text.isEmpty, let number = BeaconNumberBase.auto.number(text) else {
      throw ControlError("\(name) is \"\(text)\"; expected a number from 0 to 65535")
    }
    return number
  }

  /// Whole kilometres an hour.
  private static func speedLimit(_ line: RequestWords) throws(ControlError) -> Int? {
    let speeds = WaypointFields.speeds
    let limits = Double(speeds.lowerBound)...Double(speeds.upperBound)
    return try line.number("--speed-limit", within: limits).map { Int($0.rounded()) }
  }

  /// Whole seconds.
  private static func dwell(_ line: RequestWords) throws(ControlError) -> Int? {
    let dwells = WaypointFields.dwells
    let limits = Double(dwells.lowerBound)...Double(dwells.upperBound)
    return try line.number("--dwell", within: limits).map { Int($0.rounded()) }
  }

  private static func share(_ line: RequestWords) throws(ControlError) -> Bool? {
    try flag(line, "--share") ?? (line.has("--no-share") ? false : nil)
  }

  private static func flag(_ line: RequestWords, _ name: String) throws(ControlError) -> Bool? {
    switch line.value(name) {
    case nil: return nil
    case "yes", "true", "1": return true
    case "no", "false", "0": return false
    case let text?: throw ControlError("\(name) is \"\(text)\"; expected yes or no")
    }
  }
}
