import Glibc
import Model
import Testing

@testable import homeward

// behaviour: status and doctor
/// Every command that a message, a remedy or a help text of ours names can be typed as it stands there.
struct NamedCommandTests {
  struct Named: Hashable, CustomStringConvertible {
    var place: String
    var words: [String]

    var description: String { "\(place): homeward \(words.joined(separator: " "))" }
  }

  /// What comes after the program's name where it is the name of a user, a group or the product.
  private static let prose: Set<String> = ["must", "may", "once"]
  /// A command ends with the first of these; two blanks end a column of a table.
  private static let ends = [";", ": ", ":\"", ")", ",", "\"", "&", "|", "<", ">", "`", " -> ", "  ", "..."]

  @Test func canBeTyped() throws {
    let named = Self.sources.flatMap(Self.commands)
    #expect(named.count > 60)
    for command in named {
      #expect(throws: Never.self, "\(command)") {
        _ = try Homeward.parseAsRoot(Homeward.negativeNumbersLast(command.words))
      }
    }
  }

  /// `config set password VALUE` is refused: others could read it.
  @Test func secretsAreAskedFor() {
    let settings = Self.sources.flatMap(Self.commands).filter { $0.words.starts(with: ["config", "set"]) }
    for setting in settings where setting.words.count > 3 {
      let isSecret = ConfigurationKey.named(setting.words[2])?.isSecret == true
      #expect(!isSecret || ["-", "--default"].contains(setting.words[3]), "\(setting)")
    }
  }

  @Test func scannerFindsNamedCommands() {
    let text = #"""
      /// homeward nonsense
      say("try homeward confg check \(path), or: homeward config set \(key) --default; then")
      let user = "group homeward must read it"
      """#
    let found = Self.commands(in: (path: "a", text: text)).map(\.words)
    #expect(found == [["confg", "check", "x"], ["config", "set", "x", "--default"]])
    #expect(throws: (any Error).self) { try Homeward.parseAsRoot(["confg", "check", "x"]) }
    #expect(throws: (any Error).self) { try Homeward.parseAsRoot(["config", "set", "x", "--defaul"]) }
  }

  // MARK: - Reading the sources

  private static var sources: [(path: String, text: String)] {
    let path = #filePath
    let root = String(path[..<(path.firstIndex(of: "/Tests/Unit/Homeward/") ?? path.startIndex)])
    return files(under: root + "/Sources")
  }

  private static func files(under folder: String) -> [(path: String, text: String)] {
    Folder.names(in: folder).flatMap { name -> [(path: String, text: String)] in
      let path = folder + "/" + name
      if name.hasSuffix(".swift") {
        let bytes = (try? FileText.read(path, atMost: 1 << 20)) ?? []
        return [(path: path, text: String(decoding: bytes, as: UTF8.self))]
      }
      return files(under: path)
    }
  }

  private static func commands(in file: (path: String, text: String)) -> [Named] {
    file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { number, line in
      let text = String(line.drop { $0 == " " })
      guard !text.hasPrefix("//"), !text.hasSuffix("\\") else { return [Named]() }
      return mentions(in: plain(text)).compactMap { words in
        guard let first = words.first, !prose.contains(first), first != "x" else { return nil }
        return Named(place: "\(Folder.lastName(of: file.path)):\(number + 1)", words: words)
      }
    }
  }

  /// Interpolations become a word, quotes inside of a text vanish.
  private static func plain(_ text: String) -> String {
    var plain = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\\" else {
        plain.append(character)
        continue
      }
      guard rest.popFirst() == "(" else { continue }
      plain += "x"
      var depth = 1
      while depth > 0, let inner = rest.popFirst() {
        if inner == "(" { depth += 1 } else if inner == ")" { depth -= 1 }
      }
    }
    return plain
  }

  /// A quoted argument becomes one word, which will do for a text and for a time.
  private static func unquoted(_ text: Substring) -> String {
    guard let quote = text.firstIndex(of: " \""),
      let end = text[text.index(quote, offsetBy: 2)...].firstIndex(of: "\"")
    else { return String(text) }
    return text[..<quote] + " 14:00" + text[text.index(after: end)...]
  }

  private static func mentions(in text: String) -> [[String]] {
    var found: [[String]] = []
    var rest = text[...]
    while let start = rest.firstIndex(after: "homeward ") {
      let before = rest[..<rest.index(start, offsetBy: -"homeward ".count)].last
      rest = unquoted(rest[start...])[...]
      let end = ends.compactMap { rest.firstIndex(of: $0) }.min() ?? rest.endIndex
      let words = rest[..<end].split(separator: " ").map(String.init)
      // `-u homeward`, `/etc/homeward` and their like are no commands.
      guard before.map({ " \"`".contains($0) }) ?? true, let first = words.first?.first, first.isLowercase
      else {
        continue
      }
      found.append(words)
    }
    return found
  }
}

extension StringProtocol {
  fileprivate func firstIndex(of text: String) -> Index? {
    indices.first { self[$0...].hasPrefix(text) }
  }

  fileprivate func firstIndex(after text: String) -> Index? {
    firstIndex(of: text).map { index($0, offsetBy: text.count) }
  }
}
