#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An area with straight edges between its corners, as a person draws it on a map. It may lie across the date line,
/// not around a pole. Edges that cross each other make what map programs make of them: a point is inside where a line
/// from it outwards crosses an odd number of edges.
public struct Polygon: Hashable, Sendable {
  /// Why corners are no polygon.
  public enum Refusal: Error, Hashable, Sendable {
    /// Three different ones make the smallest area.
    case tooFewCorners
    /// More than `most`.
    case tooManyCorners
    /// It has no inside that a flat map could show.
    case aroundPole
    /// Wider or higher than `widest`.
    case tooLarge
  }

  /// Each fix nearby looks at every edge.
  public static let most = 1000
  /// Degrees from north to south or from west to east; no place is larger, and a corner with a digit too few is.
  public static let widest = 30.0

  /// In 10⁻⁷ degrees, the precision of a centimetre: half the room of two doubles.
  private struct Corner: Hashable, Sendable {
    var latitude: Int32
    var longitude: Int32
  }

  private let ring: [Corner]

  /// In order, either way round; the first may be repeated at the end, as GeoJSON does.
  public init(_ corners: [Coordinate]) throws(Refusal) {
    var ring: [Corner] = []
    for place in corners {
      let corner = Corner(latitude: Self.packed(place.latitude), longitude: Self.packed(place.longitude))
      if corner != ring.last { ring.append(corner) }
    }
    while ring.count > 1, ring.last == ring.first { ring.removeLast() }
    guard Set(ring).count >= 3 else { throw .tooFewCorners }
    guard ring.count <= Self.most else { throw .tooManyCorners }
    self.ring = ring
    let extent = extent
    guard extent.isClosed else { throw .aroundPole }
    guard extent.north - extent.south <= Self.widest, extent.east - extent.west <= Self.widest else {
      throw .tooLarge
    }
  }

  private static func packed(_ degrees: Double) -> Int32 { Int32((degrees * 1e7).rounded()) }

  /// Of `corners`, without making them.
  public var cornerCount: Int { ring.count }

  /// In the order in which they were given, the first once.
  public var corners: [Coordinate] {
    ring.compactMap { Coordinate(latitude: Double($0.latitude) / 1e7, longitude: Double($0.longitude) / 1e7) }
  }

  /// The circle around it, for whom it is all that a region can be: its centre, and metres.
  public var circle: (centre: Coordinate, radius: Double)? {
    let extent = extent
    var longitude = (extent.west + extent.east) / 2
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    let latitude = (extent.south + extent.north) / 2
    guard let centre = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
    return (centre, corners.map { centre.distance(to: $0) }.max() ?? 0)
  }

  /// Metres from the nearest edge, below 0 inside. Exact to a thousandth near an edge; far away it is only far.
  public func distance(from place: Coordinate) -> Double {
    let radians = Double.pi / 180
    let metresNorth = 6_371_008.8 * radians
    let metresEast = metresNorth * cos(place.latitude * radians)
    var nearest = Double.infinity
    var isInside = false
    // Everything is seen from the place: it is at 0, 0, and no edge is ever the long way round the Earth.
    var (east, north) = seen(ring[ring.count - 1], from: place)
    for corner in ring {
      var (nextEast, nextNorth) = seen(corner, from: place)
      while nextEast - east > 180 { nextEast -= 360 }
      while nextEast - east < -180 { nextEast += 360 }
      if (north > 0) != (nextNorth > 0), east + (nextEast - east) * north / (north - nextNorth) > 0 {
        isInside.toggle()
      }
      let from = (x: east * metresEast, y: north * metresNorth)
      let to = (x: nextEast * metresEast, y: nextNorth * metresNorth)
      nearest = min(nearest, Self.distance(from, to))
      (east, north) = (nextEast, nextNorth)
    }
    return isInside ? -nearest : nearest
  }

  /// Degrees; longitudes follow on from each other and may leave -180...180.
  private var extent: (south: Double, north: Double, west: Double, east: Double, isClosed: Bool) {
    var longitude = Double(ring[0].longitude) / 1e7
    let start = longitude
    var (west, east) = (longitude, longitude)
    var (south, north) = (Double.infinity, -Double.infinity)
    for index in 0...ring.count {
      let corner = ring[index % ring.count]
      let latitude = Double(corner.latitude) / 1e7
      longitude += Self.turn(Double(corner.longitude) / 1e7 - longitude)
      (south, north) = (min(south, latitude), max(north, latitude))
      (west, east) = (min(west, longitude), max(east, longitude))
    }
    return (south, north, west, east, (longitude - start).magnitude < 1)
  }

  /// The shorter way round, -180...180.
  private static func turn(_ degrees: Double) -> Double {
    var degrees = degrees.truncatingRemainder(dividingBy: 360)
    if degrees > 180 { degrees -= 360 }
    if degrees < -180 { degrees += 360 }
    return degrees
  }

  private func seen(_ corner: Corner, from place: Coordinate) -> (east: Double, north: Double) {
    (
      Self.turn(Double(corner.longitude) / 1e7 - place.longitude),
      Double(corner.latitude) / 1e7 - place.latitude
    )
  }

  /// From 0, 0 to the line between two points.
  private static func distance(_ from: (x: Double, y: Double), _ to: (x: Double, y: Double)) -> Double {
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    let square = dx * dx + dy * dy
    let share = square > 0 ? min(1, max(0, -(from.x * dx + from.y * dy) / square)) : 0
    let (x, y) = (from.x + share * dx, from.y + share * dy)
    return (x * x + y * y).squareRoot()
  }
}
