/// Tables, which may be longer than functions: nobody has to keep in mind what stands further above in one.
enum Tables {
  private static let statements: Set<Substring> = [
    "let", "var", "if", "guard", "for", "while", "repeat", "do", "defer", "throw", "return", "switch",
    "break",
    "fallthrough", "default",
  ]

  /// Whether a function, from its first line to its last, is one `switch self` and nothing else: cases without
  /// `default`, and behind each of them one expression, which may go on in lines that are indented further.
  static func isTable(_ function: ArraySlice<Substring>) -> Bool {
    let lines = function.filter { !$0.allSatisfy(\.isWhitespace) }
    guard let head = lines.firstIndex(where: { $0.hasSuffix("{") }), lines.count > head + 4 else {
      return false
    }
    let (start, end) = (lines[head + 1], lines[lines.count - 2])
    let depth = indent(start)
    guard start.dropFirst(depth) == "switch self {", end.dropFirst(depth) == "}", indent(end) == depth else {
      return false
    }
    return hasSingleExpressions(lines[(head + 2)..<(lines.count - 2)], at: depth)
  }

  private static func hasSingleExpressions(_ lines: ArraySlice<Substring>, at depth: Int) -> Bool {
    /// Nil: the patterns of a case are not over.
    var expressions: Int? = 1
    for line in lines {
      let text = line.drop { $0 == " " }
      if line.hasSuffix("{") { return false }
      if indent(line) == depth {
        guard expressions == 1, text.hasPrefix("case ") else { return false }
        expressions = found(atEndOf: line)
      } else if indent(line) == depth + 2 {
        guard let count = expressions else {
          expressions = found(atEndOf: line)
          continue
        }
        if text.hasPrefix(")") || text.hasPrefix("]") { continue }
        guard count == 0, !statements.contains(text.prefix { $0.isLetter }) else { return false }
        expressions = 1
      } else if expressions == 0 {
        return false
      }
    }
    return expressions == 1
  }

  /// Expressions behind the patterns that end in this line.
  private static func found(atEndOf line: Substring) -> Int? {
    line.hasSuffix(",") ? nil : line.hasSuffix(":") ? 0 : 1
  }

  private static func indent(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
}
