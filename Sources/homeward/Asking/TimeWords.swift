import Glibc
import Model
import OwnTracks

/// The one reader of times that people write on the command line: as they are displayed, as a clock or a calendar
/// says them in the local zone, as programs write them, or as how long ago.
struct TimeWords {
  /// Which end of what was named counts: a day, unlike a moment, has two.
  enum Edge { case beginning, end }

  /// Unix seconds.
  var now: Double
  /// Seconds east of Greenwich at a Unix time.
  var offset: (Int) -> Int = LocalZone.offset

  /// The present, and the zone of this machine.
  static var present: TimeWords { TimeWords(now: Double(Glibc.time(nil))) }

  /// For messages: what `moment` understands.
  static let expectation =
    "a time such as 14:00, yesterday, \"2026-05-31 14:00\", 2026-05-31T14:00:00Z, 2h (ago) or Unix seconds"
  /// For messages: what `span` understands.
  static let spanExpectation = "a span such as 24h, 90min, 7d or 2h30m"

  /// Unix seconds of what a person has written; nil: it is no time. A time of day without a day is the last one that
  /// has passed. With a fraction only where Unix seconds had one.
  func moment(_ text: String, _ edge: Edge = .beginning) -> Double? {
    let text = text.trimmed
    if text.lowercased() == "now" { return now }
    if let number = DecimalText.number(text.first == "@" ? String(text.dropFirst()) : text) {
      return number.magnitude < 1e11 ? number : nil
    }
    if let ago = Self.span(text) { return now - ago }
    return dated(text, edge) ?? timeOfDay(text)
  }

  /// The end of a part that begins at `beginning`, both as a person has written them. Where that names a day, a time of
  /// day without one is the first from there on, not the last one that has passed: more would be meant than was said.
  func end(_ text: String, from beginning: String?) -> Double? {
    guard let beginning = beginning?.trimmed, let start = dated(beginning, .beginning),
      let seconds = Self.clock(text.trimmed[...])
    else { return moment(text, .end) }
    let midnight = midnight(before: Int(start))
    let thatDay = Double(unix(midnight + seconds))
    return thatDay >= start ? thatDay : Double(unix(midnight + 86_400 + seconds))
  }

  /// Seconds in `24h`, `90 min`, `7d`, `2h30m`, `45s`, `1w`; nil: it is no span.
  static func span(_ text: String) -> Double? {
    var rest = Substring(text.lowercased())
    if rest.hasSuffix("ago") { rest = rest.dropLast(3) }
    rest = rest.filter { $0 != " " }[...]
    var seconds = 0.0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      let unit = rest.prefix { !$0.isNumber }
      rest = rest.dropFirst(unit.count)
      guard digits.count <= 9, let count = Double(digits), let length = Self.length(String(unit)) else {
        return nil
      }
      seconds += count * length
    }
    return seconds
  }

  private static func length(_ unit: String) -> Double? {
    switch unit {
    case "s", "sec", "second", "seconds": 1
    case "m", "min", "mins", "minute", "minutes": 60
    case "h", "hour", "hours": 3600
    case "d", "day", "days": 86_400
    case "w", "week", "weeks": 604_800
    default: nil
    }
  }

  // MARK: Forms

  /// Forms that name a day.
  private func dated(_ text: String, _ edge: Edge) -> Double? {
    Self.zoned(text) ?? day(text, edge) ?? dayAndTime(text)
  }

  /// With a zone of its own, the blank of the displayed form in place of the `T`, and seconds or none.
  private static func zoned(_ text: String) -> Double? {
    let text = joined(text)
    if let time = ISO8601.time(text) { return time.seconds }
    // 2026-05-31T14:00Z, 2026-05-31T14:00+02:00
    guard text.utf8.count > 16 else { return nil }
    return ISO8601.time("\(text.prefix(16)):00\(text.dropFirst(16))")?.seconds
  }

  /// `2026-05-31 14:00:00 +02:00` as `2026-05-31T14:00:00+02:00`.
  private static func joined(_ text: String) -> String {
    let words = text.split(separator: " ")
    guard let date = words.first, words.count > 1 else { return text }
    let separator = date.contains("T") ? "" : "T"
    return "\(date)\(separator)\(words.dropFirst().joined())"
  }

  private func day(_ text: String, _ edge: Edge) -> Double? {
    guard let midnight = midnight(text) else { return nil }
    return edge == .beginning ? Double(unix(midnight)) : Double(unix(midnight + 86_400)) - 0.001
  }

  private func dayAndTime(_ text: String) -> Double? {
    // The T of a date; "today" has one, too.
    let divider: Character = text.contains(" ") ? " " : "T"
    let words = text.split(separator: divider)
    guard words.count == 2, let midnight = midnight(String(words[0])), let seconds = Self.clock(words[1])
    else { return nil }
    return Double(unix(midnight + seconds))
  }

  private func timeOfDay(_ text: String) -> Double? {
    guard let seconds = Self.clock(text[...]) else { return nil }
    let today = Double(unix(localMidnight + seconds))
    return today <= now ? today : Double(unix(localMidnight - 86_400 + seconds))
  }

  // MARK: The local calendar, as seconds of a clock that knows no zone

  private var localMidnight: Int { midnight(before: Int(now)) }

  private func midnight(before unix: Int) -> Int {
    let local = unix + offset(unix)
    return local - (local % 86_400 + 86_400) % 86_400
  }

  private func midnight(_ text: String) -> Int? {
    switch text.lowercased() {
    case "today": return localMidnight
    case "yesterday": return localMidnight - 86_400
    default: return (ISO8601.time(text + "T00:00:00Z")?.seconds).map { Int($0) }
    }
  }

  /// Seconds since midnight of `14:00` or `14:00:30`.
  private static func clock(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    let numbers = parts.compactMap { $0.utf8.count <= 2 && $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard numbers.count == parts.count, numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
      return nil
    }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
  }

  /// When the local clock shows that: of two such moments the first, of none the one an hour later.
  private func unix(_ local: Int) -> Int {
    let before = local - offset(local - 86_400)
    let after = local - offset(local + 86_400)
    return [before, after].first { $0 + offset($0) == local } ?? before
  }
}
