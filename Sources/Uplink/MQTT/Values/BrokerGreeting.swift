extension BrokerClient {
  /// The broker's answer to CONNECT.
  package struct Greeting: Hashable, Sendable {
    var code = 0
    var isSessionPresent = false
    /// How many messages may be unacknowledged at once; nil: it names no number.
    package var receiveMaximum: Int?
    /// So many topics may have a number of their own; 0: none.
    package var aliasMaximum = 0
    /// Bytes of a whole packet.
    var packetMaximum: Int?
    var qosMaximum = 2
    /// Seconds, where the broker wants another one than ours.
    package var keepalive: Int?
  }
}
