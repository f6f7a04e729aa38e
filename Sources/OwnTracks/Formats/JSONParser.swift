import CJansson

/// Where a text stops being JSON, and why.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counts from 1.
  public var line: Int
  /// Counts characters, from 1.
  public var column: Int
  /// Plain words. Never quotes the text itself, which may be a password.
  public var reason: String

  /// `reason` must not quote the text.
  public init(line: Int, column: Int, reason: String) {
    self.line = line
    self.column = column
    self.reason = reason
  }

  public var description: String { "line \(line), column \(column): \(reason)".plainLine }
}

extension JSON {
  /// Bytes taken from the outside unless the caller says otherwise: no message of OwnTracks comes near.
  public static let defaultLimit = 1 << 20
  /// Levels of arrays and objects: ours need five; the limit keeps recursion off the stack's end.
  public static let maximumDepth = 32

  /// Any one JSON value within these limits of bytes and values. Duplicate keys: the last one counts, unless
  /// `refusingDuplicates`.
  public static func parse(
    _ bytes: [UInt8], limit: Int = defaultLimit, values: Int = .max, refusingDuplicates: Bool = false
  ) throws(JSONError) -> JSON {
    guard bytes.count <= limit else {
      throw JSONError(
        line: 1, column: 1, reason: "\(bytes.count) bytes are too many, at most \(limit) are read")
    }
    try check(bytes, values: values)
    // A NUL inside a string is kept: the user of the string decides, and nothing traps.
    let flags = JSON_DECODE_ANY | JSON_ALLOW_NUL | (refusingDuplicates ? JSON_REJECT_DUPLICATES : 0)
    var failure = json_error_t()
    let root = bytes.withUnsafeBytes { buffer in
      json_loadb(buffer.baseAddress, buffer.count, Int(flags), &failure)
    }
    guard let root else { throw JSONError(failure) }
    defer { json_decref(root) }
    return JSON(root)
  }

  /// The same for text.
  public static func parse(_ text: String) throws(JSONError) -> JSON { try parse(Array(text.utf8)) }

  /// jansson itself would recurse 2048 levels deep, and make a hundred bytes of each value.
  private static func check(_ bytes: [UInt8], values: Int) throws(JSONError) {
    var depth = 0
    var count = 1
    var isInString = false
    var isEscaped = false
    for (offset, byte) in bytes.enumerated() {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        count += 1
        guard depth <= maximumDepth else { throw tooDeep(bytes, at: offset) }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ","): count += 1
      default: break
      }
    }
    guard count <= values else {
      throw JSONError(line: 1, column: 1, reason: "\(count) values are too many, at most \(values) are read")
    }
  }

  private static func tooDeep(_ bytes: [UInt8], at offset: Int) -> JSONError {
    let before = bytes[..<offset]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return JSONError(
      line: line, column: offset - lineStart + 1, reason: "nested deeper than \(maximumDepth) levels")
  }

  private init(_ value: UnsafeMutablePointer<json_t>) {
    switch value.pointee.type {
    case JSON_OBJECT: self = .object(Self.members(of: value))
    case JSON_ARRAY:
      self = .array((0..<json_array_size(value)).compactMap { json_array_get(value, $0).map(JSON.init) })
    case JSON_STRING:
      let length = json_string_length(value)
      let text = json_string_value(value).map { pointer in
        pointer.withMemoryRebound(to: UInt8.self, capacity: length) {
          String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
      }
      self = .string(text ?? "")
    case JSON_INTEGER: self = .integer(Int64(json_integer_value(value)))
    case JSON_REAL: self = .real(json_real_value(value))
    case JSON_TRUE: self = .boolean(true)
    case JSON_FALSE: self = .boolean(false)
    default: self = .null
    }
  }

  private static func members(of object: UnsafeMutablePointer<json_t>) -> [Member] {
    var members: [Member] = []
    members.reserveCapacity(json_object_size(object))
    var iterator = json_object_iter(object)
    while let place = iterator {
      if let key = json_object_iter_key(place), let value = json_object_iter_value(place) {
        members.append(Member(String(cString: key), JSON(value)))
      }
      iterator = json_object_iter_next(object, place)
    }
    return members
  }
}

extension JSONError {
  fileprivate init(_ failure: json_error_t) {
    let text = withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    self.init(
      line: max(1, Int(failure.line)), column: max(1, Int(failure.column)), reason: Self.withoutQuote(text))
  }

  /// jansson ends most messages with `near '…'`, a piece of the text, perhaps of a password. Only a
  /// duplicate key is worth naming, and keys are no secrets.
  private static func withoutQuote(_ text: String) -> String {
    let marker = Array(" near ".utf8)
    let bytes = Array(text.utf8)
    guard !text.hasPrefix("duplicate"), bytes.count > marker.count else { return text }
    for start in 0...(bytes.count - marker.count)
    where bytes[start..<(start + marker.count)].elementsEqual(marker) {
      return String(decoding: bytes[..<start], as: UTF8.self)
    }
    return text
  }
}
