import Model
import Timebase

/// What crossings mean, and how regions come and go.
extension Tracker {
  /// Transitions first (all leaves, then all enters), each followed by the mode that its name asks for,
  /// then one location for all of them: consumers take the second of two with one `tst` for a repeat.
  mutating func crossed(
    _ found: RegionEngine.Found, _ fix: Fix?, at now: Moment, into effects: inout [Effect]
  ) {
    for note in found.notes { withhold(note, at: now, into: &effects) }
    if found.notes.contains(where: { if case .heldDown = $0 { true } else { false } }) {
      deadlines[.holdDown] = regions.nextExpiry(rules: regionRules)
    }
    var reported: Reason?
    for (region, crossing, metres) in found.crossings {
      remember(rid: region.rid)
      guard modes.state.mode != .quiet else {
        withhold(.modeIsQuiet, at: now, into: &effects)
        continue
      }
      let reason = Reason.crossed(region: region.eventName, crossing, metres: metres)
      if transition(region, crossing, because: reason, at: now, into: &effects) { reported = reason }
      switchMode(region, crossing, at: now)
    }
    if let reported, let fix {
      publish(fix, trigger: .circular, because: reported, at: now, into: &effects)
    } else if let left = found.followed.first, let fix {
      followed(left, fix, at: now, into: &effects)
    }
  }

  private mutating func followed(_ region: Region, _ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    switch modes.state.mode {
    case .quiet: withhold(.modeIsQuiet, at: now, into: &effects)
    case .move: withhold(.followInMove(region: region.eventName), at: now, into: &effects)
    case .manual, .significant:
      let reason = Reason.leftFollow(region: region.eventName)
      if !publish(fix, trigger: .follow, because: reason, at: now, into: &effects) {
        regions.rearm(rid: region.rid)
      }
    }
  }

  /// False: nobody knows who publishes, or at what time.
  private mutating func transition(
    _ region: Region, _ crossing: Crossing, because reason: Reason, at now: Moment,
    into effects: inout [Effect]
  ) -> Bool {
    guard isIdentityValid else {
      withhold(.noIdentity, at: now, into: &effects)
      return false
    }
    let wall = clock.wall(at: now)
    let fresh = isStale(at: now.instant) ? nil : position
    guard let time = fresh?.time ?? wall else {
      withhold(.clockUntrusted, at: now, into: &effects)
      return false
    }
    if configuration.port == 0 {
      withhold(.offline, at: now, into: &effects)
      return true
    }
    // Consumers raise on a transition without a place or an accuracy (R10).
    let place = position?.coordinate ?? region.coordinate
    let report = TransitionReport(
      region: region, crossing: crossing, coordinate: place,
      accuracy: position?.accuracy ?? max(region.radius, 1),
      time: time, created: fresh == nil ? nil : wall)
    emit(.transition(report), because: reason, at: now, into: &effects)
    return true
  }

  private mutating func switchMode(_ region: Region, _ crossing: Crossing, at now: Moment) {
    guard let wanted = RegionName.modeSwitch(in: region.name) else { return }
    guard let mode = crossing == .enter ? wanted.onEnter : wanted.onLeave else { return }
    if modes.set(mode) { modeChanged(at: now.instant) }
  }

  private mutating func remember(rid: String) {
    guard let known = regions.region(rid: rid) else { return }
    outbox.remember(.region(known.region, known.presence), isUrgent: true)
  }

  // MARK: Coming and going

  /// Makes or changes a region. What a person or an import really changed is told to the world.
  mutating func put(_ region: Region, at now: Moment, into effects: inout [Effect]) {
    let before = regions.region(rid: region.rid)
    let isSamePlace =
      before.map {
        $0.region.kind == region.kind && $0.region.beacon == region.beacon
          && (region.isFollow
            || ($0.region.coordinate == region.coordinate && $0.region.radius == region.radius))
      } ?? false
    regions.put(region, presence: isSamePlace ? before?.presence ?? .unknown : .unknown)
    // Standing in it already is no crossing: the new region learns silently where it is.
    if !isSamePlace, let position, !isStale(at: now.instant) { regions.place(rid: region.rid, position) }
    deadlines[.holdDown] = regions.nextExpiry(rules: regionRules)
    remember(rid: region.rid)
    guard region.isShared, !region.name.isEmpty else { return }
    if !isIdentityValid { return withhold(.noIdentity, at: now, into: &effects) }
    if configuration.port == 0 { return withhold(.offline, at: now, into: &effects) }
    emit(.waypoint(region), because: .regionChanged(region: region.name), at: now, into: &effects)
  }

  mutating func remove(rid: String) {
    regions.remove(rid: rid)
    deadlines[.holdDown] = regions.nextExpiry(rules: regionRules)
    outbox.remember(.regionRemoved(rid: rid), isUrgent: true)
  }

  /// The merge of SPEC 7.1; counts what it did.
  mutating func merge(
    _ entries: [WaypointEntry], at now: Moment, into effects: inout [Effect]
  ) -> (added: Int, changed: Int, removed: Int) {
    var counts = (added: 0, changed: 0, removed: 0)
    // The first region of a name counts where an entry has nothing else to be known by.
    var names: [String: String] = [:]
    for known in regions.tracked where names[known.region.name] == nil {
      names[known.region.name] = known.region.rid
    }
    for entry in entries {
      let known = find(entry, names)
      guard let coordinate = entry.coordinate else {
        if let known {
          remove(rid: known.rid)
          counts.removed += 1
        }
        continue
      }
      let created = entry.created ?? 0
      let region = Region(
        rid: known?.rid ?? entry.rid ?? RegionIdentity.computed(name: entry.name, created: created),
        name: entry.name, coordinate: coordinate, radius: entry.radius, beacon: entry.beacon,
        created: created,
        isShared: entry.isShared)
      if let known {
        if Self.isEqual(known, region) { continue }
        counts.changed += 1
      } else {
        counts.added += 1
      }
      if names[region.name] == nil { names[region.name] = region.rid }
      put(region, at: now, into: &effects)
    }
    return counts
  }

  private func find(_ entry: WaypointEntry, _ names: [String: String]) -> Region? {
    if let rid = entry.rid, let known = regions.region(rid: rid) { return known.region }
    if let created = entry.created {
      let computed = RegionIdentity.computed(name: entry.name, created: created)
      if let known = regions.region(rid: computed) { return known.region }
    }
    guard entry.rid == nil else { return nil }
    return names[entry.name].flatMap { regions.region(rid: $0)?.region }
  }

  /// A follow region's place and radius are its own business.
  private static func isEqual(_ known: Region, _ new: Region) -> Bool {
    known.name == new.name && known.beacon == new.beacon && known.isShared == new.isShared
      && (new.isFollow || (known.coordinate == new.coordinate && known.radius == new.radius))
  }
}
