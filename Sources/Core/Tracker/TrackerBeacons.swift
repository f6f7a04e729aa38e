import Model
import Timebase

/// What a radio hears, and what it means.
extension Tracker {
  /// Later than this after its deadline a wake-up was overslept.
  static let lateness = Span.seconds(2)

  // MARK: Sightings

  /// Most sightings change nothing: this path allocates nothing for them.
  mutating func sighted(_ sighting: Sighting, at now: Moment, into effects: inout [Effect]) {
    let found = beacons.hear(sighting, rules: beaconRules, at: now.instant)
    if found.isSooner { deadlines[.beaconSilence] = beacons.nextDeadline(at: now.instant) }
    if !found.isNothing { beaconsSaid(found, at: now, into: &effects) }
    if found.isInside, configuration.ranging { range(sighting, at: now, into: &effects) }
  }

  mutating func scannerChanged(_ state: ScannerState, at now: Moment) {
    scanner = state
    beacons.setHearing(state.isHearing, at: now.instant)
    beaconsChanged(at: now.instant)
  }

  private mutating func beaconsSaid(
    _ found: BeaconEngine.Found, at now: Moment, into effects: inout [Effect]
  ) {
    announce(news(found, at: now, into: &effects), position, at: now, into: &effects)
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
      regions.mark(rid: rid, crossing == .enter ? .inside : .outside)
    }
    if found.crossings.contains(where: { $0.crossing == .leave }) { forgetDistances() }
    beaconsChanged(at: now.instant)
    return found.crossings.compactMap { rid, crossing, reason in
      regions.region(rid: rid).map { News(region: $0.region, crossing: crossing, reason: reason) }
    }
  }

  /// A region of negative radius is where its beacon crossed it last, and the world is told.
  mutating func bring(_ region: Region, at now: Moment, into effects: inout [Effect]) {
    guard let position, let moved = regions.move(rid: region.rid, to: position.coordinate) else { return }
    remember(rid: region.rid)
    guard moved.isShared else { return }
    publish(.waypoint(region: moved.name), at: now, into: &effects) { _ in .waypoint(moved) }
  }

  // MARK: Silence

  mutating func runBeaconDeadlines(at now: Moment, into effects: inout [Effect]) {
    let instant = now.instant
    if let due = deadlines[.beaconSilence], due <= instant {
      if instant - due > Self.lateness { beacons.overslept(at: instant) }
      let found = beacons.expire(rules: beaconRules, at: instant)
      if !found.isNothing { beaconsSaid(found, at: now, into: &effects) }
      deadlines[.beaconSilence] = beacons.nextDeadline(at: instant)
    }
    if deadlines.takeIfDue(.scanWake, at: instant) { isScanInDoubt = true }
  }

  /// After anything that moves a beacon's deadline or what to listen for. Sightings only put the deadline
  /// off: it looks again when it comes.
  mutating func beaconsChanged(at now: Instant) {
    deadlines[.beaconSilence] = beacons.nextDeadline(at: now)
    isScanInDoubt = true
  }

  // MARK: The scanner

  /// Asks for another way to listen where the situation has changed.
  mutating func considerScan(at now: Instant, into effects: inout [Effect]) {
    guard isScanInDoubt else { return }
    isScanInDoubt = false
    let measured = fixArrived
    let plan = scanDuty.decide(
      .init(
        setting: configuration.scanDuty, wanted: beacons.wantedNow(),
        sharesAir: scanner.sharesAntenna && network.isInTwoGigahertzBand,
        nearest: measured == nil ? nil : nearestBeacon(), measured: measured), at: now)
    deadlines[.scanWake] = scanDuty.restsUntil
    guard let plan else { return }
    beacons.setDuty(plan.duty, at: now)
    deadlines[.beaconSilence] = beacons.nextDeadline(at: now)
    effects.append(.setScan(plan))
  }

  private func nearestBeacon() -> Double? {
    guard let position else { return nil }
    return beacons.distanceToNearest(from: position.coordinate).map { $0 - position.accuracy }
  }

  // MARK: Ranging

  private mutating func range(_ sighting: Sighting, at now: Moment, into effects: inout [Effect]) {
    let rules = BeaconRanging.Rules(
      pathLossExponent: configuration.pathLossExponent, interval: .seconds(configuration.rangingMinInterval))
    guard let estimate = ranging.hear(sighting, rules: rules, at: now.instant) else { return }
    guard let region = beacons.region(of: sighting.beacon) else { return }
    let reason = Reason.ranged(region: region.name, metres: estimate.distance, before: estimate.before)
    let name = region.isShared ? region.fullName : nil
    let outcome = publish(.ranging(reason), at: now, into: &effects) { time in
      .beacon(
        BeaconReport(
          beacon: sighting.beacon, distance: estimate.distance, rssi: estimate.rssi, time: time, region: name)
      )
    }
    if outcome.isTold { ranging.told(estimate, of: sighting.beacon, at: now.instant) }
  }

  private mutating func forgetDistances() {
    let beacons = beacons
    ranging.forget { beacons.region(of: $0)?.state.presence != .inside }
  }

  // MARK: Regions

  /// Begins or ends to watch the beacon of a region; what is known of its presence then.
  mutating func watch(_ region: Region, _ presence: Presence, isSame: Bool, at now: Instant) -> Presence {
    let known = beacons.put(region, presence: presence, isSame: isSame, rules: beaconRules, at: now)
    beaconsChanged(at: now)
    return known
  }

  var beaconRules: BeaconEngine.Rules {
    let enter = configuration.beaconEnterRssi
    let leave = configuration.beaconLeaveRssi
    return .init(
      lossTimeout: configuration.beaconLossTimeout > 0 ? .seconds(configuration.beaconLossTimeout) : nil,
      holdDown: .seconds(configuration.holdDown), reentryGuard: .seconds(configuration.reentryGuard),
      confirm: configuration.regionConfirm, enterRSSI: enter == 0 ? nil : enter,
      leaveRSSI: leave == 0 ? enter - Configuration.rssiHysteresis : leave,
      placeTimeout: configuration.beaconNeedsPlace ? .seconds(configuration.fixTimeout) : nil)
  }
}
