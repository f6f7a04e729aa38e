import Timebase

/// `2023-11-14T22:13:20.5Z` and back, in the proleptic Gregorian calendar: gpsd's and GPX's way to
/// write a time.
public enum ISO8601 {
  /// Nil unless the whole text is a date, a `T`, a time with or without fraction and a zone (`Z` or
  /// `±hh:mm`). A leap second, `23:59:60`, is the second after `23:59:59`. Years 1...9999.
  public static func time(_ text: String) -> WallTime? {
    var reader = Reader(rest: text.utf8[...])
    guard let year = reader.number(4), year >= 1, reader.skip("-"), let month = reader.number(2),
      (1...12).contains(month), reader.skip("-"), let day = reader.number(2),
      day >= 1, day <= days(in: month, of: year), reader.skip("T") || reader.skip("t"),
      let hour = reader.number(2), hour < 24, reader.skip(":"), let minute = reader.number(2), minute < 60,
      reader.skip(":"), let second = reader.number(2), second <= 60
    else { return nil }
    let fraction = reader.fraction()
    guard let offset = reader.zone(), reader.rest.isEmpty else { return nil }
    let date = daysBefore(year: year) + daysBefore(month: month, of: year) + day - 1 - daysToEpoch
    let clock = hour * 3600 + minute * 60 + second - offset
    return WallTime(seconds: Double(date) * 86_400 + Double(clock) + fraction)
  }

  /// UTC, rounded to so many decimals of a second (0...9). Times outside the years 1...9999 become the
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
    var text = text(ofSecond: total)
    if scale > 1 { text += "." + padded(Int(ticks % scale), to: decimals) }
    return text + "Z"
  }

  private static func text(ofSecond second: Int64) -> String {
    let days = Int((Double(second) / 86_400).rounded(.down))
    let clock = Int(second - Int64(days) * 86_400)
    var left = days + daysToEpoch
    // Leap days come late in their cycles, so this guess by the mean year is right or one year short.
    var year = Int(Double(left) / 365.2425) + 1
    if daysBefore(year: year + 1) <= left { year += 1 }
    left -= daysBefore(year: year)
    let month = (1...12).last { daysBefore(month: $0, of: year) <= left } ?? 1
    let day = left - daysBefore(month: month, of: year) + 1
    let date = "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
    let time = "\(padded(clock / 3600, to: 2)):\(padded(clock / 60 % 60, to: 2)):\(padded(clock % 60, to: 2))"
    return date + "T" + time
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  // MARK: - The calendar

  /// Days from 0001-01-01 to 1970-01-01.
  private static let daysToEpoch = 719_162

  /// Days from 0001-01-01 to the first day of `year`.
  private static func daysBefore(year: Int) -> Int {
    let past = year - 1
    return 365 * past + past / 4 - past / 100 + past / 400
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func daysBefore(month: Int, of year: Int) -> Int {
    let common = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month - 1]
    return common + (month > 2 && isLeap(year) ? 1 : 0)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private struct Reader {
    var rest: Substring.UTF8View

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

    /// Seconds east of Greenwich.
    mutating func zone() -> Int? {
      if skip("Z") || skip("z") { return 0 }
      let isEast = skip("+")
      guard isEast || skip("-"), let hours = number(2), hours < 24, skip(":"), let minutes = number(2),
        minutes < 60
      else { return nil }
      return (hours * 3600 + minutes * 60) * (isEast ? 1 : -1)
    }
  }
}
