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
  /// `bssid` as six colon-separated lower-case hexadecimal pairs; `megahertz` of the channel, nil: nobody
  /// could say.
  case wifi(ssid: String?, bssid: String?, megahertz: Int? = nil)
  case mobile
  case wired

  /// Whether WiFi shares the air with Bluetooth. An unknown channel counts: most are there.
  public var isInTwoGigahertzBand: Bool {
    guard case .wifi(_, _, let megahertz) = self else { return false }
    return megahertz.map { $0 < 3000 } ?? true
  }
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
