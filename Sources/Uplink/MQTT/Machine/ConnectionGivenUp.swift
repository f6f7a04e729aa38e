import Model
import Timebase

/// The end of a connection: its state is given up, and the client object where it is of no use any more.
extension ConnectionMachine {
  /// A connection was left.
  mutating func left(
    _ departure: Departure, _ evidence: Evidence, at now: Instant
  ) -> [Action] {
    switch departure {
    case .stopped:
      status.connectedSince = nil
      status.show(.switchedOff, at: now)
      return session.drop() ? [.releaseClient] : []
    case .vanished: return forget(evidence)
    case .replaced, .switchedOff, .retired:
      session.ended(isByBroker: false, hasMessages: false, at: now)
      guard case .replaced(_, let cause) = departure else {
        return forget(evidence) + [.reportLost(.switchedOff, ConnectionEnd(.left))]
      }
      return forget(evidence) + [.reportLost(cause, ConnectionEnd(.replaced))]
    }
  }

  /// Discards the state of the connection.
  mutating func forget(_ evidence: Evidence) -> [Action] {
    status.ended()
    noteSubscriptions()
    // The library would resend an alias that this broker no longer knows, and be disconnected for it again and again.
    return [.forgetConnection] + (evidence.hasAliasOnly ? dropClient() : [])
  }

  mutating func dropClient() -> [Action] { session.drop() ? [.dropClient] : [] }

  mutating func reachForLess(_ isHurried: inout Bool, at now: Instant) -> [Action] {
    if session.reachForLess(settings, at: now) { isHurried = true }
    return dropClient()
  }
}
