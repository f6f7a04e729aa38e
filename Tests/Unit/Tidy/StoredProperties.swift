/// How much state a type holds. A type that needs more is two types, however many files its methods fill.
enum StoredProperties {
  static let most = 20

  /// Types that hold more, and why. One that needs this no longer has to be taken out.
  static let exempt = [
    "Model.Configuration": "a plain record: one for every subject of the file",
    "OwnTracks.StatusRecord": "a plain record: the keys of an answer",
    "OwnTracks.StatusRecord.Connection": "a plain record: the keys of a part of an answer",
  ]

  /// What a type declares itself; extensions can add nothing to it.
  struct Count: Equatable {
    /// Target and name, nested types behind those that they stand in: `Core.Tracker.News`.
    var type: String
    var path: String
    var properties: Int
  }

  /// Types with more than that, but for those that `exempt` names.
  static func crowded(_ counts: [Count], exempt: Set<String> = []) -> [String] {
    counts.filter { $0.properties > most && !exempt.contains($0.type) }.map {
      "\($0.path): \($0.type) has \($0.properties) stored properties, at most \(most)"
    }
  }

  /// Names that need no exemption, or none any more.
  static func idle(_ exempt: Set<String>, _ counts: [Count]) -> [String] {
    exempt.subtracting(counts.filter { $0.properties > most }.map(\.type)).sorted()
  }

  /// Every struct, class and actor of a file.
  static func of(_ file: SourceFile) -> [Count] {
    var reader = TypeReader(target: file.target ?? "")
    for line in file.code { reader.read(line) }
    return reader.found.map { Count(type: $0.name, path: file.path, properties: $0.properties) }
  }
}

/// Reads code statement by statement, and knows which type it stands in.
private struct TypeReader {
  private enum Scope {
    /// By its place in `found`; nil: an extension, an enum or a protocol, which store nothing.
    case type(name: String, Int?)
    /// A body of something else. `isObserved`: of a property without a value, and nothing of it was read yet.
    case body(isObserved: Bool)
  }

  private static let observers: Set<Substring> = ["didSet", "willSet"]
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "open", "final", "lazy", "weak", "unowned",
    "nonisolated", "override", "set", "safe", "unsafe",
  ]

  private let target: String
  private(set) var found: [(name: String, properties: Int)] = []
  private var scopes: [Scope] = []
  /// Since the last brace: what a brace that opens belongs to.
  private var head: [UInt8] = []
  /// Since the last line, semicolon or brace outside of parentheses.
  private var statement: [UInt8] = []
  private var parentheses = 0

  init(target: String) { self.target = target }

  mutating func read(_ line: Substring) {
    for byte in line.utf8 {
      switch byte {
      case UInt8(ascii: "{") where parentheses == 0: open()
      case UInt8(ascii: "}") where parentheses == 0: close()
      case UInt8(ascii: ";") where parentheses == 0: end()
      default:
        if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { parentheses += 1 }
        if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { parentheses -= 1 }
        statement.append(byte)
      }
    }
    if parentheses == 0 { end() } else { statement.append(UInt8(ascii: " ")) }
  }

  private mutating func open() {
    lookForObserver()
    let text = String(decoding: statement, as: UTF8.self)
    let bound = Self.bindings(text)
    let hasValue = text.contains("= ") || text.hasSuffix("=")
    if let (kind, name) = Self.declaration(String(decoding: head + statement, as: UTF8.self)) {
      let outer = scopes.compactMap { if case .type(let name, _) = $0 { name } else { nil } }
      let full = "\(outer.last ?? target).\(name)"
      let isStoring = ["struct", "class", "actor"].contains(kind)
      scopes.append(.type(name: full, isStoring ? found.count : nil))
      if isStoring { found.append((full, 0)) }
    } else {
      if bound > 0, hasValue { count(bound) }
      scopes.append(.body(isObserved: bound > 0 && !hasValue))
    }
    (head, statement) = ([], [])
  }

  private mutating func close() {
    end()
    if !scopes.isEmpty { scopes.removeLast() }
    head = []
  }

  private mutating func end() {
    lookForObserver()
    if case .type(_, _?)? = scopes.last { count(Self.bindings(String(decoding: statement, as: UTF8.self))) }
    head += statement + [UInt8(ascii: " ")]
    statement = []
  }

  /// A property whose body begins with an observer is stored after all.
  private mutating func lookForObserver() {
    guard case .body(isObserved: true)? = scopes.last else { return }
    let words = String(decoding: statement, as: UTF8.self).split { !$0.isLetter }
    guard let first = words.first else { return }
    scopes[scopes.count - 1] = .body(isObserved: false)
    if Self.observers.contains(first) { count(1, above: 1) }
  }

  /// `above`: how many scopes further out.
  private mutating func count(_ properties: Int, above: Int = 0) {
    guard scopes.count > above, case .type(_, let index?) = scopes[scopes.count - 1 - above] else { return }
    found[index].properties += properties
  }

  /// What the brace that follows declares; the last one, because statements without a brace stand before it.
  private static func declaration(_ head: String) -> (kind: String, name: String)? {
    let words = head.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == ":") }
    let kinds: Set<Substring> = ["struct", "class", "actor", "enum", "extension", "protocol"]
    for index in words.indices.dropLast().reversed() where kinds.contains(words[index]) {
      if index > 0, words[index - 1] == "import" { continue }
      let name = words[index + 1].split(separator: ":").first ?? ""
      guard !["func", "var", "let", "subscript"].contains(name) else { continue }
      return (String(words[index]), String(name))
    }
    return nil
  }

  /// How many instance properties a statement declares.
  private static func bindings(_ statement: String) -> Int {
    var rest = Substring(statement)
    while true {
      rest = rest.drop { $0 == " " || $0 == "(" || $0 == ")" }
      let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "@" }
      if word == "let" || word == "var" { return names(rest.dropFirst(word.count)) }
      guard word.first == "@" || modifiers.contains(word) else { return 0 }
      rest = rest.dropFirst(word.count)
      if word.first == "@" { rest = afterArguments(rest) }
    }
  }

  private static func afterArguments(_ rest: Substring) -> Substring {
    guard rest.first == "(" else { return rest }
    var depth = 0
    for index in rest.indices {
      if rest[index] == "(" { depth += 1 }
      if rest[index] == ")" { depth -= 1 }
      if depth == 0 { return rest[rest.index(after: index)...] }
    }
    return ""
  }

  /// Commas between the names, and those in a pattern that takes a tuple apart.
  private static func names(_ rest: Substring) -> Int {
    let isPattern = rest.drop { $0 == " " }.first == "("
    var (depth, count, before) = (0, 1, Character(" "))
    for letter in rest {
      switch letter {
      case "(", "[", "<": depth += 1
      case ")", "]": depth -= 1
      case ">" where before != "-": depth -= 1
      case "=" where isPattern: return count
      case "," where depth == (isPattern ? 1 : 0): count += 1
      default: break
      }
      before = letter
    }
    return count
  }
}
