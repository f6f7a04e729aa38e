/// Nothing is sent again that was not given back, or under way when a connection began.
struct Resending: Judge {
  /// The most messages that this tracker can have had sent again.
  private var most = 0
  /// What went out on this connection and was not given back, by sequence: what the tracker counts is its own word.
  private var sent: Set<UInt64> = []

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .begun, .tookUp: (most, sent) = (0, [])
    case .line(.stands), .line(.renewed): sent = []
    case .event(.sendFailed(let sequence)), .event(.postponed(let sequence, _)),
      .event(.refused(let sequence, _)):
      sent.remove(sequence)
    case .line(.sends(let message)) where !sent.insert(message.sequence).inserted:
      world.complain(.once, "\(message.sequence) is sent again on one connection, and nothing gave it back")
    case .handled(let event):
      switch event {
      // One may be known at the end of a connection to be what it ended over.
      // What was refused may have been a batch, whose messages go once more.
      case .sendFailed, .postponed, .refused, .brokerLost: most += 1
      case .brokerConnected: most += world.client.inFlight.count
      default: break
      }
      guard world.process.takingUp == nil, let resent = world.queue?.resent, resent > most else { return }
      world.complain(.picture, "\(resent) sent again, and \(most) can have been")
      most = resent
    default: break
    }
  }
}
