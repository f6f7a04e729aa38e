/// Why a location was published: the key `t` of a location message.
public enum Trigger: Hashable, Sendable {
  /// The rule of the mode, the connection to the broker, or the power that is failing; no letter.
  case automatic
  /// A person at the board asked.
  case user
  /// A command asked.
  case remote
  /// The interval of move mode ran out.
  case timer
  /// Nothing was told for so long that a sign of life is due.
  case ping
  /// A circle was crossed.
  case circular
  /// The circle around the board was left.
  case follow
  /// A beacon was heard, or no longer.
  case beacon

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
