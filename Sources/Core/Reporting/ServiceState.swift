import Timebase

/// How the board is in one word, for people who see no more of it than a lamp: what is worst, first.
public enum ServiceState: String, Sendable, CaseIterable {
  /// No server, or nobody to publish as.
  case badConfiguration = "bad configuration"
  /// No usable fix for too long, or none since the start.
  case noGPS = "no gps"
  /// Beacons are wanted, and the adapter does not listen.
  case radioDead = "radio dead"
  /// The server is not reached.
  case noBroker = "no broker"
  /// More waits than can be under way.
  case backlog
  /// None of these.
  case ok

  /// The facts that the state is derived from.
  public struct Inputs: Hashable, Sendable {
    /// Something can be published with this configuration.
    public var isConfigured: Bool
    /// Since the last usable fix; nil: none since the start.
    public var fixAge: Span?
    /// A fix that is older is none: the time it may take, and what the receiver may rest. Nil: it is off.
    public var fixAgeLimit: Span?
    /// Beacons are wanted and the adapter does not listen.
    public var isRadioDead: Bool
    /// To the broker, or posting works.
    public var isConnected: Bool
    /// Messages that the server has not confirmed.
    public var waiting: Int
    /// How many of them may be under way: as many are no backlog.
    public var window: Int

    /// The facts as the daemon knows them at this moment.
    public init(
      isConfigured: Bool, fixAge: Span?, fixAgeLimit: Span?, isRadioDead: Bool, isConnected: Bool,
      waiting: Int, window: Int
    ) {
      self.isConfigured = isConfigured
      self.fixAge = fixAge
      self.fixAgeLimit = fixAgeLimit
      self.isRadioDead = isRadioDead
      self.isConnected = isConnected
      self.waiting = waiting
      self.window = window
    }
  }

  /// The worst of what the inputs say.
  public init(_ inputs: Inputs) {
    assert(
      inputs.waiting >= 0 && inputs.window >= 0, "\(inputs.waiting) wait for a window of \(inputs.window)")
    if !inputs.isConfigured {
      self = .badConfiguration
    } else if let limit = inputs.fixAgeLimit, inputs.fixAge.map({ $0 > limit }) ?? true {
      self = .noGPS
    } else if inputs.isRadioDead {
      self = .radioDead
    } else if !inputs.isConnected {
      self = .noBroker
    } else {
      self = inputs.waiting > inputs.window ? .backlog : .ok
    }
  }
}
