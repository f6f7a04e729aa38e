import Model

/// Which places nobody is told (docs/behaviour.md, "Private regions").
extension RegionEngine {
  /// The private region that hides the board: it is inside, or a position is that nobody has confirmed yet. Nil: it may
  /// be told where the board is.
  func hidingRegion(at fix: Fix?) -> Region? {
    guard !hidingRegions.isEmpty else { return nil }
    for index in hidingRegions where tracked[index].presence.isWithin { return tracked[index].region }
    return fix.flatMap { hidingRegion(of: TrackPoint($0)) }
  }

  /// The private region that hides a place, wherever the board is now.
  func hidingRegion(of place: TrackPoint) -> Region? {
    if let circle = circle(hiding: place.coordinate) { return circle }
    guard place.isHidden else { return nil }
    // Of those whose beacon may have been heard there the one that is drawn nearest stands for it.
    let beacons = hidingRegions.lazy.map { tracked[$0].region }.filter { $0.kind == .beacon }
    return beacons.min {
      $0.coordinate.distance(to: place.coordinate) < $1.coordinate.distance(to: place.coordinate)
    }
  }

  /// Whether the board is beside a private region's beacon.
  var isBesidePrivateBeacon: Bool {
    hidingRegions.contains { tracked[$0].presence.isWithin && tracked[$0].region.kind == .beacon }
  }

  /// The private circle or area that a place lies in, wherever the board is.
  func circle(hiding coordinate: Coordinate) -> Region? {
    for index in hidingRegions {
      let region = tracked[index].region
      if region.kind == .circular, region.distanceBeyondEdge(coordinate) <= 0 {
        return region
      }
    }
    return nil
  }
}
