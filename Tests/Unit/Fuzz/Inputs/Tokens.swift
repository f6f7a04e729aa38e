/// What parsers have stumbled over before.
enum Tokens {
  static let bytes: [UInt8] =
    [0, 1, 2, 0x15, 0x19, 0x1A, 0x1F, 0x20, 0x7F, 0x80, 0xC0, 0xED, 0xFE, 0xFF]
    + Array("\n\r\t\"\\{}[],:0-".utf8)

  static let numbers: [[UInt8]] = [
    "0", "1", "-1", "-0", "127", "128", "255", "256", "32768", "65535", "65536", "2147483647", "2147483648",
    "4294967295", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "0.1", "1e308", "-1e308", "1e999",
    "1e-308", "5e-324", "89.9999999", "90", "90.0000001", "180", "180.0000001", "-180", "1e15", "1700000000",
  ].map { Array($0.utf8) }

  static let text: [[UInt8]] =
    numbers
    + [
      "null", "true", "false", "{}", "[]", "\"\"", "NaN", "inf", "[[", "{\"a\":", "\\u0000", "\\ud800",
      "\\u2028",
      "\u{2028}", "\u{85}", "\u{FEFF}", "é", "😀", "\r\n", "\n", "\0", " ", ",", ":", "=", "/", "..", "+", "#",
      "%00",
      "\u{1B}[2J", "Infinity", "0x10", "T", "Z", "+24:00", "\"_type\":", "\"rid\":", "\"tst\":",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xF0, 0x9F], [0xED, 0xA0, 0x80]]

  /// The beginning of a frame and of a batch, extremes in two and four bytes, and runs of nothing.
  static let binary: [[UInt8]] = [
    [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15], [0x1B, 0xFF, 0x4C, 0x00, 0x02, 0x15], [0x02, 0x01, 0x06],
    [0x4C, 0x00],
    [0x3E, 0x02], [0x3E, 0x0D], Array("HWL1".utf8), [0], [1], [0x7F], [0x80], [0xFF], [0, 0], [0xFF, 0xFF],
    [0x7F, 0xFF],
    [0x80, 0], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 0, 0, 0xF0, 0x7F],
    [0, 0, 0, 0, 0, 0, 0xF8, 0x7F],
    [0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x7F, 0xEF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
  ]

  static let groups = ["0123456789", "\"'`", "{}[]()<>", ",:;=./", " \t\n\r\0", "+-eE"].map { Array($0.utf8) }
}
