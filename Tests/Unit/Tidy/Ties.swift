/// Which folders of a target name what others of it declare. Two that name each other are one folder in two places:
/// neither is understood without the other.
enum Ties {
  /// Pairs that still do. This list may only shrink, and one that no longer does has to be taken out.
  static let known: Set<String> = [
    // Regions stand in the file and come in messages; values are read, and refused, in one way in both.
    "OwnTracks/Configuration <-> OwnTracks/Received"
  ]

  /// Two folders of one target that name each other.
  struct Pair: Equatable {
    var folders: [String]
    /// A word of each that the other declares, and where.
    var words: [String]

    var name: String { folders.joined(separator: " <-> ") }
    var complaint: String { "\(name): \(words.joined(separator: ", "))" }
  }

  /// Pairs that `known` does not have, and what of `known` is no pair any more.
  static func faults(_ pairs: [Pair], known: Set<String> = known) -> [String] {
    let gone = known.subtracting(pairs.map(\.name)).sorted().map { "\($0): no longer to be listed" }
    return pairs.filter { !known.contains($0.name) }.map(\.complaint) + gone
  }

  /// In the order of their names.
  static func pairs(_ files: [SourceFile]) -> [Pair] {
    let targets = Dictionary(grouping: files.filter { $0.isInSources && $0.isSwift }) { $0.target ?? "" }
    return targets.values.flatMap(pairsOfTarget).sorted { $0.name < $1.name }
  }

  private static func pairsOfTarget(_ files: [SourceFile]) -> [Pair] {
    let read = files.map { (file: $0, folder: folder($0), names: NameReader.names(of: $0)) }
    var home: [String: Set<String>] = [:]
    for (_, folder, names) in read { for name in names.declared { home[name, default: []].insert(folder) } }
    // A method of that name may be what is called.
    for (_, _, names) in read { for method in names.methods { home[method + "("] = nil } }
    var ties: [String: [String: String]] = [:]
    for (file, folder, names) in read {
      for name in names.named.sorted() {
        guard let (word, homes) = declaration(name, home), !homes.contains(folder) else { continue }
        for other in homes where ties[folder]?[other] == nil {
          ties[folder, default: [:]][other] = "\(file.name) names \(word)"
        }
      }
    }
    return ties.keys.sorted().flatMap { one in
      (ties[one] ?? [:]).keys.sorted().compactMap { other in
        guard one < other, let there = ties[one]?[other], let back = ties[other]?[one] else { return nil }
        return Pair(folders: [one, other], words: [there, back])
      }
    }
  }

  /// The longest part of a name that is declared somewhere: `Broker.Status` may lie elsewhere than `Broker`.
  private static func declaration(_ name: String, _ home: [String: Set<String>]) -> (String, Set<String>)? {
    var part = name[...]
    while true {
      if let found = home[String(part)] { return (String(part), found) }
      guard let dot = part.lastIndex(of: ".") else { return nil }
      part = part[..<dot]
    }
  }

  private static func folder(_ file: SourceFile) -> String {
    file.path.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
  }
}

/// Reads what a file declares, and which names stand in it, well enough for code that compiles.
private struct NameReader {
  struct Names {
    /// Types, nested ones behind those that they stand in, and functions outside of types, with a parenthesis.
    var declared: Set<String> = []
    var methods: Set<String> = []
    var named: Set<String> = []
  }

  private struct Scope {
    /// Of a type or an extension; nil: any other braces.
    var name: String?
    /// An extension that holds nothing but types uses its type as a drawer: it names it once it holds more.
    var isDrawer = false
  }

  private static let types: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
  private static let members: Set<String> = ["func", "var", "let", "init", "subscript", "case"]

  private var names = Names()
  private var scopes: [Scope] = []
  /// What the next brace opens.
  private var coming = Scope()
  private var isPrivate = false
  /// Types that only this file has: they hide others of the same name.
  private var own: Set<String> = []

  static func names(of file: SourceFile) -> Names {
    var reader = NameReader()
    let words = reader.words(file.code)
    for index in words.indices { reader.read(words[index], after: words[max(0, index - 1)], words, index) }
    let own = reader.own
    reader.names.named = reader.names.named.filter { !own.contains(String($0.prefix { $0 != "." })) }
    return reader.names
  }

  private mutating func read(_ word: String, after last: String, _ words: [String], _ index: Int) {
    let next = index + 1 < words.count ? words[index + 1] : ""
    switch word {
    case "{":
      scopes.append(coming)
      coming = Scope()
    case "}": if !scopes.isEmpty { scopes.removeLast() }
    case "private", "fileprivate": isPrivate = true
    case "extension":
      coming = Scope(name: next, isDrawer: true)
      if index + 2 < words.count, words[index + 2] == ":" { names.named.insert(next) }
    case _ where Self.types.contains(word) && !Self.members.contains(next):
      declare(next, isAlias: word == "typealias")
    case _ where Self.members.contains(word): member(word, next)
    case _ where last == "extension" || last == "@" || Self.types.contains(last): break
    case _ where word.first?.isUppercase == true: names.named.insert(word)
    case _ where next == "(" && last != "func" && word.first?.isLetter == true:
      names.named.insert(word + "(")
    default: break
    }
  }

  private mutating func declare(_ name: String, isAlias: Bool) {
    let isInTypes = scopes.allSatisfy { $0.name != nil }
    let full = (scopes.last?.name.map { $0 + "." } ?? "") + name
    if !isInTypes || !scopes.isEmpty || isPrivate { own.insert(name) }
    if isInTypes, !(scopes.isEmpty && isPrivate) { names.declared.insert(full) }
    if !isAlias { coming = Scope(name: full) }
    isPrivate = false
  }

  private mutating func member(_ kind: String, _ name: String) {
    if kind == "func" {
      if scopes.isEmpty, !isPrivate { names.declared.insert(name + "(") } else { names.methods.insert(name) }
    }
    if let scope = scopes.last, scope.isDrawer, let name = scope.name { names.named.insert(name) }
    isPrivate = false
  }

  /// Names with their dots, and the signs that matter, each by itself.
  private func words(_ lines: [Substring]) -> [String] {
    var (found, word): ([String], [UInt8]) = ([], [])
    for line in lines {
      for byte in line.utf8 + [UInt8(ascii: " ")] {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...:
          word.append(byte)
        default:
          if !word.isEmpty { found.append(String(decoding: word, as: UTF8.self)) }
          word.removeAll(keepingCapacity: true)
          if "{}(:@".utf8.contains(byte) { found.append(String(decoding: [byte], as: UTF8.self)) }
        }
      }
    }
    return found
  }
}
