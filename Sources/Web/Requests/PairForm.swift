/// The form in which a code is typed, as browsers send it (application/x-www-form-urlencoded).
enum PairForm {
  /// Bytes of what is typed: a code with whatever people put in between.
  static let limit = 64

  /// The field `c`; nil: there is none, it is empty, or it is too long to be a code.
  static func code(in body: [UInt8]) -> String? {
    for field in body.split(separator: UInt8(ascii: "&")) where field.starts(with: Array("c=".utf8)) {
      let typed = decoded(field.dropFirst(2))
      return typed.isEmpty || typed.count > limit ? nil : String(decoding: typed, as: UTF8.self)
    }
    return nil
  }

  /// The text that a link may put into the field: letters, digits and hyphens, as a code has them; else nothing.
  static func shown(_ given: String?) -> String {
    guard let given, given.utf8.count <= 20, given.utf8.allSatisfy(isOfCode) else { return "" }
    return given
  }

  private static func isOfCode(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    case _: false
    }
  }

  private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var rest = text
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), let value = hexadecimal(rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt8? {
    guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else {
      return nil
    }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
