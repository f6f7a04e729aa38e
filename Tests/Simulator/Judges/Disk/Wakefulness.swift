/// A board on battery sleeps while nothing happens: the tracker itself wakes rarely beside one time for each thing.
struct Wakefulness: Judge {
  /// In a minute: signs of life, what waits for its time, writes.
  private static let most = 12

  private var ticks = 0
  /// Wake-ups up to the last look.
  private var wakeups = 0

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .event(.tick): ticks += 1
    case .minute:
      let others = world.ledger.disk.wakeup - wakeups - ticks
      if ticks > others + Self.most {
        let happened = "in a minute in which \(others) things happened"
        world.complain(.limits, "it has itself woken \(ticks) times \(happened)")
      }
      (ticks, wakeups) = (0, world.ledger.disk.wakeup)
    default: break
    }
  }
}
