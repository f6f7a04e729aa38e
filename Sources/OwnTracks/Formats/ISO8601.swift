import Timebase

/// `2023-11-14T22:13:20.5Z` and back, by the calendar of `UTC`: gpsd's and GPX's way to
/// write a time.
public enum ISO8601 {
  /// The result of reading a text.
  public enum Written: Hashable, Sendable {
    /// A time that there is.
    case time(WallTime)
    /// A time as it is written, of a day or a minute that there is not: 31 February, month 13, 24:60.
    case impossible
    /// Something else.
    case unreadable
  }

  /// Nil unless the whole text is a date, a `T`, a time with or without fraction and a zone (`Z` or
  /// `±hh:mm`). A leap second, `23:59:60`, is the second after `23:59:59`. Years 1...9999.
  public static func time(_ text: String) -> WallTime? {
    if case .time(let time) = read(text, isStrict: true) { time } else { nil }
  }

  /// As `time`, but as other programs record it: without a zone it is UTC, as in GPX; the zone may be `±hhmm` or `±hh`,
  /// and the `T` a blank.
  public static func recorded(_ text: String) -> Written { read(text, isStrict: false) }

  private static func read(_ text: String, isStrict: Bool) -> Written {
    var reader = Reader(rest: text.utf8[...], isStrict: isStrict)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
      reader.skip("-"), let day = reader.number(2), reader.separator(),
      let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2),
      reader.skip(":"), let second = reader.number(2)
    else { return .unreadable }
    let fraction = reader.fraction()
    guard let offset = reader.zone(), reader.rest.isEmpty else { return .unreadable }
    guard hour < 24, minute < 60, second <= 60,
      let midnight = UTC.midnight(year: year, month: month, day: day)
    else { return .impossible }
    let whole = midnight + hour * 3600 + minute * 60 + second - offset
    return .time(WallTime(seconds: Double(whole) + fraction))
  }

  /// UTC, rounded to `decimals` of a second (0...9). Times outside the years 1...9999 become the
  /// nearest that can be written.
  public static func text(_ time: WallTime, decimals: Int = 0) -> String {
    var scale: Int64 = 1
    for _ in 0..<min(9, max(0, decimals)) { scale *= 10 }
    let first = -62_135_596_800.0
    let last = 253_402_300_799.0
    // NaN ends at `first` too: max() would let it through.
    let seconds = time.seconds > first ? min(time.seconds, last) : first
    let whole = seconds.rounded(.down)
    let ticks = Int64(((seconds - whole) * Double(scale)).rounded())
    let total = min(Int64(whole) + ticks / scale, Int64(last))
    var text = UTC.text(ofSecond: Int(total))
    if scale > 1 { text += "." + padded(Int(ticks % scale), to: decimals) }
    return text + "Z"
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private struct Reader {
    var rest: Substring.UTF8View
    let isStrict: Bool

    mutating func number(_ count: Int) -> Int? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
      rest = rest.dropFirst(count)
      return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard let first = rest.first, UInt32(first) == character.value else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// 0 where there is none; digits beyond the twelfth are below a double's resolution anyway.
    mutating func fraction() -> Double {
      guard rest.first == UInt8(ascii: "."), let next = rest.dropFirst().first, (48...57).contains(next)
      else {
        return 0
      }
      rest = rest.dropFirst()
      let digits = rest.prefix { (48...57).contains($0) }
      rest = rest[digits.endIndex...]
      var value = 0.0
      var scale = 1.0
      for digit in digits.prefix(12) {
        value = value * 10 + Double(digit - 48)
        scale *= 10
      }
      return value / scale
    }

    mutating func separator() -> Bool { skip("T") || skip("t") || (!isStrict && skip(" ")) }

    /// Seconds east of Greenwich.
    mutating func zone() -> Int? {
      if skip("Z") || skip("z") { return 0 }
      if !isStrict, rest.isEmpty { return 0 }
      let isEast = skip("+")
      guard isEast || skip("-"), let hours = number(2), hours < 24 else { return nil }
      let sign = isEast ? 1 : -1
      if !isStrict, rest.isEmpty { return hours * 3600 * sign }
      guard skip(":") || !isStrict, let minutes = number(2), minutes < 60 else { return nil }
      return (hours * 3600 + minutes * 60) * sign
    }
  }
}
