import Model
import Timebase

/// Locations that the history still has to be given: it waits a minute for company, and no longer.
struct OwedPoints: Judge {
  private var since: [Instant] = []
  /// Seconds.
  private static let longest = 75.0

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .told(let report, because: _): made(report, world.configuration, at: world.now)
    case .ordered(_, let writes): ordered(writes)
    case .second:
      guard world.working != nil, world.isDiskWell else { return }
      let age = age(at: world.now)
      if age > Self.longest { world.complain(.window, "a location waits \(Int(age)) s for the history") }
    default: break
    }
  }

  mutating func made(_ report: Report, _ configuration: Configuration, at now: Instant) {
    if case .location = report, configuration.history.days != 0 { since.append(now) }
  }

  mutating func ordered(_ writes: [StoreWrite]) {
    let points = writes.count { if case .history = $0 { true } else { false } }
    since.removeFirst(min(points, since.count))
    for case .pruneHistory(keep: 0, _) in writes { since = [] }
  }

  /// Seconds.
  func age(at now: Instant) -> Double { since.first.map { (now - $0).seconds } ?? 0 }
}
