import Model
import Timebase

/// A broker that takes everything and acknowledges a little later, unless told not to. What was sent
/// and not acknowledged when the connection went is the MQTT library's to send again: it is
/// acknowledged after the next `up`.
struct VirtualBroker {
  private struct Sent {
    var sequence: UInt64
    /// Nil: not going to be acknowledged as things stand.
    var due: Instant?
  }

  private(set) var isUp = false
  private var acknowledges = true
  private var delay = Span.milliseconds(50)
  private var sent: [Sent] = []

  /// When the next acknowledgement arrives.
  var due: Instant? { sent.compactMap(\.due).min() }

  mutating func rise(_ change: TimelineEntry.BrokerChange, at now: Instant) {
    isUp = true
    acknowledges = change.acknowledges
    delay = change.delay
    for index in sent.indices where sent[index].due == nil && acknowledges { sent[index].due = now + delay }
  }

  mutating func fall() {
    isUp = false
    for index in sent.indices { sent[index].due = nil }
  }

  /// The sender is gone, and with it what it would have sent again.
  mutating func forgetSender() {
    sent = []
  }

  /// Sequence numbers of the messages in flight, which are forgotten here.
  mutating func giveBack() -> [UInt64] {
    defer { sent = [] }
    return sent.map(\.sequence)
  }

  /// The same sequence twice is the same message sent again.
  mutating func take(_ message: Message, at now: Instant) {
    guard !sent.contains(where: { $0.sequence == message.sequence }) else { return }
    sent.append(Sent(sequence: message.sequence, due: isUp && acknowledges ? now + delay : nil))
  }

  mutating func acknowledged(at now: Instant) -> [UInt64] {
    let arrived = sent.filter { $0.due.map { $0 <= now } ?? false }.map(\.sequence)
    sent.removeAll { $0.due.map { $0 <= now } ?? false }
    return arrived
  }
}
