import Model
import Timebase

/// The last fixes that this life of the process heard: what a crossing is confirmed by.
struct RecentFixes {
  struct Heard {
    var time: WallTime
    var place: Coordinate
    var accuracy: Double
    /// By the world's clock.
    var arrived: WallTime
  }

  private static let most = 12
  private(set) var heard: [Heard] = []

  /// One from the future is not believed.
  mutating func hear(_ reading: Reading, at truth: WallTime) {
    guard reading.mode >= 2, let time = reading.time, time <= truth,
      heard.last.map({ $0.time < time }) ?? true,
      let latitude = reading.latitude, let longitude = reading.longitude, let accuracy = reading.eph,
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return }
    heard.append(Heard(time: time, place: place, accuracy: accuracy, arrived: truth))
    if heard.count > Self.most { heard.removeFirst() }
  }

  /// What one fix says of a circle; nil: it is too poor to say anything.
  private static func side(_ heard: Heard, of region: Region) -> Side? {
    let beyond = region.coordinate.distance(to: heard.place) - region.radius
    if heard.accuracy > max(100, region.radius) {
      if beyond <= -heard.accuracy { return .inside }
      return beyond > heard.accuracy ? .outside : nil
    }
    if beyond <= 0 { return .inside }
    return beyond > min(100, max(10, heard.accuracy)) ? .outside : .edge
  }

  enum Side { case inside, edge, outside }

  /// How many of the last fixes, without one in between that says otherwise, are over there; nil: there may be more
  /// than are remembered.
  func confirmations(of crossing: Crossing, _ region: Region) -> Int? {
    let sides = heard.reversed().lazy.compactMap { Self.side($0, of: region) }
    let agreeing = sides.prefix { $0 == (crossing == .enter ? .inside : .outside) }.count
    return agreeing < sides.count ? agreeing : nil
  }

  /// Whether any of what is remembered says on which side the board is; that of a very vague fix says nothing.
  func isTelling(of region: Region) -> Bool { heard.contains { Self.side($0, of: region) != nil } }
}
