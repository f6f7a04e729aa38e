/// SplitMix64: a few nanoseconds a draw, and every seed is as good as another.
struct Chance {
  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var state: UInt64

  /// Mixed, or neighbouring numbers would draw the same, one draw apart.
  init(_ seed: UInt64, _ number: UInt64) {
    state = Self.mix(seed ^ Self.mix(number &+ Self.step))
  }

  /// A name as a seed, by FNV-1a: hash values of Swift are others in every process.
  static func seed(_ name: String) -> UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mix(state)
  }

  /// 0 where there is nothing to choose from.
  mutating func below(_ limit: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: max(0, limit))).high)
  }

  private static func mix(_ bits: UInt64) -> UInt64 {
    var mixed = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
