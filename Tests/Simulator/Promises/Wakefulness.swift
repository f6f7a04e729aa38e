import Timebase

/// How often the tracker has itself woken: a board on battery sleeps while nothing happens. Kept by the world.
struct Wakefulness {
  /// In a minute, beside one for each thing that happens: signs of life, what waits for its time, writes.
  fileprivate static let most = 12

  private var ticks = 0
  private var wakeups = 0

  mutating func ticked() { ticks += 1 }

  /// `wakeups`: all of them so far. How often by itself, and how often for something else, since the last look.
  fileprivate mutating func look(_ wakeups: Int) -> (ticks: Int, others: Int) {
    defer { (ticks, self.wakeups) = (0, wakeups) }
    return (ticks, wakeups - self.wakeups - ticks)
  }
}

extension World {
  /// Once a minute.
  func judgeWakefulness() {
    let (ticks, others) = wakefulness.look(ledger.wakeup)
    if ticks > others + Wakefulness.most {
      ledger.complain(
        .limits, "it has itself woken \(ticks) times in a minute in which \(others) things happened", at: now)
    }
  }
}
