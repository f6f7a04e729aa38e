import Timebase

/// How many messages may be in flight at once, and whether any may be sent at all.
///
/// The window begins small with each connection and grows by one with each confirmation: a broker that has been away
/// is not flooded with the whole queue.
struct SendWindow {
  static let first = 20

  private enum Connection {
    case none
    case standing
    /// A message came back: a connection that takes nothing now would be tried without end.
    case heldBack
  }

  private var connection = Connection.none
  private(set) var width = SendWindow.first
  private(set) var inFlight = 0
  /// Greatest width on this connection.
  private var widest = SendWindow.first
  /// Limit by the settings, from the next connection on.
  var limit: Int

  init(limit: Int) { self.limit = limit }

  // MARK: The connection

  /// Nil: the broker named no number.
  mutating func connected(receiveMaximum: Int?) {
    connection = .standing
    widest = max(1, min(limit, receiveMaximum ?? limit))
    width = min(Self.first, widest)
    releaseAssert(width > 0, "nothing could ever be sent")
  }

  mutating func disconnected() { connection = .none }
  mutating func holdBack() { if connection == .standing { connection = .heldBack } }
  mutating func letGo() { if connection == .heldBack { connection = .standing } }

  // MARK: Messages

  mutating func sent() { inFlight += 1 }

  /// A message is no longer in flight, with an answer or without.
  mutating func returned() {
    inFlight -= 1
    releaseAssert(inFlight >= 0, "a message came back that was not under way")
  }

  mutating func confirmed(_ count: Int) { width = min(widest, width + count) }

  // MARK: Questions

  var isConnected: Bool { connection != .none }
  var isOpen: Bool { connection == .standing }
  var hasRoom: Bool { inFlight < width }
}
