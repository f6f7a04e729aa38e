import Model
import Timebase

/// Counts connections after the first one, in all and since midnight UTC.
struct ReconnectCount {
  private var hasConnected = false
  private var counted = Reconnects()
  /// Days since 1970 of `today`; nil: no clock could be trusted yet.
  private var day: Int?

  mutating func connected(at wall: WallTime?) {
    turn(at: wall)
    if hasConnected {
      counted.total += 1
      counted.today += 1
    }
    hasConnected = true
  }

  /// As of this moment.
  mutating func count(at wall: WallTime?) -> Reconnects {
    turn(at: wall)
    return counted
  }

  /// Connections before the first trusted clock count as today's.
  private mutating func turn(at wall: WallTime?) {
    guard let wall else { return }
    let today = Int((wall.seconds / 86_400).rounded(.down))
    if let day, day != today { counted.today = 0 }
    day = today
  }
}

extension ServerConnection {
  /// For the owner of many boards. `wall`: as the tracker has it, which cannot be asked while it makes a message.
  func add(to facts: inout FleetFacts, at now: Instant, _ wall: WallTime?) {
    facts.reconnects = reconnects.count(at: wall)
    guard let loss = lastLoss else { return }
    let time = wall.map { ($0 + .seconds(-(now - loss.at).seconds)).wholeSeconds }
    facts.lastEnd = LastEnd(word: loss.cause.word, time: time)
  }
}
