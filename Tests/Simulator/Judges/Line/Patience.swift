import Timebase

/// How long a broker may owe acknowledgements.
struct Patience: Judge {
  /// Not sooner, and not later; seconds. And a look.
  private static let (least, most, look) = (45.0, 62.0, 2.0)

  private var lastAcknowledgement = Instant.zero
  /// What it was asked to see whether anything passes, and when that was answered.
  private var question: Int32?
  private var answer: Instant?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .line(.renewed): self = Self()
    case .line(.stands): stands(at: world.now)
    case .line(.acknowledged): acknowledged(at: world.now)
    case .line(.asks(let number)): asked(number)
    case .line(.confirms(let number)): answered(number, at: world.now)
    case .line(.givesUp(.notAcknowledging)): world.complain(isOver(oldest: oldest(in: world), at: world.now))
    case .second:
      guard world.working != nil, world.client.connection != nil, let oldest = oldest(in: world) else {
        return
      }
      world.complain(look(oldest: oldest, at: world.now))
    default: break
    }
  }

  private func oldest(in world: World) -> Instant? {
    world.client.inFlight.first { $0.message.qos > 0 }?.sentAt
  }

  mutating func stands(at now: Instant) { (lastAcknowledgement, question, answer) = (now, nil, nil) }
  mutating func acknowledged(at now: Instant) { (lastAcknowledgement, answer) = (now, nil) }
  mutating func asked(_ number: Int32) { (question, answer) = (number, nil) }
  mutating func answered(_ number: Int32, at now: Instant) { if number == question { answer = now } }

  /// Once a second. `oldest`: when that was sent which is owed longest.
  func look(oldest: Instant, at now: Instant) -> String? {
    let seconds = (now - max(oldest, lastAcknowledgement)).seconds
    if seconds > Self.most + Self.look {
      return "nothing is acknowledged for \(seconds) s, and the connection stands"
    }
    guard let answer, (now - answer).seconds > Self.look, seconds > Self.least + Self.look else { return nil }
    return "the way is open, nothing is acknowledged for \(seconds) s, and the connection stands"
  }

  func isOver(oldest: Instant?, at now: Instant) -> String? {
    guard let oldest else { return "given up, and nothing is owed" }
    let seconds = (now - oldest).seconds
    return seconds < Self.least - 0.001 ? "given up over what is owed for \(seconds) s" : nil
  }
}
