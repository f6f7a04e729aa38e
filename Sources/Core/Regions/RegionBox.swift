import Model

/// Degrees; a fix outside of it cannot be inside the region. Ten thousand of these are walked in the
/// time of one libgps report, so far regions cost nothing more: 16 bytes each, rounded outwards.
struct RegionBox {
  var south: Float
  var north: Float
  var west: Float
  var east: Float

  /// Looked at in any case: inside, unknown or half-way over.
  static let open = RegionBox(south: -.infinity, north: .infinity, west: -.infinity, east: .infinity)
  /// Never looked at: no circle.
  private static let closed = RegionBox(
    south: .infinity, north: -.infinity, west: .infinity, east: -.infinity)

  private init(south: Float, north: Float, west: Float, east: Float) {
    (self.south, self.north, self.west, self.east) = (south, north, west, east)
  }

  init(_ entry: RegionEngine.Tracked) { self = Self.box(of: entry) }

  func covers(_ other: RegionBox) -> Bool {
    south <= other.south && north >= other.north && west <= other.west && east >= other.east
  }

  private static func box(of entry: RegionEngine.Tracked) -> RegionBox {
    guard entry.region.isMonitored, entry.region.kind == .circular else { return .closed }
    guard entry.presence == .outside, entry.contradicting == 0 else { return .open }
    let (latitude, longitude) = (entry.region.coordinate.latitude, entry.region.coordinate.longitude)
    // A degree of latitude is 111 km; a degree of longitude shrinks to nothing at the poles, and boxes
    // that would touch a pole or the date line stay open instead.
    let height = entry.region.radius / 110_000 + 0.0001
    let scale = 1 - latitude.magnitude / 90  // never more than the cosine
    let width = height / max(scale, 0.0001)
    let isOdd = (latitude.magnitude + height > 85) || (longitude.magnitude + width > 179)
    guard !isOdd else { return .open }
    return RegionBox(
      south: Float(latitude - height).nextDown, north: Float(latitude + height).nextUp,
      west: Float(longitude - width).nextDown, east: Float(longitude + width).nextUp)
  }
}
