import Model

/// What measures the battery that starts the vehicle, as the key `vehicleBattery` has it.
public enum VoltageSource: Hashable, Sendable {
  /// A voltage meter INA219, which takes up to 26 V.
  case ina219(BatterySource.I2CPlace)
  /// A file that somebody else writes.
  case file(String)
  /// A program and its arguments; what it prints.
  case command([String])

  /// Nil: it is none of these.
  public init?(_ text: String) {
    switch BatterySource(text) {
    case .ina219(let place, isReversed: false): self = .ina219(place)
    case .file(let path): self = .file(path)
    case .command(let words): self = .command(words)
    default: return nil
    }
  }
}

/// What files and programs say of a voltage: `12.4`, or `12.4 V`.
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
