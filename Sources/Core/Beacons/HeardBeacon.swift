import Model
import Timebase

/// One physical beacon that was heard: its rhythm and its strength. Plain values: hearing it again allocates
/// nothing.
struct HeardBeacon {
  /// Readings in the median strength: fading alone moves a single one by several dB.
  static let window = 5
  /// Fewest readings for an enter.
  static let fewest = 3

  let number: BeaconNumber
  /// dBm at 1 m, as the beacon itself claims.
  private(set) var power: Int8
  private(set) var gaps = BeaconGaps()
  /// When it was heard last: listening time, and the instant.
  private(set) var last: Span
  private(set) var lastAt: Instant
  /// Number of sightings; stops counting at a million.
  private(set) var sightings = 0
  /// Running mean, dBm; nil: the radio never reported it.
  private(set) var meanRSSI: Float?
  /// Until when, in listening time, it keeps its regions inside.
  var until = Span.zero
  /// Indices of the regions that it belongs to.
  var matches: [Int] = []
  /// The longest silence since its regions were left; part of its rhythm only if it is then near again.
  private var silence = Span.zero

  private var readings = SIMD8<Int8>()
  private var readingCount = 0
  private var nextReading = 0

  init(_ sighting: Sighting, listened: Span, at now: Instant) {
    number = sighting.beacon
    power = sighting.power
    last = listened
    lastAt = now
  }

  /// `isPresent`: one of its regions is inside, so a gap is part of its rhythm and no absence.
  mutating func note(_ sighting: Sighting, isPresent: Bool, listened: Span, at now: Instant) {
    power = sighting.power
    let gap = listened - last
    assert(gap >= .zero && now >= lastAt, "\(number) was heard before it was")
    if sightings > 0 {
      if gap > gaps.timeout { readingCount = 0 }
      if !isPresent {
        silence = max(silence, gap)
      } else if gap < gaps.timeout {
        gaps.learn(gap)
      }
    }
    last = listened
    lastAt = now
    if sightings < 1_000_000 { sightings += 1 }
    if let rssi = sighting.rssi { note(rssi) }
  }

  private mutating func note(_ rssi: Int8) {
    if readingCount == 0 { nextReading = 0 }
    assert(nextReading < Self.window && readingCount <= Self.window, "\(readingCount) readings")
    readings[nextReading] = rssi
    nextReading = (nextReading + 1) % Self.window
    readingCount = min(readingCount + 1, Self.window)
    meanRSSI = meanRSSI.map { $0 + (Float(rssi) - $0) / 8 } ?? Float(rssi)
    assert((-128...127).contains(meanRSSI ?? 0), "a mean of \(meanRSSI ?? 0) dBm")
  }

  /// The beacon came back. While little is known of its rhythm, a silence not much longer than the time-out was
  /// a gap that looked like a leave, and is learnt. Any other was an absence.
  mutating func returned() {
    let longest = gaps.timeout + gaps.timeout + gaps.timeout
    assert(silence >= .zero && longest >= gaps.timeout, "a silence of \(silence.seconds) s")
    if silence > .zero, silence <= longest, gaps.total < BeaconGaps.few { gaps.learn(silence) }
    silence = .zero
  }

  /// Strong, weak, or neither, where thresholds are set.
  func strength(enter: Int?, leave: Int) -> Strength {
    guard let enter else { return .near }
    guard readingCount > 0 else { return .between }
    let median = median()
    if median >= enter { return readingCount >= Self.fewest ? .near : .between }
    return median >= leave ? .between : .faint
  }

  enum Strength {
    case near
    /// Keeps a region inside, enters none.
    case between
    /// Treated as not heard.
    case faint
  }

  private func median() -> Int {
    var sorted = readings
    assert(readingCount > 0, "the middle of nothing")
    for index in 1..<max(readingCount, 1) {
      var lower = index
      while lower > 0, sorted[lower - 1] > sorted[lower] {
        (sorted[lower - 1], sorted[lower]) = (sorted[lower], sorted[lower - 1])
        lower -= 1
      }
    }
    return Int(sorted[readingCount / 2])
  }
}
