#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A place on WGS84. Always valid: the failing initialiser is the only door, so nobody further in
/// checks a latitude again.
public struct Coordinate: Hashable, Sendable {
  /// Degrees, -90...90, north positive.
  public let latitude: Double
  /// Degrees, -180...180, east positive.
  public let longitude: Double

  /// Nil when a number is not finite or out of range.
  public init?(latitude: Double, longitude: Double) {
    guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Where receivers without a fix claim to be: no tracker of ours is ever in the Gulf of Guinea.
  public var isNull: Bool { latitude == 0 && longitude == 0 }

  /// Great-circle distance in metres (haversine, mean earth radius of 6,371,008.8 m).
  public func distance(to other: Coordinate) -> Double {
    let radians = Double.pi / 180
    let halfDLat = (other.latitude - latitude) * radians / 2
    let halfDLon = (other.longitude - longitude) * radians / 2
    let a =
      sin(halfDLat) * sin(halfDLat) + cos(latitude * radians) * cos(other.latitude * radians)
      * sin(halfDLon) * sin(halfDLon)
    return 2 * 6_371_008.8 * asin(min(1, a.squareRoot()))
  }

  /// Where a straight line from `other` through here leads, `share` of its length further; nil: over a pole. For ways
  /// of a few kilometres.
  public func beyond(_ other: Coordinate, by share: Double) -> Coordinate? {
    var east = longitude - other.longitude
    if east.magnitude > 180 { east += east < 0 ? 360 : -360 }
    var there = longitude + east * share
    if there.magnitude > 180 { there += there < 0 ? 360 : -360 }
    return Coordinate(latitude: latitude + (latitude - other.latitude) * share, longitude: there)
  }

  /// How much shorter a degree of longitude is than one of latitude.
  public var latitudeCosine: Double { cos(latitude * .pi / 180) }

  /// A course in degrees from true north as shares of its length to the east and to the north.
  public static func direction(of course: Double) -> (east: Double, north: Double) {
    let angle = course * .pi / 180
    return (sin(angle), cos(angle))
  }

  /// Degrees from true north, 0..<360, of a straight line there; for ways of a few kilometres.
  public func bearing(to other: Coordinate) -> Double {
    let radians = Double.pi / 180
    var east = other.longitude - longitude
    if east.magnitude > 180 { east += east < 0 ? 360 : -360 }
    let degrees = atan2(east * cos(latitude * radians), other.latitude - latitude) / radians
    return degrees < 0 ? degrees + 360 : degrees
  }
}
