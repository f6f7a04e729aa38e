import Timebase

/// How long one beacon is silent between two of its advertisements, and the time-out derived from it: its
/// 99.9th percentile times 2.5, at least 30 s, at most 300 s. Losses that are independent of each other
/// make longer gaps exponentially rarer, so such a time-out is exceeded by about 3 gaps in 10^8.
struct BeaconGaps {
  static let shortest = Span.seconds(30)
  static let longest = Span.seconds(300)
  /// For a beacon heard once: its rhythm is unknown.
  static let unknown = Span.seconds(60)
  static let factor = 2.5
  /// Gaps needed to read off the 99.9th percentile. With fewer it is estimated from the mean: of
  /// exponentially distributed gaps one in a thousand exceeds ln 1000 = 6.9 means.
  static let enough = 1000
  static let meansInPercentile = 6.9
  /// Below this many gaps the mean itself is uncertain, and a larger one is assumed.
  static let few = 30
  /// At this many gaps half of them are forgotten: the beacon's interval may have been changed.
  static let memory = 8192

  /// Four buckets an octave, from 1/32 s to 512 s. Empty before the first gap.
  private var counts: [UInt16] = []
  private static let buckets = 56
  private static let lowest = -5
  private(set) var total = 0
  private var sum = 0.0
  private(set) var timeout = BeaconGaps.unknown

  /// Seconds; nil before the first gap.
  var mean: Double? { total > 0 ? sum / Double(total) : nil }

  mutating func learn(_ gap: Span) {
    if counts.isEmpty { counts = [UInt16](repeating: 0, count: Self.buckets) }
    let seconds = gap.seconds
    assert(gap >= .zero, "a silence ends after it began")
    counts[Self.bucket(of: seconds)] += 1
    total += 1
    sum += seconds
    if total >= Self.memory { forgetHalf() }
    assert((1..<Self.memory).contains(total) && sum >= 0, "\(total) gaps of \(sum) s")
    if total < Self.few || total % 16 == 0 { timeout = judged() }
  }

  private mutating func forgetHalf() {
    let before = total
    for bucket in counts.indices { counts[bucket] /= 2 }
    total = counts.reduce(0) { $0 + Int($1) }
    assert(total * 2 <= before, "\(total) is more than half of \(before)")
    sum *= Double(total) / Double(before)
  }

  private func judged() -> Span {
    assert(
      total > 0 && total == counts.reduce(0) { $0 + Int($1) }, "\(total) gaps, and others in the buckets")
    let rare: Double
    if total >= Self.enough {
      rare = longGap()
    } else {
      let doubt = total < Self.few ? 1 + 1 / Double(total).squareRoot() : 1
      rare = sum / Double(total) * Self.meansInPercentile * doubt
    }
    return min(max(.seconds(rare * Self.factor), Self.shortest), Self.longest)
  }

  /// Length exceeded by one gap in a thousand, seconds: the upper end of its bucket.
  private func longGap() -> Double {
    assert(total >= Self.enough, "one in a thousand of \(total)")
    var above = total / 1000
    for bucket in counts.indices.reversed() where counts[bucket] > 0 {
      above -= Int(counts[bucket])
      if above < 0 { return Self.upperEnd(of: bucket) }
    }
    return 0
  }

  /// Quarters of an octave by the first two bits of the fraction: no logarithm.
  private static func bucket(of seconds: Double) -> Int {
    guard seconds.isNormal, seconds > 0 else { return 0 }
    let quarter = Int((seconds.significand - 1) * 4)
    return min(max((Int(seconds.exponent) - lowest) * 4 + quarter, 0), buckets - 1)
  }

  private static func upperEnd(of bucket: Int) -> Double {
    let octave = Double(sign: .plus, exponent: bucket / 4 + lowest, significand: 1)
    return octave * (1 + Double(bucket % 4 + 1) / 4)
  }
}
