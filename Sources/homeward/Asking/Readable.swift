import Glibc
import Model
import OwnTracks

/// Numbers as people read them.
enum Readable {
  /// `45 s`, `12 min`, `3 h 20 min`, `4 d 2 h`.
  static func span(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds.magnitude < 1e12 else { return "?" }
    let whole = Int(max(0, seconds).rounded())
    switch whole {
    case ..<120: return "\(whole) s"
    case ..<7200: return "\(whole / 60) min"
    case ..<172_800: return "\(whole / 3600) h \(whole % 3600 / 60) min"
    default: return "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
    }
  }

  /// Local date, time of day and zone, `2026-05-31 14:00:00+02:00`: a form that `TimeWords` reads.
  static func time(_ unix: Double) -> String {
    guard unix.magnitude < 1e11 else { return "?" }
    var seconds = time_t(unix)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 40)
    let length = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S%z", &parts)
    let text = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(text.dropLast(2)):\(text.suffix(2))"
  }

  /// `1 message`, `12 messages`, `2 entities`.
  static func count(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<10_000: "\(count) bytes"
    case ..<10_000_000: "\(count / 1000) kB"
    default: "\(count / 1_000_000) MB"
    }
  }

  /// Always with six decimals, so that they stand below each other.
  static func degrees(_ value: Double) -> String {
    let millionths = Int((value.magnitude * 1e6).rounded())
    let fraction = String(1_000_000 + millionths % 1_000_000).dropFirst()
    return (value < 0 ? "-" : "") + "\(millionths / 1_000_000).\(fraction)"
  }

  /// A number without needless decimals.
  static func number(_ value: Double, decimals: Int = 1) -> String {
    guard value.isFinite else { return "?" }
    let scale = pow(10, Double(decimals))
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() && rounded.magnitude < 1e15
      ? String(Int(rounded)) : DecimalText.plain(rounded)
  }

  /// Up to six decimals; a dash where it is unknown.
  static func number(_ value: Double?) -> String { value.map { number($0, decimals: 6) } ?? "-" }

  /// A dash where it is unknown.
  static func text(_ text: String?) -> String { text ?? "-" }

  /// All of a few; of many the first three, and how many more: a board that is described to Home Assistant has a
  /// dozen topics.
  static func few(_ elements: [String]) -> String {
    let shown = elements.count > 4 ? 3 : elements.count
    let names = elements.prefix(shown).joined(separator: ", ")
    return names + (elements.count > shown ? " and \(elements.count - shown) more" : "")
  }

  /// Whatever a JSON value is, as text without quotes.
  static func value(_ json: JSON?) -> String {
    switch json {
    case nil, .null: "-"
    case .boolean(let flag): flag ? "yes" : "no"
    case .integer(let number): String(number)
    case .real(let number): Self.number(number, decimals: 6)
    case .string(let text): text
    case .array(let elements): elements.map { value($0) }.joined(separator: ", ")
    case .object: json?.description ?? "-"
    }
  }
}
