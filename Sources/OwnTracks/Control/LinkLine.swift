/// `connect`, `disconnect` and `reconnect`: what a person wants of the connection to the server. The daemon itself does it,
/// not the tracker.
public enum LinkLine: String, CaseIterable, Sendable {
  /// Ends `disconnect`; otherwise what waits to be tried is tried at once.
  case connect
  /// Until one of the others, or a restart; what is published waits meanwhile.
  case disconnect
  /// Another connection in the place of the present one.
  case reconnect

  /// Nil: another command.
  public static func parse(_ words: [String]) throws(ControlError) -> LinkLine? {
    let words = words.filter { $0 != "--json" }
    guard let word = words.first, let line = LinkLine(rawValue: word) else { return nil }
    _ = try ControlWords(words.dropFirst(), usage: word).operands(0)
    return line
  }
}
