import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Puts every break of the files named into them, behind a switch each, and says on standard output which there are, a
/// JSON object a line.
///
///     mutate ROOT EXCLUDED FILE...
///
/// ROOT: the tree, a copy. FILE: from there. EXCLUDED: names of breaks that are left out, a line each.
@main
struct Main {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count > 3 else { throw Fault.usage }
    let excluded = Set(
      try String(contentsOfFile: words[2], encoding: .utf8).split(separator: "\n").map(String.init))
    var number = 0
    for path in words[3...] {
      let file = URL(fileURLWithPath: words[1]).appendingPathComponent(path)
      let text = try String(contentsOf: file, encoding: .utf8)
      let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: text)) { _ in }
      let finder = Finder(path: path, tree: tree)
      finder.walk(tree)
      var edits: [Edit] = []
      for (mutant, edit) in finder.found where !excluded.contains(mutant.name) {
        edits += edit(number)
        print(try line(mutant, number))
        number += 1
      }
      guard !edits.isEmpty else { continue }
      try (apply(edits, to: text) + "\nimport Timebase\n").write(to: file, atomically: true, encoding: .utf8)
    }
  }

  private static func apply(_ edits: [Edit], to text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var offset = 0
    for edit in edits.sorted(by: { ($0.offset, $0.order) < ($1.offset, $1.order) }) {
      if edit.offset > offset {
        result += bytes[offset..<edit.offset]
        offset = edit.offset
      }
      result += Array(edit.text.utf8)
      offset = max(offset, edit.offset + edit.length)
    }
    result += bytes[offset...]
    return String(decoding: result, as: UTF8.self)
  }

  private static func line(_ mutant: Mutant, _ number: Int) throws -> String {
    let values: [String: Any] = [
      "number": number, "name": mutant.name, "kind": mutant.kind.rawValue, "path": mutant.path,
      "line": mutant.line,
      "column": mutant.column, "place": mutant.place, "before": mutant.before, "after": mutant.after,
    ]
    let data = try JSONSerialization.data(
      withJSONObject: values, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }

  enum Fault: Error { case usage }
}
