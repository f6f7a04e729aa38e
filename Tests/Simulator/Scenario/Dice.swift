import Glibc
import Timebase

/// Chance that is the same for the same seed, on every machine: xoshiro256**, seeded by SplitMix64.
/// Every part of the world has dice of its own, so that one that draws more leaves the others alone.
struct Dice {
  private var a: UInt64
  private var b: UInt64
  private var c: UInt64
  private var d: UInt64

  init(seed: UInt64, for part: String) {
    var mix = seed
    for byte in part.utf8 { mix = (mix ^ UInt64(byte)) &* 0x100_0000_01B3 }
    func draw() -> UInt64 {
      mix &+= 0x9E37_79B9_7F4A_7C15
      var value = mix
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
    (a, b, c, d) = (draw(), draw(), draw(), draw())
  }

  mutating func next() -> UInt64 {
    let product = b &* 5
    let result = (product << 7 | product >> 57) &* 9
    let shifted = b << 17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = d << 45 | d >> 19
    return result
  }

  /// 0..<1
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func chance(_ probability: Double) -> Bool { probability > 0 && unit() < probability }

  mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * unit() }

  mutating func whole(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[whole(0...elements.count - 1)] }

  /// Small and large are equally likely: for rates and lengths that span orders of magnitude.
  mutating func spread(_ low: Double, _ high: Double) -> Double { low * pow(high / low, unit()) }

  mutating func span(_ low: Double, _ high: Double) -> Span { .seconds(spread(low, high)) }

  /// Until the next of events that come `perHour`.
  mutating func wait(perHour: Double) -> Span { .seconds(-log(1 - unit()) * 3600 / perHour) }

  /// Roughly normal, mean 0, deviation 1.
  mutating func bell() -> Double { (unit() + unit() + unit() + unit() - 2) * 1.732 }
}
