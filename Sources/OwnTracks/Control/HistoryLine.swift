import Model

/// `history [--from TIME] [--to TIME] [--after NUMBER] [--limit COUNT]` and `history clear`.
public enum HistoryLine {
  static func parse(_ words: ArraySlice<String>) throws(ControlError) -> ControlRequest {
    if words.first == "clear" {
      return try ControlLine.plain(.historyClear, words.dropFirst(), "history clear")
    }
    let usage = "history [--from TIME] [--to TIME]"
    let line = try ControlWords(words, valued: ["--from", "--to", "--after", "--limit"], usage: usage)
    _ = try line.operands(0)
    var query = HistoryQuery()
    query.from = try time("--from", in: line)
    query.to = try time("--to", in: line)
    if let after = try line.number("--after", within: 0...9e15) { query.after = Int64(after) }
    if let limit = try line.number("--limit", within: 1...Double(HistoryQuery.page)) {
      query.limit = Int(limit)
    }
    return .history(query)
  }

  /// Unix seconds, or a date with or without a time, UTC.
  private static func time(_ name: String, in line: ControlWords) throws(ControlError) -> Double? {
    guard let text = line.value(name) else { return nil }
    if let number = DecimalText.number(text), number.magnitude < 1e11 { return number }
    let candidates = [text, text + "Z", text + "T00:00:00Z"]
    if let seconds = candidates.lazy.compactMap({ ISO8601.time($0)?.seconds }).first { return seconds }
    throw ControlError(
      "\(name) is \"\(text)\"; expected Unix seconds, or a time such as 2026-05-31T14:00:00Z")
  }
}
