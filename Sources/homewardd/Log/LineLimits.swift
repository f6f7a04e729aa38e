import Timebase

/// How many lines of the journal each cause may have, and what the next one says of those that were left out. The only
/// place that decides it; `Host.Log` merely counts the same line where it comes again within a minute.
struct LineLimits {
  /// The reason for a line. One with a text is counted separately for each text.
  enum Cause: Hashable {
    /// Others' messages.
    case others
    /// Others' messages that nobody can read.
    case malformed
    /// A refused command: which, and why.
    case refusedCommand(String)
    /// The way to the server, which a server may take away on purpose.
    case connection
    /// Messages that wait, of this topic: found out over several connections, each of which had its lines.
    case held(topic: String)
    /// A change of settings, by who may change them.
    case settings
    /// The disk takes nothing: why.
    case store(String)
    /// A drive is not recorded.
    case recording
    /// Published all day, or as often as others want it: the word of the reason.
    case everyday(String)
    /// Rare events; a list of a thousand regions causes one for each.
    case event

    /// The table. The last number: how many of the outsiders' lines may have been written within `outsideSpan` before
    /// it; what anybody can cause leaves room for what matters more.
    fileprivate var limit: Limit {
      switch self {
      case .others: Limit(outside: 6)
      case .malformed: Limit(1, in: .seconds(10), outside: 6)
      case .refusedCommand: Limit(1, in: .seconds(10), outside: 6)
      case .connection: Limit(outside: 8)
      case .held: Limit(1, in: .minutes(60), outside: 9)
      case .settings: Limit(outside: outsideLines)
      case .store: Limit(1, in: .minutes(10))
      case .recording: Limit(1, in: .minutes(60))
      case .everyday: Limit(1, in: .minutes(1))
      case .event: Limit(20, in: .minutes(1))
      }
    }
  }

  /// Of all that somebody outside can cause, in any span of this length.
  static let outsideLines = 10
  static let outsideSpan = Span.minutes(1)
  /// Causes remembered. Some have a text from outside: the one that had no line for longest is forgotten.
  static let memory = 200

  fileprivate struct Limit {
    /// In any `span`; nil: only outsiders' lines limit it.
    var lines: Int?
    var span = Span.zero
    /// Nil: nobody outside can cause it.
    var outside: Int?

    init(outside: Int) { self.outside = outside }

    init(_ lines: Int, in span: Span, outside: Int? = nil) {
      (self.lines, self.span, self.outside) = (lines, span, outside)
    }
  }

  private struct Lines {
    /// When the last ones were written, the oldest first.
    var written: [Instant] = []
    var leftOut = 0

    mutating func hasRoom(_ count: Int, in span: Span, at now: Instant) -> Bool {
      written.removeAll { now - $0 >= span }
      if written.count < count { return true }
      leftOut += 1
      return false
    }

    /// How many were left out since the last one.
    mutating func take(at now: Instant) -> Int {
      written.append(now)
      defer { leftOut = 0 }
      return leftOut
    }
  }

  private var outside = Lines()
  private var own: [Cause: Lines] = [:]

  /// The end of the line that may be written now, empty if none was left out before it; nil: none is to be written.
  mutating func ending(of cause: Cause, at now: Instant) -> String? {
    let limit = cause.limit
    if let lines = limit.lines, !hasRoom(lines, in: limit.span, for: cause, at: now) { return nil }
    if let share = limit.outside, !outside.hasRoom(share, in: Self.outsideSpan, at: now) { return nil }
    var remarks: [String] = []
    if limit.lines != nil, let count = own[cause]?.take(at: now), count > 0 {
      remarks.append("\(count) more since the last such line")
    }
    if limit.outside != nil {
      let count = outside.take(at: now)
      if count > 0 { remarks.append("\(count) \(count == 1 ? "line" : "lines") from outside not written") }
    }
    return remarks.isEmpty ? "" : " (and \(remarks.joined(separator: ", ")))"
  }

  private mutating func hasRoom(_ lines: Int, in span: Span, for cause: Cause, at now: Instant) -> Bool {
    if let room = own[cause]?.hasRoom(lines, in: span, at: now) { return room }
    if own.count >= Self.memory {
      let oldest = own.min { ($0.value.written.last ?? .zero) < ($1.value.written.last ?? .zero) }
      if let oldest { own[oldest.key] = nil }
    }
    own[cause] = Lines()
    return true
  }
}
