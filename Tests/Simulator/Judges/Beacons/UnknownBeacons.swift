/// A beacon that is there lets itself be heard, or it is not there: before long something is known of each region.
struct UnknownBeacons: Judge {
  /// Seconds of listening.
  private static let patience = 10.0
  /// For how long the radio could have heard the beacons of regions of which nothing is known, by rid, seconds.
  private var unknown: [String: Double] = [:]

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .second:
      let radio = world.air.radio
      guard let tracker = world.working, !radio.isHung, radio.plan.duty > 0,
        world.configuration.beacons.enterRssi == 0
      else { return }
      let regions = tracker.knownRegions.filter { $0.region.kind == .beacon && $0.presence == .unknown }
      guard let late = wait(for: regions.map(\.region.rid), listened: Double(radio.plan.duty) / 100) else {
        return
      }
      world.complain(.picture, "of region \(late) nothing is known, and no beacon was heard for long")
    default: break
    }
  }

  /// `rids`: of beacons' regions of which nothing is known. The first of which that is so for too long.
  mutating func wait(for rids: [String], listened seconds: Double) -> String? {
    unknown = Dictionary(rids.map { ($0, (unknown[$0] ?? 0) + seconds) }) { first, _ in first }
    return rids.first { unknown[$0] ?? 0 > Self.patience }
  }
}
