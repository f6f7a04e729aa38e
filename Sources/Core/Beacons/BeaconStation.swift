import Model
import Timebase

/// The beacon side of the tracker: the scanner's state, presence in beacon regions (`BeaconEngine`), the
/// distances of their beacons (`BeaconRanging`) and the scan plan (`ScanDuty`).
///
///     plan in force ──a region, the scanner, the network or a position has changed──▶ in doubt ──looked at──▶ in force
struct BeaconStation {
  /// A wake-up later than this after its deadline was overslept.
  static let lateness = Span.seconds(2)

  private let anchor = Anchor()
  private var engine = BeaconEngine()
  private var ranging = BeaconRanging()
  private var duty = ScanDuty()
  private(set) var scanner = ScannerState(isHearing: false)
  /// The scan plan may have to change.
  private(set) var isPlanInDoubt = true

  // MARK: Sightings

  /// Most sightings change nothing: this path allocates nothing for them.
  mutating func hear(
    _ sighting: Sighting, rules: BeaconEngine.Rules, deadlines: inout Deadlines, at now: Instant
  ) -> BeaconEngine.Found {
    let found = engine.hear(sighting, rules: rules, at: now)
    assert(found.crossings.allSatisfy { $0.crossing == .enter }, "a beacon that is heard is not left")
    if found.isSooner { deadlines[.beaconSilence] = engine.nextDeadline(at: now) }
    return found
  }

  /// When a beacon of the region was heard last; nil: not since the start.
  func lastHeard(rid: String) -> Instant? { engine.watched.first { $0.rid == rid }?.lastAt }

  /// The estimate to report now, with its region; nil: none.
  mutating func range(_ sighting: Sighting, rules: BeaconRanging.Rules, at now: Instant) -> (
    estimate: BeaconRanging.Estimate, region: BeaconEngine.Watched
  )? {
    guard let estimate = ranging.hear(sighting, rules: rules, at: now) else { return nil }
    return engine.region(of: sighting.beacon).map { (estimate, $0) }
  }

  mutating func published(_ estimate: BeaconRanging.Estimate, of beacon: BeaconNumber, at now: Instant) {
    ranging.published(estimate, of: beacon, at: now)
  }

  /// After crossings: the distance of a beacon that comes back is reported again.
  mutating func crossed(_ found: BeaconEngine.Found, deadlines: inout Deadlines, at now: Instant) {
    if found.crossings.contains(where: { $0.crossing == .leave }) {
      let engine = engine
      ranging.forget { engine.region(of: $0)?.state.presence != .inside }
    }
    changed(deadlines: &deadlines, at: now)
  }

  // MARK: Silence

  /// Regions whose beacon has been silent for too long; nil: not due yet.
  mutating func expire(
    rules: BeaconEngine.Rules, deadlines: inout Deadlines, at now: Instant
  ) -> BeaconEngine.Found? {
    if deadlines.takeIfDue(.scanWake, at: now) { isPlanInDoubt = true }
    guard let due = deadlines[.beaconSilence], due <= now else { return nil }
    if now - due > Self.lateness { engine.overslept(at: now) }
    let found = engine.expire(rules: rules, at: now)
    assert(found.crossings.allSatisfy { $0.crossing == .leave }, "silence enters nothing")
    deadlines[.beaconSilence] = engine.nextDeadline(at: now)
    return found
  }

  /// After anything that moves a beacon's deadline or changes the identities to listen for. Sightings only put
  /// the deadline off: it is checked again when it falls due.
  private mutating func changed(deadlines: inout Deadlines, at now: Instant) {
    deadlines[.beaconSilence] = engine.nextDeadline(at: now)
    isPlanInDoubt = true
  }

  // MARK: Positions

  /// Regions that GPS overrules; nil: there are no beacon regions.
  mutating func consider(_ fix: Fix, rules: BeaconEngine.Rules, at now: Instant) -> BeaconEngine.Found? {
    guard !engine.watched.isEmpty else { return nil }
    isPlanInDoubt = true
    let found = engine.consider(fix, rules: rules, at: now)
    assert(found.crossings.allSatisfy { $0.crossing == .leave }, "only the radio says that a beacon is here")
    return found
  }

  // MARK: Regions and settings

  /// Begins or stops watching the beacon of a region; returns its known presence.
  mutating func put(
    _ region: Region, _ presence: Presence, isSame: Bool, rules: BeaconEngine.Rules,
    deadlines: inout Deadlines, at now: Instant
  ) -> Presence {
    let known = engine.put(region, presence: presence, isSame: isSame, rules: rules, at: now)
    changed(deadlines: &deadlines, at: now)
    return known
  }

  mutating func remove(rid: String, deadlines: inout Deadlines, at now: Instant) {
    engine.remove(rid: rid)
    changed(deadlines: &deadlines, at: now)
  }

  mutating func rulesChanged(
    to rules: BeaconEngine.Rules, from old: BeaconEngine.Rules, deadlines: inout Deadlines, at now: Instant
  ) {
    engine.rulesChanged(to: rules, from: old)
    changed(deadlines: &deadlines, at: now)
  }

  mutating func goOn(from earlier: BeaconStation) { engine.goOn(from: earlier.engine) }

  // MARK: The scanner

  mutating func scannerChanged(_ state: ScannerState, deadlines: inout Deadlines, at now: Instant) {
    scanner = state
    engine.setHearing(state.isHearing, at: now)
    changed(deadlines: &deadlines, at: now)
  }

  /// A WiFi in the same band may have come or gone.
  mutating func networkChanged() { isPlanInDoubt = true }

  /// The new scan plan, if the situation has changed; nil: the plan in force stands. `measured`: when `position`
  /// arrived; nil: not since the start.
  mutating func planned(
    setting: Int, network: Network, position: Fix?, measured: Instant?, deadlines: inout Deadlines,
    at now: Instant
  ) -> ScanPlan? {
    assert(measured == nil || position != nil, "nothing was measured")
    isPlanInDoubt = false
    let new = duty.decide(
      .init(
        setting: setting, wanted: engine.wantedNow(),
        sharesAir: scanner.sharesAntenna && network.isInTwoGigahertzBand,
        nearest: measured == nil ? nil : nearest(to: position), measured: measured), at: now)
    deadlines[.scanWake] = duty.restsUntil
    guard let new else { return nil }
    assert((0...ScanDuty.full).contains(new.duty) && new.wanted.isEmpty == (new.duty == 0), "\(new)")
    engine.setDuty(new.duty, at: now)
    deadlines[.beaconSilence] = engine.nextDeadline(at: now)
    return new
  }

  private func nearest(to position: Fix?) -> Double? {
    guard let position else { return nil }
    return engine.distanceToNearest(from: position.coordinate).map { $0 - position.accuracy }
  }

  // MARK: Questions

  /// The plan in force.
  var plan: ScanPlan { duty.plan }

  /// Status of every beacon region and every beacon that was heard, the regions in their order
  /// and their beacons strongest first.
  func status(rules: BeaconEngine.Rules, pathLossExponent: Double, at now: Instant) -> [BeaconStatus] {
    engine.status(rules: rules, pathLossExponent: pathLossExponent, at: now)
  }

  /// First region whose presence by radio is not the one kept in `regions`, or nil.
  func inconsistency(with regions: RegionEngine) -> String? {
    for watched in engine.watched {
      guard let kept = regions.region(rid: watched.rid) else { return "\(watched.rid) is no region" }
      if kept.presence != watched.state.presence {
        return "\(watched.rid) is \(watched.state.presence) by radio, and \(kept.presence) is kept"
      }
    }
    return nil
  }
}
