import Core
import Model
import Timebase
import Uplink

/// The word that the broker keeps on `status`, for those who come later: whether the board is there. Kept by the world.
struct StatusWord {
  /// A connection that is left alone has said that the board is there after this, seconds.
  fileprivate static let time = 15.0

  /// What stands there. With each connection the broker may still publish the will of the one before.
  fileprivate var isOnline = false
  /// The connection and the state of the line that it was looked at last, and since when both are the same.
  fileprivate var seen: (connection: Int, changes: Int, since: Instant)?
  /// What was said may never have reached the broker.
  fileprivate var isDoubtful = false

  /// A connection stands.
  mutating func stands() { (isOnline, isDoubtful, seen) = (false, false, nil) }
}

extension World {
  /// It has no place in the queue, and nobody acknowledges it.
  func say(_ report: Report) {
    guard case .status(let status) = report, let isOnline = status.isOnline else { return }
    tell("says that it is \(isOnline ? "online" : "offline")")
    guard let connection = client.connection, server.isOpen(connection), wire.isUp, !wire.isDead(connection)
    else {
      statusWord.isDoubtful = true
      return
    }
    statusWord.isOnline = isOnline
  }

  private var isWordWanted: Bool {
    configuration.dashboard.availability && configuration.broker.port != 0
      && !configuration.identity.username.isEmpty
  }

  /// Once a second: who asks the broker whether a board is there, that is connected, is told that it is.
  func judgeStatusWord() {
    guard isRunning, tracker != nil, takingUp == nil, !isStopping, isWordWanted, news.isConnected,
      let connection = client.connection, server.isOpen(connection), !wire.isDead(connection)
    else {
      statusWord.seen = nil
      return
    }
    if statusWord.seen?.connection != connection || statusWord.seen?.changes != lineChanges {
      statusWord.seen = (connection, lineChanges, now)
    }
    guard let since = statusWord.seen?.since, (now - since).seconds > StatusWord.time, wire.isUp,
      !statusWord.isOnline, !statusWord.isDoubtful
    else { return }
    statusWord.isDoubtful = true
    ledger.complain(
      .picture, "connected for \(Int((now - since).seconds)) s, and its status says offline", at: now)
  }

  /// Who ends in good order has no will that says so.
  func judgeGoodbye() {
    guard isWordWanted, let connection = client.connection, server.isOpen(connection), wire.isUp,
      !wire.isDead(connection), statusWord.isOnline, !statusWord.isDoubtful
    else { return }
    ledger.complain(.picture, "it has ended in good order, and its status says online", at: now)
  }
}
