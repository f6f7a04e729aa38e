import Model

/// Guards the place where the vehicle was parked. Only a vehicle that has really departed counts
/// (`Movement`): a receiver that wanders does not raise it.
///
///     off ──parked──▶ armed ──more than `metres` away     ──▶ off      tow alarm
///                       └────somebody has switched the ignition on──▶ off
///
/// Without a word about the ignition anyone driving away is taken for a thief: nothing that a receiver
/// hears tells them apart.
struct ParkingFence {
  enum Found: Hashable {
    case moved(from: TrackPoint, metres: Double)
    /// It is driven, not towed.
    case driven
  }

  private(set) var place: TrackPoint?

  init(_ stored: TrackPoint?) { place = stored }

  /// `parkingPlace`: where it stands for sure. `ignition`: nil while unknown.
  mutating func consider(
    _ fix: Fix, parkingPlace: TrackPoint?, isMoving: Bool, metres limit: Double, ignition: Bool?
  ) -> Found? {
    assert(parkingPlace == nil || !isMoving, "parked, and moving")
    if let parkingPlace {
      place = parkingPlace
      return nil
    }
    guard isMoving, let place else { return nil }
    let metres = place.coordinate.distance(to: fix.coordinate)
    assert(limit > 0, "a fence without a width is none")
    guard metres > limit, fix.accuracy <= max(limit, 50) else { return nil }
    self.place = nil
    return ignition == true ? .driven : .moved(from: place, metres: metres)
  }

  mutating func takeDown() { place = nil }
}
