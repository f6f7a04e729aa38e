import Glibc

/// The one calendar: Gregorian days of UTC, as the C library counts them.
public enum UTC {
  /// Unix seconds at the beginning of a day; nil where the calendar has no such day, or not in the years 1...9999.
  public static func midnight(year: Int, month: Int, day: Int) -> Int? {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
    let seconds = timegm(&parts)
    // 30 February comes back as a day of March.
    return parts.tm_mday == Int32(day) ? seconds : nil
  }

  /// `2023-11-14T22:13:20`, of a second in the years 0 to 9999.
  static func text(ofSecond second: Int) -> String {
    var time = time_t(second)
    var parts = tm()
    gmtime_r(&time, &parts)
    var buffer = [CChar](repeating: 0, count: 40)
    let length = strftime(&buffer, buffer.count, "%04Y-%m-%dT%H:%M:%S", &parts)
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
