import Glibc
import OwnTracks
import Timebase

/// A text is a time or none, and one that is can be written and read again; the C library's calendar
/// agrees. Eight bytes behind a zero are a number of seconds instead.
enum ISO8601Target {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    if input.count == 9, input[0] == 0 {
      write(Double(bitPattern: input.loadUnaligned(fromByteOffset: 1, as: UInt64.self)))
    } else {
      read(String(decoding: input, as: UTF8.self))
    }
  }

  /// The years 1 to 9999, and a day for the zone.
  private static let possible = -62_135_683_200.0...253_402_387_200.0

  private static func read(_ text: String) {
    guard let time = ISO8601.time(text) else { return }
    claim(possible.contains(time.seconds), "\(time.seconds) is in no year of four digits")
    // A fraction of many nines is as near to the next second as a double can tell.
    let fraction = time.seconds - calendar(text)
    claim((0...1).contains(fraction), "\(text) is \(time.seconds), not \(calendar(text))")
    write(time.seconds)
  }

  /// Without the fraction, by timegm.
  private static func calendar(_ text: String) -> Double {
    let bytes = Array(text.utf8)
    func number(_ place: Int, _ count: Int) -> Int32 {
      bytes[place..<(place + count)].reduce(0) { $0 * 10 + Int32($1) - 48 }
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0, 4) - 1900, number(5, 2) - 1, number(8, 2))
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11, 2), number(14, 2), number(17, 2))
    let seconds = Double(timegm(&parts))
    guard let last = bytes.last, last != UInt8(ascii: "Z"), last != UInt8(ascii: "z") else { return seconds }
    let zone = bytes.count - 6
    let offset = Double(number(zone + 1, 2) * 3600 + number(zone + 4, 2) * 60)
    return seconds - (bytes[zone] == UInt8(ascii: "+") ? offset : -offset)
  }

  private static func write(_ seconds: Double) {
    for decimals in 0...9 {
      let text = ISO8601.text(WallTime(seconds: seconds), decimals: decimals)
      let back = ISO8601.time(text)
      claim(back != nil, "\(text), written for \(seconds), is no time")
      guard let back else { continue }
      claim(ISO8601.text(back, decimals: decimals) == text, "\(text) is written anew otherwise")
      guard possible.contains(seconds), back.seconds.magnitude < 6e10 else { continue }
      let step = pow(0.1, Double(decimals)) / 2 + 1e-5
      claim((back.seconds - seconds).magnitude <= step, "\(text) is \(back.seconds - seconds) s off")
    }
  }
}
