import Uplink

/// What the tracker is told of the connection: what has changed, and once.
struct ConnectionNews: Judge {
  private var isConnected = false
  private var lastLoss: BrokerCause?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .line(.renewed): self = Self()
    case .line(.attempt): world.complain(attempt())
    case .line(.stands): stands()
    case .line(.toldConnected): world.complain(connected())
    case .line(.toldLost(let cause)): world.complain(lost(cause))
    default: break
    }
  }

  /// Nobody was told of it, and what happened before is no measure any more.
  mutating func stands() { lastLoss = nil }

  mutating func connected() -> String? {
    defer { isConnected = true }
    return isConnected ? "connected, and it was connected" : nil
  }

  mutating func lost(_ cause: BrokerCause) -> String? {
    defer { (isConnected, lastLoss) = (false, cause) }
    return !isConnected && lastLoss?.word == cause.word ? "told again: \(cause)" : nil
  }

  func attempt() -> String? { isConnected ? "an attempt, and the tracker counts on a connection" : nil }
}
