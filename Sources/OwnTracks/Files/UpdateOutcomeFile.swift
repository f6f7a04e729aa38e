import Model

extension UpdateOutcome {
  /// The line that `homeward-update` leaves: result, version and Unix seconds. Nil: it is none.
  public init?(line bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let result = Result(rawValue: String(words[0])),
      (1...100).contains(words[1].utf8.count), words[1].utf8.allSatisfy(Self.isOfAVersion),
      let time = Int(words[2]), (0...253_402_300_799).contains(time)
    else { return nil }
    self.init(result, version: String(words[1]), time: time)
  }

  /// As Debian's policy has it.
  private static func isOfAVersion(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "~"), UInt8(ascii: ":"):
      true
    case _: false
    }
  }
}
