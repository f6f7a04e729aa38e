import Timebase

/// How the board is in one word, for people who see no more of it than a lamp: what is worst, first.
public enum Standing: String, Sendable, CaseIterable {
  case badConfiguration = "bad configuration"
  case noGPS = "no gps"
  case radioDead = "radio dead"
  case noBroker = "no broker"
  case backlog
  case ok

  /// What it is made of.
  public struct Signs: Hashable, Sendable {
    /// Something can be published with this configuration.
    public var isConfigured: Bool
    /// Since the last usable fix; nil: none since the start.
    public var fixAge: Span?
    /// A fix that is older is none: the time it may take, and what the receiver may rest.
    public var fixPatience: Span
    /// Beacons are wanted and the adapter does not listen.
    public var isRadioDead: Bool
    public var isConnected: Bool
    /// Messages that the broker has not confirmed, and how many of them may be under way.
    public var waiting: Int
    public var window: Int

    public init(
      isConfigured: Bool, fixAge: Span?, fixPatience: Span, isRadioDead: Bool, isConnected: Bool,
      waiting: Int, window: Int
    ) {
      self.isConfigured = isConfigured
      self.fixAge = fixAge
      self.fixPatience = fixPatience
      self.isRadioDead = isRadioDead
      self.isConnected = isConnected
      self.waiting = waiting
      self.window = window
    }
  }

  public init(_ signs: Signs) {
    if !signs.isConfigured {
      self = .badConfiguration
    } else if signs.fixAge.map({ $0 > signs.fixPatience }) ?? true {
      self = .noGPS
    } else if signs.isRadioDead {
      self = .radioDead
    } else if !signs.isConnected {
      self = .noBroker
    } else {
      self = signs.waiting > signs.window ? .backlog : .ok
    }
  }
}
