/// How much of what a broker sends is taken in, in bytes.
enum PacketLimits {
  /// Longer payloads are dropped: nothing that speaks to a tracker needs more.
  static let payload = 256 * 1024
  /// A whole packet, with topic and properties; what is longer ends the connection.
  static let packet = payload + 65_536
}
