/// Numbers to text and back without a locale and without surprises.
public enum DecimalText {
  /// A finite number in plain decimals (`0.00001`, not `1e-05`); the shortest that reads back the same.
  /// From 1e15 on and below 1e-15 it keeps the exponent: nobody wants to count zeros.
  public static func plain(_ number: Double) -> String {
    let text = number.description
    guard number.magnitude < 1e15, number.magnitude > 1e-15,
      let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")),
      let exponent = Int(text[text.index(after: mark)...])
    else { return text }
    let sign = number < 0 ? "-" : ""
    let digits = String(decoding: text[..<mark].utf8.filter { (48...57).contains($0) }, as: UTF8.self)
    // A mantissa has one digit before its point.
    guard exponent < 0 else { return text }
    return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
  }

  /// A number as JSON defines it, as a whole text: no blanks, no hexadecimal, no "inf" or "nan".
  public static func number(_ text: String) -> Double? {
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last, (48...57).contains(last),
      first != UInt8(ascii: "+"),
      bytes.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// A number written with decimal digits and perhaps a minus, as a whole text.
  public static func whole(_ text: String) -> Int? {
    guard text.utf8.first != UInt8(ascii: "+") else { return nil }
    return Int(text)
  }
}
