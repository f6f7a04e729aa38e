import Model

/// One waypoint object, field by field.
struct WaypointFields {
  struct Refusal: Error {
    var reason: String
  }

  /// Names and rids go into every message; no real one comes near.
  static let longestName = 1024
  static let longestRid = 200
  /// The limit of 32 bits; an `Int` of a 32-bit board holds even less.
  static let lastSecond = Int(clamping: UInt32.max)

  /// Degrees; a file deletes with them and with no other.
  static let deletion = -1_000_000.0

  /// Kilometres an hour; 0: no limit.
  static let speeds = 0...500
  /// Seconds, a day of them; 0: no dwell.
  static let dwells = 0...86_400

  private let json: JSON
  private let source: Waypoints.Source

  init(_ json: JSON, _ source: Waypoints.Source) throws(Refusal) {
    guard json.members != nil else { throw Refusal(reason: "expected an object of _type \"waypoint\"") }
    let type = json["_type"]
    guard type?.text == "waypoint" || (type == nil && source == .timeline) else {
      throw Refusal(reason: "_type is not \"waypoint\"")
    }
    self.json = json
    self.source = source
  }

  func entry(_ base: BeaconNumberBase) throws(Refusal) -> WaypointEntry {
    guard let text = json["desc"]?.text else { throw Refusal(reason: "desc is missing or not a text") }
    let suffix = try self.suffix(of: text, base)
    guard suffix.name.utf8.count <= Self.longestName else {
      throw Refusal(reason: "the name in desc is longer than \(Self.longestName) bytes")
    }
    var coordinate = try coordinate()
    var radius = try number("rad")
    let polygon = try polygon()
    // Its circle follows from its corners.
    if coordinate != nil, let circle = polygon?.publishedCircle {
      (coordinate, radius) = (circle.centre, circle.radius)
    }
    let beacon = try beacon(suffix, base, matters: coordinate != nil && radius <= 0)
    if case .file = source, coordinate != nil, radius < 0, beacon == nil {
      throw Refusal(reason: "rad is below 0, which only a region with a beacon's uuid may have")
    }
    let created = try created(isDeletion: coordinate == nil)
    return WaypointEntry(
      rid: try rid(), name: suffix.name, coordinate: coordinate, radius: radius, beacon: beacon,
      created: created, written: created == nil && coordinate != nil ? written : nil,
      isShared: try flag("share") ?? true, speedLimit: try speedLimit(), polygon: polygon,
      isPrivate: try flag("private"), dwell: try dwell(suffix.name, radius, isDeletion: coordinate == nil),
      presence: try presence())
  }

  private func suffix(of text: String, _ base: BeaconNumberBase) throws(Refusal) -> BeaconSuffix {
    do {
      return try BeaconSuffix(text, base: base, known: (major: has("major"), minor: has("minor")))
    } catch {
      switch error {
      case .number(let part):
        throw Refusal(reason: "desc: the beacon number \"\(part)\" is not one of 0 to 65535")
      case .tooManyParts: throw Refusal(reason: "desc: more than name:UUID:major:minor")
      }
    }
  }

  private func has(_ key: String) -> Bool { json[key].map { !$0.isNull } ?? false }

  /// Out of range marks a deletion: `Coordinate` has no such place.
  private func coordinate() throws(Refusal) -> Coordinate? {
    let (latitude, longitude) = (try number("lat"), try number("lon"))
    if let place = Coordinate(latitude: latitude, longitude: longitude) { return place }
    guard case .file = source, latitude != Self.deletion, longitude != Self.deletion else { return nil }
    let isLatitude = latitude.magnitude > 90
    throw Refusal(
      reason:
        "\(isLatitude ? "lat" : "lon") is \(json[isLatitude ? "lat" : "lon"]?.description ?? ""), expected "
        + "\(isLatitude ? "-90 to 90" : "-180 to 180") (-1000000 deletes the region)")
  }

  /// The date of an entry that has none of its own.
  private var written: Int? {
    guard case .file(let written?) = source else { return nil }
    return min(max(written, 0), Self.lastSecond)
  }

  /// Absent is 0; texts that hold a number are as good as numbers.
  private func number(_ key: String) throws(Refusal) -> Double {
    guard let value = json[key] else { return 0 }
    guard let number = value.double ?? value.text.flatMap(DecimalText.number), number.isFinite else {
      throw Refusal(reason: "\(key) is not a number")
    }
    return number
  }

