/// Finds comments and string literals in Swift, well enough for code that compiles.
struct ProseScanner {
  private var bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The text with spaces in place of prose; what is interpolated into a string counts as code.
  mutating func blanked() -> [UInt8] {
    code(until: nil)
    return bytes
  }

  private mutating func code(until end: UInt8?) {
    var depth = 0
    while at < bytes.count {
      if starts("//") {
        blank { !$0.starts("\n") }
      } else if starts("/*") {
        comment()
      } else if bytes[at] == UInt8(ascii: "\"") || (bytes[at] == UInt8(ascii: "#") && opensRaw) {
        literal()
      } else {
        if bytes[at] == UInt8(ascii: "(") { depth += 1 }
        if let end, bytes[at] == end {
          depth -= 1
          if depth < 0 { return }
        }
        at += 1
      }
    }
  }

  private mutating func comment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        blank(2)
      } else if starts("*/") {
        depth -= 1
        blank(2)
      } else {
        blank(1)
      }
    } while depth > 0 && at < bytes.count
  }

  private var opensRaw: Bool {
    var next = at
    while next < bytes.count, bytes[next] == UInt8(ascii: "#") { next += 1 }
    return next < bytes.count && bytes[next] == UInt8(ascii: "\"")
  }

  private mutating func literal() {
    var marks = ""
    while starts("#") {
      marks += "#"
      blank(1)
    }
    let quotes = starts("\"\"\"") ? "\"\"\"" : "\""
    blank(quotes.utf8.count)
    let end = quotes + marks
    let escape = "\\" + marks
    while at < bytes.count, !starts(end) {
      if starts(escape + "(") {
        blank(escape.utf8.count + 1)
        code(until: UInt8(ascii: ")"))
        blank(1)
      } else if starts(escape) {
        blank(escape.utf8.count + 1)
      } else {
        blank(1)
      }
    }
    blank(end.utf8.count)
  }

  private func starts(_ text: String) -> Bool {
    guard at < bytes.count, bytes[at] == text.utf8.first else { return false }
    return bytes[at...].starts(with: text.utf8)
  }

  private mutating func blank(while condition: (ProseScanner) -> Bool) {
    while at < bytes.count, condition(self) { blank(1) }
  }

  private mutating func blank(_ count: Int) {
    for _ in 0..<count where at < bytes.count {
      if bytes[at] != UInt8(ascii: "\n") { bytes[at] = UInt8(ascii: " ") }
      at += 1
    }
  }
}
