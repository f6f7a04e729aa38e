import Model
import Timebase

/// Whether the place where the vehicle has come to rest is to be published by itself: the last one published may be
/// from the road before it.
///
///     at rest ──it moves, or is elsewhere──▶ under way ──slow──▶ stopping ──20 s──▶ first look ──a minute──▶ at rest
///                                               ▲                   │
///                                               └──fast, or farther─┘
struct Stop {
  /// How long after the stop its place is checked, seconds: in move mode, and in significant mode as well.
  static let looks = [20.0, 60]
  /// A vehicle slower than this stands, metres a second.
  static let still = 0.5
  /// If this near, the last published place is right, metres, or within the accuracy.
  static let near = 10.0
  /// Where no speed is reported: fixes this close together, or within the accuracy, are one place, metres.
  static let spot = 25.0

  /// Where it came to rest, and when; nil: it has not.
  private var rest: (place: Coordinate, since: WallTime)?
  /// Number of looks done; all of them: it is at rest.
  private var looked = Stop.looks.count
  /// The newest fix is one to look at: which of the looks.
  private var look: Int?
  private var isKnown = false

  /// `ground`: whether the vehicle stands or moves by this fix.
  mutating func consider(_ fix: Fix, _ ground: Standstill.Verdict) {
    var isStanding = fix.speed.map { $0 < Self.still } ?? true
    switch ground {
    case .free, .leapt:
      (looked, isStanding) = (0, false)
    // The first place of all is published anyway.
    case .arrived: if isKnown { (looked, rest) = (0, nil) }
    case .arriving, .held, .settled: break
    }
    isKnown = true
    look = nil
    guard looked < Self.looks.count else { return }
    guard isStanding else {
      rest = nil
      return
    }
    guard let rest, fix.coordinate.distance(to: rest.place) <= max(Self.spot, fix.accuracy) else {
      self.rest = (fix.coordinate, fix.time)
      return
    }
    let seconds = (fix.time - rest.since).seconds
    while looked < Self.looks.count, seconds >= Self.looks[looked] {
      look = looked
      looked += 1
    }
  }

  func isDue(in mode: MonitoringMode) -> Bool {
    switch mode {
    case .move: look != nil
    case .significant: look == Self.looks.count - 1
    case .quiet, .manual: false
    }
  }

  /// It could not be published: the next fix is looked at as well.
  mutating func putOff() {
    if let look { looked = look }
  }
}