  private func created(isDeletion: Bool) throws(Refusal) -> Int? {
    guard json["tst"] != nil else {
      if isDeletion { return nil }
      if source == .timeline { return 0 }
      guard written != nil else { throw Refusal(reason: "tst is missing") }
      return nil
    }
    var seconds = try number("tst")
    // Some versions of the Android app have exported milliseconds.
    if seconds >= Double(Self.lastSecond) + 1 { seconds /= 1000 }
    guard let whole = Int(exactly: seconds.rounded(.towardZero)), (0...Self.lastSecond).contains(whole) else {
      throw Refusal(reason: "tst is not a time in Unix seconds")
    }
    return whole
  }

  private func rid() throws(Refusal) -> String? {
    guard let value = json["rid"], !value.isNull else { return nil }
    guard let text = value.text, text.utf8.count <= Self.longestRid else {
      throw Refusal(reason: "rid is not a text of at most \(Self.longestRid) bytes")
    }
    return text.isEmpty ? nil : text
  }

  /// The object's own keys win over the suffix. An empty UUID is none; one that is impossible is refused
  /// where it `matters`: a circle has no use for it.
  private func beacon(
    _ suffix: BeaconSuffix, _ base: BeaconNumberBase, matters: Bool
  ) throws(Refusal) -> BeaconIdentity? {
    let field = json["uuid"]?.text.flatMap { BeaconIdentity(uuid: $0)?.uuid }
    if matters, field == nil, let value = json["uuid"], !value.isNull, value != "" {
      throw Refusal(
        reason: "uuid is \(ConfigurationFile.brief(value.description)), not 8-4-4-4-12 hexadecimal digits")
    }
    // Numbers in the text belong to the UUID in the text.
    let isSame = field == nil || field == suffix.uuid?.uppercased()
    let major = try beaconNumber("major", base) ?? (isSame ? suffix.major : nil)
    let minor = try beaconNumber("minor", base) ?? (isSame ? suffix.minor : nil)
    guard let uuid = field ?? suffix.uuid else { return nil }
    return BeaconIdentity(uuid: uuid, major: major, minor: minor)
  }

  private func beaconNumber(_ key: String, _ base: BeaconNumberBase) throws(Refusal) -> UInt16? {
    guard let value = json[key], !value.isNull else { return nil }
    let number = value.int.map { UInt16(exactly: $0) } ?? value.text.map { base.number($0) } ?? nil
    guard let number else { throw Refusal(reason: "\(key) is not a number of 0 to 65535") }
    return number
  }

  /// Nil: it is not said.
  private func flag(_ key: String) throws(Refusal) -> Bool? {
    guard let value = json[key], !value.isNull else { return nil }
    guard let flag = ConfigurationValue.flag(value) else {
      throw Refusal(reason: "\(key) is neither true nor false")
    }
    return flag
  }

  /// Absent is not 0: phones that send a region back have dropped the key.
  private func speedLimit() throws(Refusal) -> Int? {
    guard let value = json["speedLimit"], !value.isNull else { return nil }
    let number = value.double ?? value.text.flatMap(DecimalText.number)
    guard let number, let limit = Int(exactly: number.rounded()), Self.speeds.contains(limit) else {
      throw Refusal(reason: "speedLimit is not a number of km/h from 0 to 500")
    }
    return limit
  }

  /// Absent is not 0, either.
  private func dwell(_ name: String, _ radius: Double, isDeletion: Bool) throws(Refusal) -> Int? {
    guard let value = json["dwell"], !value.isNull, !isDeletion else { return nil }
    let number = value.double ?? value.text.flatMap(DecimalText.number)
    guard let number, let dwell = Int(exactly: number.rounded()), Self.dwells.contains(dwell) else {
      throw Refusal(
        reason:
          "dwell is \(ConfigurationFile.brief(value.description)), not a number of seconds from 0 to 86400")
    }
    guard dwell == 0 || (radius > 0 && name.utf8.first != UInt8(ascii: "+")) else {
      throw Refusal(
        reason: "a dwell is only for a circle or an area that does not follow the board")
    }
    return dwell
  }

  /// Absent is not none: phones that send a region back have dropped the key.
  private func polygon() throws(Refusal) -> Polygon? {
    guard let value = json["polygon"], !value.isNull else { return nil }
    do {
      return try PolygonCorners.decode(value)
    } catch {
      throw Refusal(reason: error.reason)
    }
  }

  private func presence() throws(Refusal) -> Presence? {
    guard source == .timeline else { return nil }
    guard let value = json["inside"], !value.isNull else { return .unknown }
    guard let flag = value.flag else { throw Refusal(reason: "inside is neither true nor false") }
    return flag ? .inside : .outside
  }
}
