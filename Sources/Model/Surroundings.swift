/// The battery, as the kernel's power supplies report it.
public struct Battery: Hashable, Sendable {
  public enum State: Int, Hashable, Sendable {
    case unknown = 0
    case unplugged = 1
    case charging = 2
    case full = 3
  }

  /// Percent, 0...100.
  public var level: Int
  public var state: State

  public init(level: Int, state: State) {
    self.level = level
    self.state = state
  }

  public var isCharging: Bool { state == .charging || state == .full }
}

/// How the board reaches the world: the interface of the default route.
public enum Network: Hashable, Sendable {
  /// No report yet: nothing is said about it.
  case unknown
  case none
  /// `bssid` as six colon-separated lower-case hexadecimal pairs.
  case wifi(ssid: String?, bssid: String?)
  case mobile
  case wired
}

/// Where the connection to the broker stands, for people.
public enum ConnectionColour: String, Hashable, Sendable {
  /// Idle: not configured, or switched off with port 0.
  case blue
  /// Connected.
  case green
  /// An error, and the next attempt is already planned.
  case amber
  /// An error that a person has to mend (refused credentials, certificate, configuration).
  case red
}
