/// How eagerly the tracker publishes, with OwnTracks' own numbers.
public enum MonitoringMode: Int, CaseIterable, Hashable, Sendable {
  /// Publishes nothing but what a person at the board asks for.
  case quiet = -1
  /// Crossings, people and commands are told; no position by itself.
  case manual = 0
  /// And the position after some distance and some time.
  case significant = 1
  /// And the position after some distance or some time.
  case move = 2

  /// The word that people type and read.
  public var name: String {
    switch self {
    case .quiet: "quiet"
    case .manual: "manual"
    case .significant: "significant"
    case .move: "move"
    }
  }

  /// Accepts the word or the number.
  public init?(text: String) {
    guard
      let mode = Self.allCases.first(where: { $0.name == text.lowercased() || String($0.rawValue) == text })
    else { return nil }
    self = mode
  }
}

/// Which rules of `networkModes` and `timeModes` hold, as far as what they say was done: it is not done again.
public struct RulesTaken: Hashable, Sendable {
  /// The rule of the network, as it was written; nil: none.
  public var network: String?
  /// The same of the time of day.
  public var time: String?
  /// All of `timeModes` at that look at the time of day.
  public var timeModes: String
  /// When that was, minutes of local time since 1970; nil: never.
  public var minute: Int?

  /// As it is stored; without arguments: nothing was ever done.
  public init(network: String? = nil, time: String? = nil, timeModes: String = "", minute: Int? = nil) {
    (self.network, self.time, self.timeModes, self.minute) = (network, time, timeModes, minute)
  }
}

/// The stored mode and the two notes that an automatic change leaves beside it.
public struct ModeState: Hashable, Sendable {
  /// The mode that is on.
  public var mode: MonitoringMode
  /// Move was left because the battery was low.
  public var downgraded: Bool
  /// Move was left because nothing moved.
  public var adapted: Bool
  /// The configuration's `monitoring` when this was stored: a different value at the next start is an explicit wish and
  /// wins, the same value leaves the stored mode alone.
  public var configured: MonitoringMode?
  /// The name of a region, a network, the time of day or the ignition has brought it, and nobody has chosen it since.
  public var isByRule: Bool
  /// Rules that have been applied.
  public var taken: RulesTaken

  /// A mode that was chosen explicitly has neither note.
  public init(
    mode: MonitoringMode, downgraded: Bool = false, adapted: Bool = false, configured: MonitoringMode? = nil,
    isByRule: Bool = false, taken: RulesTaken = RulesTaken()
  ) {
    self.mode = mode
    self.downgraded = downgraded
    self.adapted = adapted
    self.configured = configured
    self.isByRule = isByRule
    self.taken = taken
  }

  /// `Significant!`, `Significant#`: the mode as people see it.
  public var label: String {
    let word = mode.name
    return word.prefix(1).uppercased() + word.dropFirst() + (downgraded ? "!" : "") + (adapted ? "#" : "")
  }
}
