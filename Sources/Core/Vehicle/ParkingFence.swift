import Model

/// Guards the place where the vehicle was parked. Only a vehicle that has really departed counts
/// (`Movement`): a receiver that wanders does not raise it.
///
///     off ──parked──▶ armed ──more than `metres` away, and it may be told──▶ off      tow alarm
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

  /// `parkingPlace`: where it stands for sure. `ignition`: nil while unknown. `isHidden`: a private region hides where it
  /// is, and the alarm waits until it is out of that: else a theft from there would never be told.
  mutating func consider(
    _ fix: Fix, parkingPlace: TrackPoint?, isMoving: Bool, metres limit: Double, ignition: Bool?,
    isHidden: Bool
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
    guard !isHidden || ignition == true else { return nil }
    self.place = nil
    return ignition == true ? .driven : .moved(from: place, metres: metres)
  }

  mutating func takeDown() { place = nil }
}
