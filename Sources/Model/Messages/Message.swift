/// A finished message, as the store keeps it and the broker gets it, byte for byte.
public struct Message: Hashable, Sendable {
  /// Place in the one queue, growing by one; 0 until the outbox has given it one.
  public var sequence: UInt64
  /// Complete, with the base in front.
  public var topic: String
  /// JSON in clear: it is encrypted when it is sent. Empty makes a broker forget what it kept.
  public var payload: [UInt8]
  /// 0, 1 or 2.
  public var qos: Int
  /// The broker is to keep it for those who subscribe later.
  public var isRetained: Bool
  /// Events are durable before they are sent and never thinned out; see `Core.Outbox`.
  public var isEvent: Bool
  /// The `tst` inside, Unix seconds: what thinning measures gaps by.
  public var time: Int

  /// `sequence` stays 0 for a message that has no place in the queue.
  public init(
    sequence: UInt64 = 0, topic: String, payload: [UInt8], qos: Int, isRetained: Bool, isEvent: Bool,
    time: Int
  ) {
    self.sequence = sequence
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.isEvent = isEvent
    self.time = time
  }

  /// Its share of the queue, bytes: the limit of 100 MiB counts this.
  public var size: Int { topic.utf8.count + payload.count }
}
