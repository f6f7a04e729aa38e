import Model
import Timebase

/// Beacons that are heard, and only faintly: to people who have set how strong one has to be it is as if they were not
/// there.
struct FaintBeacons: Judge {
  /// So many in a row leave no doubt: a single one says nothing.
  private static let enough = 3
  /// What a wake-up may take, and a change of the radio; and the longest silence that the board may wait for, where people
  /// have not set it. Seconds.
  private static let (slack, longest) = (15.0, 300.0)

  private var heard: [BeaconNumber: (count: Int, since: Instant?)] = [:]
  /// Of what they were heard by.
  private var listener = (life: 0, breaks: 0)

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .sighted(let sighting): hear(sighting, world.configuration.beacons, at: world.now)
    case .second: look(world)
    // The tracker waits anew, as after a start.
    case .tookUp: heard = [:]
    default: break
    }
  }

  private mutating func hear(_ sighting: Sighting, _ beacons: Configuration.Beacons, at now: Instant) {
    guard let rssi = sighting.rssi, beacons.enterRssi != 0 else { return }
    let leave = beacons.leaveRssi
    let limit = leave == 0 ? beacons.enterRssi - Configuration.rssiHysteresis : leave
    let before = heard[sighting.beacon] ?? (0, nil)
    let count = Int(rssi) < limit ? before.count + 1 : 0
    heard[sighting.beacon] = (count, count >= Self.enough ? before.since ?? now : nil)
  }

  /// Since when all that was heard of it was too faint; nil: not all was.
  private func since(of identity: BeaconIdentity) -> Instant? {
    let all = heard.filter { identity.matches($0.key) }.map(\.value.since)
    return all.contains(nil) ? nil : all.compactMap { $0 }.max()
  }

  private mutating func look(_ world: World) {
    let radio = world.air.radio
    let isWell =
      world.process.isRunning && !world.process.isStopping && world.process.takingUp == nil && !radio.isHung
      && radio.plan.duty == 100
    // Another process, or another radio: nothing is known.
    if !isWell || listener != (world.life, world.ledger.breaks.count) { heard = [:] }
    listener = (world.life, world.ledger.breaks.count)
    guard isWell, let tracker = world.tracker, world.configuration.beacons.enterRssi != 0 else { return }
    let timeout = Double(world.configuration.beacons.lossTimeout)
    for known in tracker.knownRegions where known.region.kind == .beacon && known.presence == .inside {
      guard let since = known.region.beacon.flatMap({ self.since(of: $0) }) else { continue }
      let allowed = (timeout > 0 ? timeout : Self.longest) + world.hold(of: known.region) + Self.slack
      guard world.seconds(since: since) > allowed else { continue }
      world.complain(
        .truth, "\(known.region.name) is not left, and was only heard faintly for \(allowed) s")
      self = Self()
    }
  }
}
