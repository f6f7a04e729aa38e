import Model
import Timebase

/// Sightings from the radio, and their consequences.
extension Tracker {
  mutating func sighted(_ sighting: Sighting, at now: Moment, into effects: inout [Effect]) {
    let found = station.hear(sighting, rules: layers.rules.beacons, deadlines: &deadlines, at: now.instant)
    if !found.isNothing { beaconsSaid(found, at: now, into: &effects) }
    if found.isInside, layers.inForce.beacons.ranging { range(sighting, at: now, into: &effects) }
  }

  mutating func scannerChanged(_ state: ScannerState, at now: Moment) {
    station.scannerChanged(state, deadlines: &deadlines, at: now.instant)
  }

  private mutating func beaconsSaid(
    _ found: BeaconEngine.Found, at now: Moment, into effects: inout [Effect]
  ) {
    announce(news(found, at: now, into: &effects), positioning.position, at: now, into: &effects)
  }

  /// Notes what beacons said, and makes of their crossings what can be told.
  mutating func news(
    _ found: BeaconEngine.Found, at now: Moment, into effects: inout [Effect]
  ) -> [News] {
    for note in found.notes { withhold(note, at: now, into: &effects) }
    for (rid, presence) in found.settled {
      regions.mark(rid: rid, presence)
      guard let known = regions.region(rid: rid) else { continue }
      outbox.remember(.region(known.region, presence), isUrgent: true)
    }
    for (rid, crossing, _) in found.crossings {
      assert(regions.region(rid: rid) != nil, "a beacon region that no region engine keeps")
      regions.mark(rid: rid, crossing == .enter ? .inside : .outside)
    }
    if positioning.position?.isHidden == true { reconsiderHiding(after: found) }
    station.crossed(found, deadlines: &deadlines, at: now.instant)
    return found.crossings.compactMap { rid, crossing, reason in
      regions.region(rid: rid).map { News(region: $0.region, crossing: crossing, reason: reason) }
    }
  }

  /// A private region was left, perhaps: where no beacon of it was heard any more is no secret. The place of before, of a
  /// receiver that has had no fix since, stays one.
  private mutating func reconsiderHiding(after found: BeaconEngine.Found) {
    let left = found.crossings.compactMap { $0.crossing == .leave ? station.lastHeard(rid: $0.rid) : nil }
    guard !regions.isBesidePrivateBeacon, let arrived = positioning.arrived,
      left.allSatisfy({ $0 < arrived })
    else { return }
    positioning.show()
  }

  /// A region of negative radius is where its beacon crossed it last, and the world is told: not where a private region
  /// hides the board, for who is told of it later would know that place, too.
  mutating func bring(_ region: Region, at now: Moment, into effects: inout [Effect]) {
    guard let position = positioning.position, regions.hidingRegion(at: position) == nil,
      let moved = regions.move(rid: region.rid, to: position.coordinate)
    else { return }
    remember(rid: region.rid)
    guard layers.inForce.announces(moved) else { return }
    publish(.waypoint(region: moved.name), hidingRegion: hidingRegion(at: moved), at: now, into: &effects) {
      _ in
      .waypoint(moved)
    }
  }

  // MARK: Silence

  mutating func runBeaconDeadlines(at now: Moment, into effects: inout [Effect]) {
    let found = station.expire(rules: layers.rules.beacons, deadlines: &deadlines, at: now.instant)
    if let found, !found.isNothing { beaconsSaid(found, at: now, into: &effects) }
  }

  // MARK: The scanner

  /// Asks for another way to listen where the situation has changed.
  mutating func considerScan(at now: Instant, into effects: inout [Effect]) {
    guard station.isPlanInDoubt else { return }
    let plan = station.planned(
      setting: layers.inForce.beacons.scanDuty, network: surroundings.network, position: positioning.position,
      measured: positioning.arrived, deadlines: &deadlines, at: now)
    if let plan { effects.append(.setScan(plan)) }
  }

  // MARK: Ranging

  private mutating func range(_ sighting: Sighting, at now: Moment, into effects: inout [Effect]) {
    guard let (estimate, region) = station.range(sighting, rules: layers.rules.ranging, at: now.instant)
    else {
      return
    }
    let reason = Reason.ranged(region: region.name, metres: estimate.distance, before: estimate.before)
    let name = region.isShared ? region.fullName : nil
    let outcome = publish(.ranging(reason), at: now, into: &effects) { time in
      .beacon(
        BeaconReport(
          beacon: sighting.beacon, distance: estimate.distance, rssi: estimate.rssi, time: time, region: name)
      )
    }
    if outcome.isPublishedOrKept { station.published(estimate, of: sighting.beacon, at: now.instant) }
  }

  // MARK: Regions

  /// Begins or ends to watch the beacon of a region; what is known of its presence then.
  mutating func watch(_ region: Region, _ presence: Presence, isSame: Bool, at now: Instant) -> Presence {
    station.put(
      region, presence, isSame: isSame, rules: layers.rules.beacons, deadlines: &deadlines, at: now)
  }

  // MARK: Status

  /// State of every beacon region and every beacon heard: the regions in their order, their beacons strongest first.
  public func beacons(at now: Moment) -> [BeaconStatus] {
    station.status(
      rules: layers.rules.beacons, pathLossExponent: layers.inForce.beacons.pathLossExponent, at: now.instant)
  }
}
