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
    /// Minute of the day, the first of it.
    public let begin: Int
    /// Minute of the day, the first behind it; before `begin` where it goes over midnight.
    public let end: Int

    /// Nil: it is no rule, or has no two times that differ. The end may be 24:00.
    public init?(_ text: String) {
      guard let rule = ModeRule(text) else { return nil }
      let times = rule.what.split(separator: "-", omittingEmptySubsequences: false)
      guard times.count == 2, let begin = Self.minute(times[0]), let end = Self.minute(times[1]),
        begin < TimeModes.day, begin != end % TimeModes.day
      else { return nil }
      (self.rule, self.begin, self.end) = (rule, begin, end % TimeModes.day)
    }

    func holds(at minute: Int) -> Bool {
      begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
    }

    private static func minute(_ text: Substring) -> Int? {
      let digits = Array(text.utf8)
      guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
        let hour = number(digits[0], digits[1]), let minute = number(digits[3], digits[4]),
        minute < 60, hour * 60 + minute <= TimeModes.day
      else { return nil }
      return hour * 60 + minute
    }

    private static func number(_ tens: UInt8, _ ones: UInt8) -> Int? {
      let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
      guard digits.contains(tens), digits.contains(ones) else { return nil }
      return Int(tens - digits.lowerBound) * 10 + Int(ones - digits.lowerBound)
    }
  }

  /// Minutes.
  public static let day = 1440

  /// Of two that hold at once the first counts.
  public let rules: [Daily]

  /// Nil: one of the rules is none.
  public init?(_ text: String) {
    guard let rules = ModeRule.list(text, Daily.init) else { return nil }
    self.rules = rules
  }

  /// The rule that holds at this minute of local time, of a day or since 1970; nil: none.
  public func rule(at minute: Int) -> ModeRule? {
    let minute = Self.ofDay(minute)
    return rules.first { $0.holds(at: minute) }?.rule
  }

  /// The next minute at which a rule begins or ends, of local time since 1970; nil: there are no rules.
  public func nextEdge(after minute: Int) -> Int? {
    var next: Int?
    for edge in rules.flatMap({ [$0.begin, $0.end] }) {
      let wait = Self.ofDay(edge - minute)
      let coming = minute + (wait == 0 ? Self.day : wait)
      next = next.map { min($0, coming) } ?? coming
    }
    return next
  }

  private static func ofDay(_ minute: Int) -> Int { (minute % day + day) % day }
}
