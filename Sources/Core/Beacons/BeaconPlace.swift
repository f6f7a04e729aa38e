import Model
import Timebase

/// Where a region's beacon is, as far as positions can tell. A radio may freeze with the beacon in its
/// ears; nobody hears one from half a kilometre away.
struct BeaconPlace {
  /// Metres.
  static let farthest = 500.0
  /// Positions worse than this teach no places, metres.
  static let worstAccuracy = 100.0

  /// Where the region is drawn; nil: at 0, 0, or the beacon was heard somewhere else.
  private(set) var drawn: Coordinate?
  /// The newest position at which it was heard.
  private(set) var heardAt: Coordinate?
  private var stayBegan: Coordinate?
  /// It goes with the board: no distance says anything.
  private(set) var travels = false
  /// A negative radius, or a name that begins with +, says so from the start: it has no place, and learns none.
  private let isMobile: Bool

  init(_ region: Region) {
    isMobile = region.radius < 0 || region.isFollow
    drawn = isMobile || region.coordinate.isNull ? nil : region.coordinate
  }

  /// The beacon was heard while the board was there.
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

  /// Metres to the nearest place where it may be; nil where that is unknown or means nothing.
  func distance(to place: Coordinate) -> Double? {
    assert(!isMobile || (drawn ?? heardAt) == nil, "what goes along has no place")
    guard !travels else { return nil }
    let distances = [drawn, heardAt].compactMap { $0?.distance(to: place) }
    return distances.min()
  }

  /// How far beyond the accuracy the board surely is from where the region is drawn, metres; nil: it may be
  /// there, or that place is not known.
  ///
  /// A radio carries a hundred metres, with good antennas on both sides a few hundred, and people draw a region
  /// beside the building that the beacon is in: within a kilometre nothing is held against an advertisement.
  /// What the board may have driven since the fix comes on top, at the speed of a fast train. A receiver that
  /// does not know how well it knows where it is (or is worse than that kilometre) knows nothing.
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
