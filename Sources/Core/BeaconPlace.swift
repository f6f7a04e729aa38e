import Model

/// Where a region's beacon is, as far as positions can tell. A radio may freeze with the beacon in its
/// ears; nobody hears one from half a kilometre away (D-28).
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
  /// A negative radius says so from the start: it has no place, and learns none.
  private let isMobile: Bool

  init(_ region: Region) {
    isMobile = region.radius < 0
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
    guard !travels else { return nil }
    let distances = [drawn, heardAt].compactMap { $0?.distance(to: place) }
    return distances.min()
  }

  private static func isFar(_ place: Coordinate, _ fix: Fix) -> Bool {
    place.distance(to: fix.coordinate) - fix.accuracy > farthest
  }
}
