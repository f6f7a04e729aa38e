/// Which dates a receiver may claim while no clock contradicts it, and how a week number that has rolled over is
/// put right.
struct ReceiverCalendar {
  /// No fix of a daemon is older than this program: 2026-11-01, Unix seconds. A test keeps it from growing old.
  static let built = 1_793_491_200.0
  private static let year = 365.25 * 86_400
  /// How much younger than this program, or than the newest time that the board has kept, a date may be. A
  /// roll-over adds 19.6 years: the shorter this is, the fewer wrong dates look possible.
  static let outlook = 2 * year
  /// The same, however long a board has lived: the time that it kept may have been wrong itself.
  static let lifetime = 10 * year
  /// 1024 weeks: where a receiver's week number rolls over.
  static let rollover = 1024.0 * 7 * 86_400

  /// How well a time of day is founded, worst first.
  enum Foundation: Comparable {
    /// A receiver's date that was put right.
    case unrolled
    /// A receiver's date as it gave it.
    case asGiven
    /// Kept by a synchronised clock (NTP).
    case synchronised
  }

  /// Unix seconds; a replay of an old drive goes further back.
  let earliest: Double
  let latest: Double

  /// `stored`: the newest time that an earlier life of the board has left; nil: none.
  init(earliest: Double, stored: Double? = nil) {
    self.earliest = earliest
    let made = max(earliest, Self.built)
    latest = min(max(made, stored ?? made) + Self.outlook, made + Self.lifetime)
  }

  /// A date as it may be, moved on by whole roll-overs if that makes it possible; nil: it is impossible.
  func date(_ time: Double) -> (time: Double, foundation: Foundation)? {
    guard time.magnitude < 1e11, time <= latest else { return nil }
    if time >= earliest { return (time, .asGiven) }
    // A replay of old drives moves none of them to where no daemon would.
    let floor = max(earliest, Self.built)
    let moved = time + ((floor - time) / Self.rollover).rounded(.up) * Self.rollover
    assert(moved >= floor - 1, "moved on, and still too old")
    return moved <= latest ? (moved, .unrolled) : nil
  }

  /// The time moved by whole roll-overs if that brings it close to a known clock; else unchanged.
  static func unrolled(_ time: Double, near wall: Double) -> Double {
    let steps = ((wall - time) / rollover).rounded()
    guard steps != 0, steps.isFinite else { return time }
    let moved = time + steps * rollover
    return (moved - wall).magnitude <= ReceiverClock.tolerance ? moved : time
  }
}
