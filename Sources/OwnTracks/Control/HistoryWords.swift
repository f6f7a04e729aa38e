import Model

/// `history [--from TIME] [--to TIME] [--after NUMBER] [--limit COUNT] [--newest]`, `history clear` and
/// `history delete [NUMBER] [--from TIME] [--to TIME]`.
enum HistoryWords {
  static func parse(_ words: ArraySlice<String>) throws(ControlError) -> Request {
    if words.first == "clear" {
      return .tracker(try words.dropFirst().standingFor(.historyClear, "history clear"))
    }
    if words.first == "delete" { return .tracker(.historyDelete(try part(words.dropFirst()))) }
    let usage = "history [--from TIME] [--to TIME]"
    let line = try RequestWords(
      words, valued: ["--from", "--to", "--after", "--limit"], flags: ["--newest"], usage: usage)
    _ = try line.operands(0)
    var query = HistoryQuery()
    query.from = try time("--from", in: line)
    query.to = try time("--to", in: line)
    if let after = try line.number("--after", within: 0...9e15) { query.after = Int64(after) }
    if let limit = try line.number("--limit", within: 1...Double(HistoryQuery.page)) {
      query.limit = Int(limit)
    }
    query.isFromEnd = line.has("--newest")
    return .store(.history(query))
  }

  /// Without a word it would be everything, for which there is `clear`.
  private static func part(_ words: ArraySlice<String>) throws(ControlError) -> HistoryPart {
    let usage = "history delete NUMBER, or history delete --from TIME --to TIME"
    let line = try RequestWords(words, valued: ["--from", "--to"], usage: usage)
    var part = HistoryPart()
    if !line.operands.isEmpty {
      let text = try line.operands(1)[0]
      guard let number = Int64(text), number > 0 else {
        throw ControlError("\"\(text)\" is no number of a point; expected: \(usage)")
      }
      part.numbers = number...number
    }
    let (from, to) = (try time("--from", in: line), try time("--to", in: line))
    guard from != nil || to != nil || !line.operands.isEmpty else {
      throw ControlError("too few words; expected: \(usage)")
    }
    let ends = (from ?? -.infinity, to ?? .infinity)
    guard ends.0 <= ends.1 else { throw ControlError("--from is later than --to; expected: \(usage)") }
    part.times = ends.0...ends.1
    return part
  }

  /// Unix seconds, or a date with or without a time, UTC.
  private static func time(_ name: String, in line: RequestWords) throws(ControlError) -> Double? {
    guard let text = line.value(name) else { return nil }
    if let number = DecimalText.number(text), number.magnitude < 1e11 { return number }
    let candidates = [text, text + "Z", text + "T00:00:00Z"]
    if let seconds = candidates.lazy.compactMap({ ISO8601.time($0)?.seconds }).first { return seconds }
    throw ControlError(
      "\(name) is \"\(text)\"; expected Unix seconds, or a time such as 2026-05-31T14:00:00Z")
  }
}
