import Model
import Timebase

/// One line about beacons, for `homeward beacons` and `status`: a physical beacon that was heard, under
/// each region that it belongs to, or a region whose beacon was never heard.
public struct BeaconStatus: Hashable, Sendable {
  /// Most lines: every beacon that is remembered, and as many regions again and again.
  public static let limit = 512

  /// The region's full name.
  public var region: String
  /// The region's id; several beacons may share it.
  public var rid: String
  /// The identity that the region matches, with its wildcards.
  public var identity: BeaconIdentity
  /// Nil: never heard, and then the next three are nil too.
  public var beacon: BeaconNumber?
  /// Running mean, dBm; nil where the radio does not say.
  public var rssi: Int?
  /// Metres, estimated from `rssi`.
  public var distance: Double?
  /// Since the beacon was last heard.
  public var age: Span?
  /// Whether the board is in the region.
  public var isInside: Bool
  /// The region is left after this much listening without the beacon.
  public var lossTimeout: Span
  /// Reasons why the beacon is unreliable.
  public var hints: [BeaconHint]
}

/// Why a beacon is unreliable, and what its owner can do about it.
public enum BeaconHint: Hashable, Sendable {
  /// Mean time between two packets heard, seconds.
  case slow(seconds: Double)
  /// Mean strength, dBm.
  case weak(rssi: Int)

  /// Slower than this, seconds: a leave is then noticed after minutes.
  public static let slowest = 2.0
  /// Below this reception is a matter of luck, dBm.
  public static let weakest = -90
  /// Judged only from this many packets on.
  static let fewest = 10

  /// The problem and its remedy, for a table's last column.
  public var sentence: String {
    switch self {
    case .slow(let seconds):
      "heard only every \((seconds * 10).rounded() / 10) s: set its interval to 1 s or less, or move the "
        + "antenna"
    case .weak(let rssi):
      "heard at \(rssi) dBm only: raise its power, change its battery, or put it nearer"
    }
  }
}

extension BeaconEngine {
  /// A line for each region and beacon, the regions in their order and their beacons strongest first.
  func status(rules: Rules, pathLossExponent: Double, at now: Instant) -> [BeaconStatus] {
    let rows = watched.indices.flatMap { lines(of: $0, rules, pathLossExponent, at: now) }
    return Array(rows.prefix(BeaconStatus.limit))
  }

  private func lines(
    of index: Int, _ rules: Rules, _ pathLossExponent: Double, at now: Instant
  ) -> [BeaconStatus] {
    let entry = watched[index]
    let own = heard.filter { entry.matches($0.number) }
    var line = BeaconStatus(
      region: entry.fullName, rid: entry.rid, identity: entry.beacon,
      isInside: entry.state.presence == .inside, lossTimeout: rules.lossTimeout ?? entry.timeout, hints: [])
    guard !own.isEmpty else { return [line] }
    let sorted = own.sorted { ($0.meanRSSI ?? -128) > ($1.meanRSSI ?? -128) }
    return sorted.map { heard in
      line.beacon = heard.number
      line.rssi = heard.meanRSSI.map { Int($0.rounded()) }
      line.distance = heard.meanRSSI.map {
        Proximity.metres(rssi: Double($0), power: Double(heard.power), exponent: pathLossExponent)
      }
      line.age = now - heard.lastAt
      line.lossTimeout = rules.lossTimeout ?? heard.gaps.timeout
      line.hints = heard.hints
      return line
    }
  }
}

extension HeardBeacon {
  var hints: [BeaconHint] {
    guard sightings >= BeaconHint.fewest else { return [] }
    var hints: [BeaconHint] = []
    if let mean = gaps.mean, gaps.total >= BeaconHint.fewest - 1, mean > BeaconHint.slowest {
      hints.append(.slow(seconds: mean))
    }
    if let meanRSSI, meanRSSI < Float(BeaconHint.weakest) {
      hints.append(.weak(rssi: Int(meanRSSI.rounded())))
    }
    return hints
  }
}
