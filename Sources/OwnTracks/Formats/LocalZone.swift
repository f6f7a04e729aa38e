import Glibc

/// The time zone of this machine.
public enum LocalZone {
  /// Seconds east of Greenwich at a Unix time. The zone's file is looked at anew where it is another one than before.
  public static func offset(at unix: Int) -> Int {
    tzset()
    var moment = time_t(unix)
    var parts = tm()
    return localtime_r(&moment, &parts) == nil ? 0 : Int(parts.tm_gmtoff)
  }

  /// Of 7200 `+02:00`.
  public static func text(_ seconds: Int) -> String {
    let minutes = abs(seconds) / 60
    func two(_ number: Int) -> String { String(String(100 + number).dropFirst()) }
    return (seconds < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
  }

  /// Of `+02:00` 7200; nil: it is no such text.
  public static func seconds(_ text: String) -> Int? {
    let digits = text.utf8.dropFirst().compactMap { $0 == UInt8(ascii: ":") ? nil : Int($0) - 48 }
    guard text.utf8.count == 6, text.utf8.dropFirst(3).first == UInt8(ascii: ":"), digits.count == 4,
      digits.allSatisfy({ (0...9).contains($0) })
    else { return nil }
    let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
    guard minutes <= 14 * 60, digits[2] < 6 else { return nil }
    switch text.utf8.first {
    case UInt8(ascii: "+"): return minutes * 60
    case UInt8(ascii: "-"): return -minutes * 60
    default: return nil
    }
  }
}
