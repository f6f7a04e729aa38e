/// One rule of `networkModes` or `timeModes`: `what|in|out`, the condition, and the modes for when it begins and when
/// it ceases to hold.
public struct ModeRule: Hashable, Sendable {
  /// A list of them has no more.
  public static let limit = 20

  /// As its owner wrote it; by this it is known again after a start.
  public let text: String
  /// Up to the last bar but one: names of networks may have some of their own.
  public let what: Substring
  /// Nil: the mode stays.
  public let onBegin: MonitoringMode?
  /// Nil: the mode stays.
  public let onEnd: MonitoringMode?

  /// Nil: it has not two bars at least, or a mode that is none of -1, 0, 1, 2.
  public init?(_ text: String) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count >= 3, let begin = Self.mode(parts[parts.count - 2]),
      let end = Self.mode(parts[parts.count - 1])
    else { return nil }
    self.text = text
    what = text.dropLast(parts[parts.count - 2].count + parts[parts.count - 1].count + 2)
    (onBegin, onEnd) = (begin.mode, end.mode)
  }

  /// Empty: none.
  private static func mode(_ part: Substring) -> (mode: MonitoringMode?, Void)? {
    if part.isEmpty { return (nil, ()) }
    guard let mode = MonitoringMode.allCases.first(where: { String($0.rawValue) == part }) else { return nil }
    return (mode, ())
  }

  /// The rules of a list, one a line; nil: one is none, or there are too many.
  fileprivate static func list<Rule>(_ text: String, _ make: (String) -> Rule?) -> [Rule]? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    let rules = lines.compactMap(make)
    return rules.count == lines.count && rules.count <= limit ? rules : nil
  }
}

/// Modes of WiFi networks: `SSID|in|out`, one a line.
public struct NetworkModes: WrittenValue {
  /// Of two for one network the first counts.
  public let rules: [ModeRule]

  /// Nil: one of the rules is none.
  public init?(_ text: String) {
    guard let rules = ModeRule.list(text, Self.rule) else { return nil }
    self.rules = rules
  }

  /// One rule: the name of a network has 1 to 32 bytes.
  public static func rule(_ text: String) -> ModeRule? {
    guard let rule = ModeRule(text), (1...32).contains(rule.what.utf8.count),
      !rule.what.utf8.contains(where: { $0 < 32 || $0 == 127 })
    else { return nil }
    return rule
  }

  /// The rule of a network; nil: none is for it.
  public func rule(of ssid: String?) -> ModeRule? {
    guard let ssid else { return nil }
    return rules.first { $0.what == ssid }
  }
}

/// Modes of times of the day: `HH:MM-HH:MM|in|out`, one a line.
public struct TimeModes: WrittenValue {
  /// A rule, and when it holds.
  public struct Daily: Hashable, Sendable {
    /// As it was written.
    public let rule: ModeRule
    /// When it holds.
    public let period: DailyPeriod

    /// Nil: it is no rule, or has no two times that differ. The end may be 24:00.
    public init?(_ text: String) {
      guard let rule = ModeRule(text), let period = DailyPeriod(rule.what) else { return nil }
      (self.rule, self.period) = (rule, period)
    }
  }

  /// Of two that hold at once the first counts.
  public let rules: [Daily]

  /// Nil: one of the rules is none.
  public init?(_ text: String) {
    guard let rules = ModeRule.list(text, Daily.init) else { return nil }
    self.rules = rules
  }

  /// The rule that holds at this minute of local time, of a day or since 1970; nil: none.
  public func rule(at minute: Int) -> ModeRule? { rules.first { $0.period.holds(at: minute) }?.rule }

  /// The minutes of the day at which a rule begins or ends.
  public var edges: [Int] { rules.flatMap { [$0.period.begin, $0.period.end] } }

  /// The next minute at which a rule begins or ends, of local time since 1970; nil: there are no rules.
  public func nextEdge(after minute: Int) -> Int? { DailyPeriod.next(of: edges, after: minute) }
}

/// Key `backlogTimes`: periods in which old locations go over any network, one a line.
public struct BacklogTimes: WrittenValue {
  /// In the order in which they were written.
  public let periods: [DailyPeriod]

  /// Nil: one of the periods is none, or there are too many.
  public init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
    periods = lines.compactMap { DailyPeriod($0) }
    guard periods.count == lines.count, periods.count <= ModeRule.limit else { return nil }
  }

  /// `minute`: of local time, of a day or since 1970.
  public func hold(at minute: Int) -> Bool { periods.contains { $0.holds(at: minute) } }
}
