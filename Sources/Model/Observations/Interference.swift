/// A receiver's own word on strange signals at the frequencies of the satellites.
public struct Interference: Hashable, Sendable {
  /// Signals that drown those of the satellites, or pretend to be them.
  public enum Kind: String, CaseIterable, Sendable {
    /// Noise.
    case jamming
    /// Imitations.
    case spoofing
  }

  /// How sure, or how bad it is.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    /// The receiver's monitor is switched off, or it has none.
    case unknown
    /// Nothing of it.
    case none
    /// Jamming: there is still a fix. Spoofing: one sign of it.
    case warning
    /// Jamming: there is no fix. Spoofing: several signs.
    case critical

    /// By how bad it is.
    public static func < (one: Level, other: Level) -> Bool { one.order < other.order }

    private var order: Int {
      switch self {
      case .unknown: 0
      case .none: 1
      case .warning: 2
      case .critical: 3
      }
    }

    /// There is some of it.
    public var isDisturbed: Bool { self >= .warning }
  }

  /// Of noise.
  public var jamming: Level
  /// Of imitations.
  public var spoofing: Level

  /// Nothing is known.
  public init(jamming: Level = .unknown, spoofing: Level = .unknown) {
    self.jamming = jamming
    self.spoofing = spoofing
  }

  /// Any of the two.
  public var isDisturbed: Bool { jamming.isDisturbed || spoofing.isDisturbed }
}
