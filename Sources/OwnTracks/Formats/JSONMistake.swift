/// Common mistakes in JSON written by hand or pasted, in words that say what to write instead.
///
/// Used only for texts that the parser has refused; it knows where the parser stopped, not what was meant. The text is
/// never quoted: it may be a password.
struct JSONMistake {
  private enum Token {
    case none, open, close, comma, colon, value
    /// A text where an object expects a key.
    case key
  }

  private let bytes: [UInt8]
  private var offset = 0
  private var previous = Token.none
  /// Where the previous token begins and ends.
  private var begin = 0
  private var end = 0
  /// Open brackets: true is an object's.
  private var brackets: [Bool] = []

  /// The first mistake that has a name; nil: none is found.
  static func first(in bytes: [UInt8]) -> JSONError? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.prefix(2).contains(0) {
      return JSONError(line: 1, column: 1, reason: "the text is UTF-16: save it as UTF-8")
    }
    if JSON.isBlank(bytes) {
      return JSONError(line: 1, column: 1, reason: "there is nothing in it")
    }
    var mistake = JSONMistake(bytes)
    return mistake.look()
  }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  private mutating func look() -> JSONError? {
    while offset < bytes.count {
      let byte = bytes[offset]
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if let wrong = valueIsNext() { return wrong }
        brackets.append(byte == UInt8(ascii: "{"))
        take(.open, 1)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if previous == .comma {
          return error(at: begin, "a comma after the last entry: take it out")
        }
        if brackets.popLast() != (byte == UInt8(ascii: "}")) {
          return error(at: offset, "this bracket closes nothing that is open")
        }
        take(.close, 1)
      case UInt8(ascii: ","): take(.comma, 1)
      case UInt8(ascii: ":"): take(.colon, 1)
      case UInt8(ascii: "\""): if let wrong = text() { return wrong }
      default: if let wrong = other(byte) { return wrong }
      }
    }
    guard !brackets.isEmpty else { return nil }
    return error(at: bytes.count, "the text ends before its last bracket is closed: is a part of it missing?")
  }

  private mutating func take(_ token: Token, _ count: Int) {
    (begin, end) = (offset, offset + count)
    offset += count
    previous = token
  }

  /// The mistake before a value or a key that begins here.
  private func valueIsNext() -> JSONError? {
    switch previous {
    case .value, .close: brackets.isEmpty ? nil : error(at: end, "a comma is missing here")
    case .key: error(at: end, "a colon is missing here, after the key")
    case .none, .open, .comma, .colon: nil
    }
  }

  private var expectsKey: Bool { brackets.last == true && (previous == .open || previous == .comma) }

  private mutating func text() -> JSONError? {
    if let wrong = valueIsNext() { return wrong }
    var last = offset + 1
    while last < bytes.count, bytes[last] != UInt8(ascii: "\"") {
      if bytes[last] == 0x0A { return error(at: offset, "this text has no closing quote in its line") }
      if bytes[last] >= 0x80, !isWholeCharacter(at: &last) { return notUTF8(at: last) }
      last += bytes[last] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard last < bytes.count else { return error(at: offset, "this text has no closing quote") }
    take(expectsKey ? .key : .value, last + 1 - offset)
    return nil
  }

  /// Moves to the character's last byte.
  private func isWholeCharacter(at index: inout Int) -> Bool {
    let length = bytes[index] >= 0xF0 ? 4 : bytes[index] >= 0xE0 ? 3 : 2
    guard bytes[index] >= 0xC2, index + length <= bytes.count,
      bytes[(index + 1)..<(index + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
    else { return false }
    index += length - 1
    return true
  }

  private func notUTF8(at index: Int) -> JSONError {
    error(at: index, "a character here is not UTF-8, but Latin-1 perhaps: save the text as UTF-8")
  }

  private mutating func other(_ byte: UInt8) -> JSONError? {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "#"):
      return error(at: offset, "a comment: JSON has none, take it out")
    case UInt8(ascii: "'"): return error(at: offset, "a single quote: texts stand in double quotes")
    default: break
    }
    if byte >= 0x80 { return foreign() }
    var last = offset
    while last < bytes.count, isOfAWord(bytes[last]) { last += 1 }
    guard last > offset else {
      return error(at: offset, "a character that stands in no JSON outside of quotes")
    }
    let word = String(decoding: bytes[offset..<last], as: UTF8.self)
    let isNumber = byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte)
    if expectsKey {
      return error(
        at: offset,
        isNumber && previous == .comma
          ? "a number where a key is expected: is the comma before it a decimal comma? Write a point"
          : "a key without double quotes")
    }
    if let wrong = valueIsNext() { return wrong }
    guard isNumber || ["true", "false", "null"].contains(word) else { return wrongWord(word.lowercased()) }
    take(.value, last - offset)
    return nil
  }

  private func wrongWord(_ word: String) -> JSONError {
    switch word {
    case "true", "yes", "on": error(at: offset, "expected true, in small letters and without quotes")
    case "false", "no", "off": error(at: offset, "expected false, in small letters and without quotes")
    case "null", "none", "nil": error(at: offset, "expected null, in small letters and without quotes")
    default: error(at: offset, "a text without double quotes")
    }
  }

  /// Quotes as word processors and web pages set them, or a character in another encoding.
  private func foreign() -> JSONError {
    var last = offset
    guard isWholeCharacter(at: &last) else { return notUTF8(at: offset) }
    let character = String(decoding: bytes[offset...last], as: UTF8.self)
    return error(
      at: offset,
      ["“", "”", "„", "‟", "‘", "’", "‚", "«", "»"].contains(character)
        ? "a curved quote, as web pages and word processors set them: texts stand in straight double quotes"
        : "a character that stands in no JSON outside of quotes")
  }

  private func isOfAWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39,
      UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private func error(at offset: Int, _ reason: String) -> JSONError {
    let before = bytes[..<min(offset, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return JSONError(
      line: before.count { $0 == 0x0A } + 1,
      column: String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1, reason: reason)
  }
}

extension JSON {
  /// Whether a text has nothing but white space in it.
  static func isBlank(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// As `parse`, of a text that a person has written: its error is described in a person's words.
  public static func parseByHand(
    _ bytes: [UInt8], limit: Int = defaultLimit, refusingDuplicates: Bool = false
  ) throws(JSONError) -> JSON {
    do {
      return try parse(bytes, limit: limit, refusingDuplicates: refusingDuplicates)
    } catch {
      guard bytes.count <= limit, !error.reason.hasPrefix("duplicate") else { throw error }
      throw JSONMistake.first(in: bytes) ?? error
    }
  }
}
