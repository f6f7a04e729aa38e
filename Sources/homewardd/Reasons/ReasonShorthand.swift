import Core

/// Reasons of which a moving board has one a second, as the files keep them until they are asked for: a letter, the
/// bits of each number and of the time in 16 hexadecimal digits, a semicolon. To write one out as JSON costs a tenth of
/// all that is computed for a position, and hardly any is ever read.
enum ReasonShorthand {
  private static let end = UInt8(ascii: ";")
  private static let digits = Array("0123456789abcdef".utf8)

  /// Without its number; nil: it has no short form.
  static func text(_ entry: Journal.Entry) -> [UInt8]? {
    guard entry.isPublished, entry.count == 1, let time = entry.time,
      let (letter, values) = parts(entry.reason)
    else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(2 + 16 * (values.count + 1))
    text.append(letter)
    for value in values { append(value, to: &text) }
    append(time, to: &text)
    text.append(end)
    return text
  }

  /// Whether this is how a whole one looks.
  static func isWhole(_ text: ArraySlice<UInt8>) -> Bool { text.last == end && text.count % 16 == 2 }

  /// Nil: it is none, or one of a later version.
  static func entry(_ text: ArraySlice<UInt8>, number: UInt64) -> Journal.Entry? {
    guard isWhole(text), let letter = text.first else { return nil }
    var values: [Double] = []
    for from in stride(from: text.startIndex + 1, to: text.endIndex - 1, by: 16) {
      guard let value = value(text[from..<from + 16]) else { return nil }
      values.append(value)
    }
    guard let time = values.popLast(), let reason = reason(letter, values) else { return nil }
    return Journal.Entry(number: number, reason: reason, isPublished: true, time: time)
  }

  // MARK: Reasons

  private static func parts(_ reason: Reason) -> (UInt8, [Double])? {
    switch reason {
    case .moved(let metres, let needed): (UInt8(ascii: "m"), [metres, needed])
    case .movedAndWaited(let metres, let seconds): (UInt8(ascii: "w"), [metres, seconds])
    case .stopped(let metres): (UInt8(ascii: "s"), [metres])
    case .intervalElapsed(let seconds): (UInt8(ascii: "i"), [seconds])
    case .turned(let degrees, let metres): (UInt8(ascii: "t"), [degrees, metres])
    case .speedChanged(let before, let now): (UInt8(ascii: "v"), [before, now])
    case _: nil
    }
  }

  private static func reason(_ letter: UInt8, _ values: [Double]) -> Reason? {
    switch (letter, values.count) {
    case (UInt8(ascii: "m"), 2): .moved(metres: values[0], needed: values[1])
    case (UInt8(ascii: "w"), 2): .movedAndWaited(metres: values[0], seconds: values[1])
    case (UInt8(ascii: "s"), 1): .stopped(metres: values[0])
    case (UInt8(ascii: "i"), 1): .intervalElapsed(seconds: values[0])
    case (UInt8(ascii: "t"), 2): .turned(degrees: values[0], metres: values[1])
    case (UInt8(ascii: "v"), 2): .speedChanged(before: values[0], now: values[1])
    case _: nil
    }
  }

  // MARK: Numbers

  private static func append(_ value: Double, to text: inout [UInt8]) {
    let bits = value.bitPattern
    for shift in stride(from: 60, through: 0, by: -4) { text.append(digits[Int(bits >> UInt64(shift) & 15)]) }
  }

  private static func value(_ text: ArraySlice<UInt8>) -> Double? {
    var bits: UInt64 = 0
    for byte in text {
      guard let digit = digits.firstIndex(of: byte) else { return nil }
      bits = bits << 4 | UInt64(digit)
    }
    return Double(bitPattern: bits)
  }
}
