/// The battery, as the kernel's power supplies report it.
public struct Battery: Hashable, Sendable {
  /// The raw value is `bs` on the wire.
  public enum State: Int, Hashable, Sendable {
    /// The source does not say: `bs` is left out.
    case unknown = 0
    /// Nothing charges it.
    case unplugged = 1
    /// On a supply, and not full.
    case charging = 2
    /// On a supply, and nothing more goes in.
    case full = 3
  }

  /// Percent, 0...100.
  public var level: Int
  /// Charging state.
  public var state: State

  /// `level` in percent, 0...100.
  public init(level: Int, state: State) {
    self.level = level
    self.state = state
  }

  /// On a supply: a full battery counts as well.
  public var isCharging: Bool { state == .charging || state == .full }
}

/// How the board reaches the world: the interface of the default route.
public enum Network: Hashable, Sendable {
  /// No report yet: nothing is said about it.
  case unknown
  /// No default route at all.
  case none
  /// `bssid` as six colon-separated lower-case hexadecimal pairs; `megahertz` of the channel, nil: nobody
  /// could say.
  case wifi(ssid: String?, bssid: String?, megahertz: Int? = nil)
  /// A modem, also one on USB that looks like a cable.
  case mobile
  /// A cable, or an interface of no other kind.
  case wired

  /// Not metered: WiFi, or a cable.
  public var isFree: Bool {
    switch self {
    case .wifi, .wired: true
    case .unknown, .none, .mobile: false
    }
  }

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
  /// An error that a person has to fix (refused credentials, certificate, configuration).
  case red
}
