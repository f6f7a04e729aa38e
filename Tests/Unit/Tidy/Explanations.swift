/// What a library offers to others has a comment that says what its name does not.
enum Explanations {
  /// Files that are still to be explained.
  static let open: Set<String> = []

  /// Of protocols that everybody knows, and of `AnswerRecord`: the protocol says what they are.
  private static let known: Set<Substring> = [
    "description", "debugDescription", "rawValue", "hash", "==", "<", "keys", "answer",
  ]
  private static let kinds: Set<Substring> = [
    "init", "subscript", "func", "var", "let", "class", "struct", "enum", "protocol", "typealias", "case",
    "associatedtype",
  ]

  /// Where a line needs no word of its own to be offered: the cases of a public enum, all of a public protocol.
  private struct Scope {
    var depth: Int
    var isProtocol: Bool

    func offers(_ words: [Substring]) -> Bool {
      let first = words.first { !["indirect", "mutating", "static"].contains($0) }
      return first.map { isProtocol ? kinds.contains(word($0)) : $0 == "case" } ?? false
    }
  }

  /// Declarations that are public, or of the package, without a `///` above them.
  static func missing(_ file: SourceFile) -> [String] {
    guard file.isInSources, file.isSwift else { return [] }
    let lines = file.lines
    var found: [String] = []
    var depth = 0
    var scopes: [Scope] = []
    for (number, line) in file.code.enumerated() {
      let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
      let isPublic = words.first.map { ["public", "package", "open"].contains($0) } ?? false
      let isInScope = scopes.last.map { $0.depth == depth && $0.offers(words) } ?? false
      if isPublic || isInScope, let index = words.firstIndex(where: { kinds.contains(word($0)) }) {
        let kind = word(words[index])
        if !isKnown(kind, words[index...]), !isExplained(number, in: lines) {
          let text = lines[number].drop { $0 == " " }
          found.append("\(file.path):\(number + 1): nobody says what it is: \(text)")
        }
        if isPublic, kind == "enum" || kind == "protocol" {
          scopes.append(Scope(depth: depth + 1, isProtocol: kind == "protocol"))
        }
      }
      depth += line.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "{") ? 1 : $1 == UInt8(ascii: "}") ? -1 : 0) }
      scopes.removeAll { $0.depth > depth }
    }
    return found
  }

  /// Without what parameters and types begin with; operators as they are.
  private static func word(_ text: Substring) -> Substring {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return name.isEmpty ? text : name
  }

  private static func isKnown(_ kind: Substring, _ words: ArraySlice<Substring>) -> Bool {
    guard kind == "init" else { return words.dropFirst().first.map { known.contains(word($0)) } ?? false }
    let label = words.first?.split(separator: "(").dropFirst().first.map(word) ?? ""
    return label == "rawValue" || label == "answer" || label.hasSuffix("Literal")
  }

  private static func isExplained(_ number: Int, in lines: [Substring]) -> Bool {
    var above = number - 1
    while above >= 0, lines[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
    return above >= 0 && lines[above].drop { $0 == " " }.hasPrefix("///")
  }
}
