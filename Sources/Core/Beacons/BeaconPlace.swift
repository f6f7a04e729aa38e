import Model
import Timebase

/// Where a region's beacon is, as far as positions show. A radio may freeze while a region is inside; no
/// beacon is heard from half a kilometre away.
struct BeaconPlace {
  /// Metres.
  static let farthest = 500.0
  /// Fixes less accurate than this teach no place, metres.
  static let worstAccuracy = 100.0

  /// Where the region is drawn; nil: at 0, 0, or the beacon was heard somewhere else.
  private(set) var drawn: Coordinate?
  /// The newest position at which the beacon was heard.
  private(set) var heardAt: Coordinate?
  private var stayBegan: Coordinate?
  /// The beacon travels with the board: distances mean nothing.
  private(set) var travels = false
  /// Mobile by a negative radius, or by a name that begins with +: it has no place, and learns none.
  private let isMobile: Bool

  init(_ region: Region) {
    isMobile = region.radius < 0 || region.isFollow
    drawn = isMobile || region.coordinate.isNull ? nil : region.coordinate
  }

  /// The beacon was heard with the board at `fix`.
  mutating func heard(at fix: Fix) {
    guard !isMobile, fix.accuracy <= Self.worstAccuracy else { return }
    if let drawn, Self.isFar(drawn, fix) { self.drawn = nil }
    if let stayBegan { travels = travels || Self.isFar(stayBegan, fix) } else { stayBegan = fix.coordinate }
    heardAt = fix.coordinate
  }

  mutating func left() {
    stayBegan = nil
    travels = false
  }

  /// Metres to the nearest place where the beacon may be; nil where that is unknown or means nothing.
  func distance(to place: Coordinate) -> Double? {
    assert(!isMobile || (drawn ?? heardAt) == nil, "what goes along has no place")
    guard !travels else { return nil }
    let distances = [drawn, heardAt].compactMap { $0?.distance(to: place) }
    return distances.min()
  }

  /// Distance to where the region is drawn, metres, if the board is certainly too far away to hear its beacon;
  /// nil: it may be there, or that place is not known.
  ///
  /// The range of a beacon is a hundred metres, with good antennas on both sides a few hundred, and people draw a
  /// region beside the building that the beacon is in: within a kilometre every advertisement is believed. The
  /// distance the board may have driven since the fix is added, at the speed of a fast train. A fix of unknown
  /// accuracy, or of one worse than that kilometre, proves nothing.
  func isBeyond(_ fix: Fix, age: Span) -> Double? {
    assert(age >= .zero, "a position that is yet to come")
    guard !travels, fix.accuracy <= Self.beyond, let drawn else { return nil }
    let metres = drawn.distance(to: fix.coordinate)
    return metres - fix.accuracy - age.seconds * Self.fastest > Self.beyond ? metres : nil
  }

  /// Metres.
  private static let beyond = 1000.0
  /// Metres a second.
  private static let fastest = 100.0

  private static func isFar(_ place: Coordinate, _ fix: Fix) -> Bool {
    place.distance(to: fix.coordinate) - fix.accuracy > farthest
  }
}
