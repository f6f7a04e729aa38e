import Model
import Timebase

/// The packet reception ratio, how much of what is sent arrives: of each beacon's own calls, counted by its shortest usual gap.
/// A radio that filters repetitions, or one that is ill, shows itself here before regions suffer.
struct ReceptionRatio: Hashable {
  /// Beacons that are followed; the one that was heard longest ago makes room.
  static let limit = 8
  /// Gaps that a statement takes.
  static let sampleSize = 32
  /// One call arrives on up to three channels.
  static let repetition = Span.milliseconds(15)
  /// Longer than this, the beacon was away.
  static let absence = Span.minutes(1)
  /// The controllers' own filter lets each beacon through once in about ten seconds.
  static let filteredGap = 9.0

  struct Entry: Hashable {
    var beacon: BeaconNumber
    var last: Instant
    /// Seconds: the shortest and the sum of the gaps of this sample.
    var shortest = Double.infinity
    var sum = 0.0
    var count = 0
    /// Of the sample before: what is known.
    var interval: Double?
    var share: Double?
  }

  private(set) var entries: [Entry] = []

  mutating func heard(_ beacon: BeaconNumber, at now: Instant) {
    guard let index = entries.firstIndex(where: { $0.beacon == beacon }) else {
      let entry = Entry(beacon: beacon, last: now)
      if entries.count < Self.limit {
        entries.append(entry)
      } else if let oldest = entries.indices.min(by: { entries[$0].last < entries[$1].last }) {
        entries[oldest] = entry
      }
      return
    }
    let gap = now - entries[index].last
    guard gap >= Self.repetition else { return }
    entries[index].last = now
    guard gap < Self.absence else { return entries[index].begin() }
    entries[index].count(gap.seconds)
  }

  /// The part of their calls that arrives from the beacon that is heard best, 0 to 1; nil: not enough heard.
  var best: Double? { entries.compactMap(\.share).max() }

  /// All beacons come so rarely that the controller must be filtering.
  var isFiltered: Bool {
    let intervals = entries.compactMap(\.interval)
    return !intervals.isEmpty && intervals.allSatisfy { $0 >= Self.filteredGap }
  }
}

extension ReceptionRatio.Entry {
  mutating func begin() { (shortest, sum, count) = (.infinity, 0, 0) }

  mutating func count(_ gap: Double) {
    shortest = min(shortest, gap)
    sum += gap
    count += 1
    // Of a rare caller fewer gaps have to do.
    guard count >= ReceptionRatio.sampleSize || sum > 120 && count >= 8 else { return }
    interval = shortest
    share = min(1, shortest * Double(count) / sum)
    begin()
  }
}
