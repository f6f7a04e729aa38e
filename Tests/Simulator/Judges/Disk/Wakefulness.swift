/// A board on battery sleeps while nothing happens: the tracker itself wakes rarely beside one time for each thing. What
/// the client does not take it tries again a second later.
struct Wakefulness: Judge {
  /// In a minute: signs of life, what waits for its time, writes.
  private static let most = 12

  private var ticks = 0
  /// Those of them that came next after a send that failed.
  private var retries = 0
  private var hasFailed = false
  /// Wake-ups up to the last look.
  private var wakeups = 0

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .event(.sendFailed): hasFailed = true
    case .event(.tick):
      ticks += 1
      if hasFailed { retries += 1 }
      hasFailed = false
    case .minute:
      let others = world.ledger.disk.wakeup - wakeups - ticks
      if ticks - retries > others + Self.most {
        let happened = "in a minute in which \(others) things happened"
        world.complain(.limits, "it has itself woken \(ticks) times \(happened)")
      }
      (ticks, retries, wakeups) = (0, 0, world.ledger.disk.wakeup)
    default: break
    }
  }
}
