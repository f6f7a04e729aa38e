/// Why a location was published: the key `t` of a location message.
public enum Trigger: Hashable, Sendable {
  case automatic, user, remote, timer, ping, circular, follow, beacon

  /// The letter on the wire; nil for automatic ones, whose key is left out.
  public var letter: String? {
    switch self {
    case .automatic: nil
    case .user: "u"
    case .remote: "r"
    case .timer: "t"
    case .ping: "p"
    case .circular: "c"
    case .follow: "C"
    case .beacon: "b"
    }
  }
}
