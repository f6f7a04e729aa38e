import Core
import Model
import Timebase

/// Beacons that are heard, and only faintly: to people who have set how strong one has to be it is as if they were not
/// there. Kept by the world, one for each life of the process.
struct Faints {
  /// So many in a row leave no doubt: a single one says nothing.
  private static let enough = 3
  /// What a wake-up may take, and a change of the radio, seconds.
  fileprivate static let slack = 15.0

  private var ears: [BeaconNumber: (count: Int, since: Instant?)] = [:]
  /// Of what they were heard by.
  private var listener = (life: 0, breaks: 0)

  mutating func hear(_ sighting: Sighting, _ configuration: Configuration, at now: Instant) {
    guard let rssi = sighting.rssi, configuration.beacons.enterRssi != 0 else { return }
    let (enter, leave) = (configuration.beacons.enterRssi, configuration.beacons.leaveRssi)
    let limit = leave == 0 ? enter - Configuration.rssiHysteresis : leave
    let before = ears[sighting.beacon] ?? (0, nil)
    let count = Int(rssi) < limit ? before.count + 1 : 0
    let since = count >= Self.enough ? before.since ?? now : nil
    ears[sighting.beacon] = (count, since)
  }

  /// Another process, or another radio: nothing is known.
  fileprivate mutating func listens(life: Int, breaks: Int, isWell: Bool) {
    if !isWell || listener != (life, breaks) { ears = [:] }
    listener = (life, breaks)
  }

  /// Since when all that was heard of it was too faint; nil: not all was.
  fileprivate func since(of identity: BeaconIdentity) -> Instant? {
    let all = ears.filter { identity.matches($0.key) }.map(\.value.since)
    return all.contains(nil) ? nil : all.compactMap { $0 }.max()
  }
}

extension World {
  /// The longest silence that the board may wait for, where people have not set it, seconds.
  private static let longest = 300.0

  /// Once a second.
  func judgeFaints() {
    let isWell = isRunning && !isStopping && takingUp == nil && !radio.isHung && radio.plan.duty == 100
    faints.listens(life: life, breaks: ledger.breaks.count, isWell: isWell)
    guard isWell, let tracker, configuration.beacons.enterRssi != 0 else { return }
    let timeout = Double(configuration.beacons.lossTimeout)
    for known in tracker.knownRegions where known.region.kind == .beacon && known.presence == .inside {
      guard let beacon = known.region.beacon, let since = faints.since(of: beacon) else { continue }
      let hold = known.region.isHoldDown ? Double(configuration.regions.holdDown) : 0
      let allowed = (timeout > 0 ? timeout : Self.longest) + hold + Faints.slack
      guard (now - since).seconds > allowed else { continue }
      ledger.complain(
        .truth, "\(known.region.name) is not left, and was only heard faintly for \(allowed) s", at: now)
      faints = Faints()
    }
  }
}
