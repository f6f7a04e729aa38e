import Model
import Timebase

/// How far away a beacon seems to be, and when to report that (docs/behaviour.md, "Ranging"): first when it is
/// heard, then whenever the estimate is more than a fifth off the one reported last.
struct BeaconRanging {
  struct Rules {
    var pathLossExponent: Double
    /// Least time between two messages about one beacon.
    var interval: Span
  }

  struct Estimate: Hashable {
    /// Metres.
    var distance: Double
    /// Mean of the last second, dBm.
    var rssi: Int
    /// The estimate reported before; nil: this is the first.
    var before: Double?
  }

  /// The last second is evaluated when it is over, a little early rather than late: packets arrive
  /// irregularly.
  static let second = Span.milliseconds(950)
  /// Weight of a new second in the running mean.
  static let weight = 0.3
  /// After this much silence the running mean is void.
  static let stale = Span.seconds(10)
  static let worthPublishing = 0.2
  /// As many as the beacon engine remembers; beyond it the one silent longest is forgotten.
  static let limit = BeaconEngine.limit

  private struct Entry {
    var sum = 0
    var count = 0
    var looked: Instant
    var smoothed: Double
    var published: (distance: Double, at: Instant)?
  }

  private var entries: [BeaconNumber: Entry] = [:]

  /// The estimate to report now; nil: none.
  mutating func hear(_ sighting: Sighting, rules: Rules, at now: Instant) -> Estimate? {
    guard let rssi = sighting.rssi else { return nil }
    var isFirst = false
    if entries[sighting.beacon] == nil {
      isFirst = true
      makeRoom()
      entries[sighting.beacon] = Entry(looked: now, smoothed: Double(rssi))
    }
    assert(entries.count <= Self.limit, "\(entries.count) beacons are remembered")
    guard let index = entries.index(forKey: sighting.beacon) else { return nil }
    entries.values[index].sum += Int(rssi)
    entries.values[index].count += 1
    let entry = entries.values[index]
    guard isFirst || now - entry.looked >= Self.second else { return nil }
    let mean = Double(entry.sum) / Double(entry.count)
    let isStale = isFirst || now - entry.looked > Self.stale
    let smoothed = isStale ? mean : entry.smoothed + Self.weight * (mean - entry.smoothed)
    entries.values[index].smoothed = smoothed
    (entries.values[index].sum, entries.values[index].count) = (0, 0)
    entries.values[index].looked = now
    let distance = Proximity.metres(
      rssi: smoothed, power: Double(sighting.power), exponent: rules.pathLossExponent)
    assert(distance > 0 && distance.isFinite, "a distance of \(distance) m")
    let estimate = Estimate(distance: distance, rssi: Int(mean.rounded()), before: entry.published?.distance)
    guard let published = entry.published else { return estimate }
    guard (published.distance / distance - 1).magnitude > Self.worthPublishing,
      now - published.at >= rules.interval
    else { return nil }
    return estimate
  }

  mutating func published(_ estimate: Estimate, of beacon: BeaconNumber, at now: Instant) {
    entries[beacon]?.published = (estimate.distance, now)
  }

  /// A beacon that comes back is reported again.
  mutating func forget(where isGone: (BeaconNumber) -> Bool) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { !isGone($0.key) }
  }

  private mutating func makeRoom() {
    guard entries.count >= Self.limit else { return }
    if let victim = entries.min(by: { $0.value.looked < $1.value.looked }) { entries[victim.key] = nil }
  }
}
