extension BrokerClient {
  /// The broker's answer to CONNECT.
  package struct Greeting: Hashable, Sendable {
    var code = 0
    var isSessionPresent = false
    /// How many messages may be unacknowledged at once; nil: not stated.
    package var receiveMaximum: Int?
    /// How many topics may have an alias; 0: none.
    package var aliasMaximum = 0
    /// Bytes of a whole packet.
    var packetMaximum: Int?
    var qosMaximum = 2
    /// Seconds, if the broker wants another keepalive than ours.
    package var keepalive: Int?
  }
}
