/// Limits for received packets, in bytes.
enum PacketLimits {
  /// Longer payloads are dropped: no message to a tracker needs more.
  static let payload = 256 * 1024
  /// A whole packet, with topic and properties; a longer one ends the connection.
  static let packet = payload + 65_536
}
