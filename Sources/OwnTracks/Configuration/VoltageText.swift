import Model

/// A voltage as files and programs write it: `12.4`, or `12.4 V`.
public enum VoltageText {
  /// Volts that are believed.
  public static let range = 0.0...100.0

  /// Volts; nil: it is none.
  public static func parse(_ bytes: [UInt8]) -> Double? {
    guard bytes.count <= BatteryText.limit else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }.map(String.init)
    guard let first = words.first, words.count == 1 || words.dropFirst() == ["V"] else { return nil }
    let number = first.last == "V" ? String(first.dropLast()) : first
    return DecimalText.number(number).flatMap { range.contains($0) ? $0 : nil }
  }
}
