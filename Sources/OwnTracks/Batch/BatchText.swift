/// A member of a JSON object as a batch sees it: what is constant, and what is a number.
struct BatchMember: Equatable {
  enum Value: Equatable {
    /// Written with digits alone, and read back to the same digits.
    case whole(Int64)
    /// Written with the decimals that it needs, one at least, as `11.0`; in units of the key's last decimal.
    case decimal(Int64)
    case text(ArraySlice<UInt8>)
  }

  /// With its quotation marks; empty: there is none.
  var key: ArraySlice<UInt8>
  var value: Value
}

/// Takes JSON apart at the commas between members, and puts it together again, byte for byte. It need not be valid:
/// whatever is no member is text.
enum BatchText {
  /// Members without the braces; nil: it is not an object.
  static func members(of payload: [UInt8], decimals: (ArraySlice<UInt8>) -> Int) -> [BatchMember]? {
    guard payload.count >= 2, payload.first == UInt8(ascii: "{"), payload.last == UInt8(ascii: "}") else {
      return nil
    }
    let inside = payload[1..<payload.count - 1]
    var members: [BatchMember] = []
    var start = inside.startIndex
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    for index in inside.indices {
      let byte = inside[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isQuoted = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isQuoted = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: ",") where depth == 0:
          members.append(member(inside[start..<index], decimals: decimals))
          start = index + 1
        default: break
        }
      }
    }
    members.append(member(inside[start...], decimals: decimals))
    return members
  }

  private static func member(_ bytes: ArraySlice<UInt8>, decimals: (ArraySlice<UInt8>) -> Int) -> BatchMember
  {
    guard let colon = endOfKey(bytes) else {
      return BatchMember(key: [], value: .text(bytes))
    }
    let (key, text) = (bytes[..<colon], bytes[(colon + 1)...])
    return BatchMember(key: key, value: value(text, decimals: decimals(key)))
  }

  /// Where the colon after the key is.
  private static func endOfKey(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.first == UInt8(ascii: "\"") else { return nil }
    var isEscaped = false
    for index in bytes.indices.dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if bytes[index] == UInt8(ascii: "\\") {
        isEscaped = true
      } else if bytes[index] == UInt8(ascii: "\"") {
        return index + 1 < bytes.endIndex && bytes[index + 1] == UInt8(ascii: ":") ? index + 1 : nil
      }
    }
    return nil
  }

  /// A number only where it is written again with the same bytes.
  private static func value(_ text: ArraySlice<UInt8>, decimals: Int) -> BatchMember.Value {
    guard let first = text.first, text.count <= 20, first == UInt8(ascii: "-") || isDigit(first) else {
      return .text(text)
    }
    let digits = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard digits.count <= 2, let whole = number(digits[0]) else { return .text(text) }
    var value: BatchMember.Value
    if digits.count == 1 {
      value = .whole(whole.isBelowZero ? -whole.magnitude : whole.magnitude)
    } else {
      guard digits[1].count <= decimals, let part = number(digits[1]), !part.isBelowZero else {
        return .text(text)
      }
      let (scaled, overflow) = whole.magnitude.multipliedReportingOverflow(by: power(decimals))
      guard !overflow, scaled < NumberColumn.limit else { return .text(text) }
      let total = scaled + part.magnitude * power(decimals - digits[1].count)
      guard total < NumberColumn.limit else { return .text(text) }
      value = .decimal(whole.isBelowZero ? -total : total)
    }
    var written: [UInt8] = []
    write(value, decimals: decimals, to: &written)
    return written[...] == text ? value : .text(text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func number(_ text: ArraySlice<UInt8>) -> (magnitude: Int64, isBelowZero: Bool)? {
    let isBelowZero = text.first == UInt8(ascii: "-")
    let digits = isBelowZero ? text.dropFirst() : text
    guard !digits.isEmpty, digits.count <= 17, digits.allSatisfy(isDigit) else { return nil }
    return (digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }, isBelowZero)
  }

  private static func power(_ decimals: Int) -> Int64 { (0..<decimals).reduce(1) { power, _ in power * 10 } }

  /// As `JSONWriter` writes them.
  static func write(_ value: BatchMember.Value, decimals: Int, to bytes: inout [UInt8]) {
    switch value {
    case .text(let text): bytes += text
    case .whole(let number): bytes += String(number).utf8
    case .decimal(let number):
      let power = UInt64(power(decimals))
      if number < 0 { bytes.append(UInt8(ascii: "-")) }
      bytes += String(number.magnitude / power).utf8
      bytes.append(UInt8(ascii: "."))
      let part = String(number.magnitude % power)
      let start = bytes.count
      bytes += repeatElement(UInt8(ascii: "0"), count: decimals - part.utf8.count)
      bytes += part.utf8
      while bytes.count > start + 1, bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    }
  }
}
