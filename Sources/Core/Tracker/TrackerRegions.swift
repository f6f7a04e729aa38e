import Model
import Timebase

/// Consequences of crossings, and changes to the list of regions.
extension Tracker {
  /// One crossing and why it is believed.
  struct News {
    var region: Region
    var crossing: Crossing
    var reason: Reason
  }

  mutating func crossed(
    _ found: RegionEngine.Found, and beacons: BeaconEngine.Found? = nil, _ fix: Fix?, at now: Moment,
    into effects: inout [Effect]
  ) {
    assert(beacons == nil || fix != nil, "beacons are overruled by a position")
    // Once a crossing: a tracker that forgot it in a power cut would miss the one after it, or begin a dwell anew.
    for known in found.settled {
      outbox.remember(.region(known.region, known.presence), isUrgent: true)
      if known.presence == .inside, !known.region.isFollow { insideLearnt() }
    }
    for note in found.notes { withhold(note, at: now, into: &effects) }
    var news = found.crossings.map { region, crossing, metres in
      News(region: region, crossing: crossing, reason: Self.reason(region, crossing, metres))
    }
    if let beacons { news += self.news(beacons, at: now, into: &effects) }
    announce(news, fix, rested: found.rested, at: now, into: &effects)
    // A location beside a crossing has brought them along, unless it was withheld.
    let left = found.followed.filter { regions.region(rid: $0.rid)?.presence == .outside }
    if let fix { followed(left, fix, at: now, into: &effects) }
  }

  private static func reason(_ region: Region, _ crossing: Crossing, _ metres: Double) -> Reason {
    if crossing == .enter, let dwell = region.dwell {
      return .dwelt(region: region.eventName, seconds: Double(dwell))
    }
    return .crossed(region: region.eventName, crossing, metres: metres)
  }

  /// Transitions first (all leaves, then all enters), each followed by the mode that its name asks for,
  /// then one location for all of them: consumers take the second of two with one `tst` for a repeat.
  mutating func announce(
    _ news: [News], _ fix: Fix?, rested: Coordinate? = nil, at now: Moment, into effects: inout [Effect]
  ) {
    var reported: Reason?
    var trigger = Trigger.beacon
    for one in news.sorted(by: News.isBefore) {
      // Owed since before, perhaps, and told for the first time now: the clock is known, or a private region left.
      if one.crossing == .enter, !regions.entered.all.isEmpty { publishLeaves(at: now, into: &effects) }
      remember(rid: one.region.rid)
      switch transition(
        one.region, one.crossing, rested: rested, because: one.reason, at: now, into: &effects)
      {
      case .withheld(.modeIsQuiet): continue
      case .published, .kept, .withheld(.offline):
        reported = one.reason
        if one.region.kind == .circular { trigger = .circular }
      case .withheld: break
      }
      if one.region.kind == .beacon, one.region.radius < 0, !one.region.hidesReports {
        bring(one.region, at: now, into: &effects)
      }
      switchMode(one.region, one.crossing, at: now)
    }
    guard let reported, let fix else { return }
    publishOrOwe(.crossing(trigger, reported), fix, at: now, into: &effects)
  }

  /// One location for all of them, which they lie around from then on.
  private mutating func followed(
    _ crossed: [Region], _ fix: Fix, at now: Moment, into effects: inout [Effect]
  ) {
    guard let first = crossed.first else { return }
    assert(crossed.allSatisfy(\.isFollow), "\(first.rid) is no follow region")
    switch publish(.follow(region: first.eventName), fix, at: now, into: &effects) {
    case .published, .kept, .withheld(.modeIsQuiet), .withheld(.followInMove): break
    case .withheld(.insidePrivateRegion): break
    // It was no wish of anybody's: the regions are left again with the next fix.
    case .withheld: for region in crossed { regions.rearm(rid: region.rid) }
    }
  }

  @discardableResult
  private mutating func transition(
    _ region: Region, _ crossing: Crossing, rested: Coordinate? = nil, because reason: Reason,
    at now: Moment, into effects: inout [Effect]
  ) -> Outcome {
    let isOld = isStale(at: now.instant)
    assert(region.kind == .beacon || !region.isFollow, "a follow region is left, and reported as a location")
    // Consumers raise on a transition without a place or an accuracy.
    // A private region is crossed somewhere: only its centre is published.
    let position = region.hidesReports ? nil : positioning.position
    let place = position.map { rested ?? $0.coordinate } ?? region.coordinate
    let accuracy = position?.accuracy ?? max(region.radius, 1)
    let created = isOld ? nil : clock.wall(at: now)
    let hidingRegion: HidingRegion =
      region.hidesReports ? .region(hidingRegion(ofTransitionOf: region)) : .atBoard
    let outcome = publish(.transition(reason), hidingRegion: hidingRegion, at: now, into: &effects) { time in
      .transition(
        TransitionReport(
          region: region, crossing: crossing, coordinate: place, accuracy: accuracy, time: time,
          created: created))
    }
    if outcome.isPublishedOrKept, regions.entered.published(region, crossing) { rememberEntered() }
    return outcome
  }

  /// Publishes the leave of each region that was announced as entered and no longer is: changed or removed, or left
  /// while nothing could be published. While nothing can be published, the leave stays owed.
  mutating func publishLeaves(at now: Moment, into effects: inout [Effect]) {
    for entered in regions.entered.all {
      let region = entered.region
      guard entered.isChanged || isLeft(region) else { continue }
      let reason = Reason.leftSince(region: region.eventName, isChanged: entered.isChanged)
      // Asked with every event: that it still cannot be told is nothing to explain each time.
      guard wouldPublish(.transition(reason), hidingRegion: hidingRegion(ofTransitionOf: region), at: now)
      else {
        continue
      }
      transition(region, .leave, because: reason, at: now, into: &effects)
    }
  }

  /// Where it waits to be told as inside it has been left since it was announced.
  private func isLeft(_ region: Region) -> Bool {
    switch regions.region(rid: region.rid)?.presence {
    case .outside, .dwelling: true
    case .inside, .unknown, nil: false
    }
  }

  private func hidingRegion(ofTransitionOf region: Region) -> Region? {
    guard region.hidesReports else { return regions.hidingRegion(at: positioning.position) }
    return region.isShared ? nil : region
  }

  mutating func rememberEntered() {
    outbox.remember(.entered(regions.entered.all), isUrgent: true)
  }

  /// Before a region is changed or removed: consumers that got its enter get its leave.
  private mutating func noteChange(of rid: String) {
    if regions.entered.changed(rid: rid) { rememberEntered() }
  }

  private mutating func switchMode(_ region: Region, _ crossing: Crossing, at now: Moment) {
    guard let wanted = RegionName.modeSwitch(in: region.name) else { return }
    guard let mode = crossing == .enter ? wanted.onEnter : wanted.onLeave else { return }
    let before = modes.state.mode
    if modes.set(mode, isByRule: true) {
      modeChanged(from: before, because: .region(region.eventName, crossing), at: now)
    }
  }

  mutating func remember(rid: String) {
    guard let known = regions.region(rid: rid) else { return }
    outbox.remember(.region(known.region, known.presence), isUrgent: true)
  }

  // MARK: Coming and going

  /// Makes or changes a region. Real changes by a person or an import are published.
  mutating func put(_ region: Region, at now: Moment, into effects: inout [Effect]) {
    keep(region, at: now, into: &effects)
    publishWaypoint(of: region, at: now, into: &effects)
  }

  private mutating func keep(_ region: Region, at now: Moment, into effects: inout [Effect]) {
    let before = regions.region(rid: region.rid)
    let isSamePlace =
      before.map {
        $0.region.kind == region.kind && $0.region.beacon == region.beacon
          && (region.isFollow
            || ($0.region.radius == region.radius && $0.region.polygon == region.polygon
              && ($0.region.coordinate == region.coordinate || region.radius < 0)))
      } ?? false
    let presence = isSamePlace ? before?.presence ?? .unknown : .unknown
    regions.put(region, presence: watch(region, presence, isSame: isSamePlace, at: now.instant))
    // Standing in it already is no crossing: the new region learns silently where it is.
    if !isSamePlace, let position = positioning.position, !isStale(at: now.instant) {
      regions.place(rid: region.rid, position, before: before)
    }
    let isInside = regions.region(rid: region.rid)?.presence == .inside
    releaseAssert(regions.region(rid: region.rid) != nil, "a region that was put is kept")
    if isInside != (before?.presence == .inside), !region.isFollow { insideLearnt() }
    deadlines[.holdDown] = regions.nextExpiry(rules: layers.rules.regions)
    // Moved or reshaped it is what was announced, and whether the board is in it is known in a moment.
    if let before = before?.region,
      before.eventName != region.eventName || before.isShared != region.isShared
        || !canBeLeft(region, after: before)
    {
      noteChange(of: region.rid)
    }
    publishLeaves(at: now, into: &effects)
    remember(rid: region.rid)
    announcement.discoveryDoubted()
  }

  /// Whether anything will ever find the board outside of what it has become.
  private func canBeLeft(_ region: Region, after before: Region) -> Bool {
    region.isMonitored && (region.kind == before.kind || region.kind != .beacon || station.scanner.isHearing)
  }

  private mutating func publishWaypoint(of region: Region, at now: Moment, into effects: inout [Effect]) {
    guard layers.inForce.announces(region) else { return }
    publish(.waypoint(region: region.name), hidingRegion: hidingRegion(at: region), at: now, into: &effects) {
      _ in
      .waypoint(region)
    }
  }

  /// The region that hides another region's place: the board may have been there, inside another region that is
  /// private.
  func hidingRegion(at region: Region) -> HidingRegion {
    .region(region.hidesReports ? nil : regions.circle(hiding: region.coordinate))
  }

  /// Where it lies, without telling of a place inside of a private region.
  func veiled(_ point: TrackPoint) -> TrackPoint {
    guard let region = regions.hidingRegion(of: point) else { return point }
    return TrackPoint(time: point.time, coordinate: region.coordinate, accuracy: max(region.radius, 1))
  }

  mutating func remove(rid: String, at now: Moment) {
    noteChange(of: rid)
    regions.remove(rid: rid)
    announcement.discoveryDoubted()
    station.remove(rid: rid, deadlines: &deadlines, at: now.instant)
    deadlines[.holdDown] = regions.nextExpiry(rules: layers.rules.regions)
    releaseAssert(regions.region(rid: rid) == nil, "removed, and kept")
    outbox.remember(.regionRemoved(rid: rid), isUrgent: true)
  }

  /// The result of merging a list of regions.
  struct MergeCounts {
    var added = 0
    var changed = 0
    var removed = 0
    /// There was no room for them.
    var refused = 0
  }

  /// A list of the file or of a command: what it has too many of, the journal is told.
  @discardableResult
  mutating func merge(
    _ entries: [WaypointEntry], of source: SettingsNews.Source, at now: Moment, into effects: inout [Effect]
  ) -> MergeCounts {
    let counts = merge(entries, at: now, into: &effects)
    if counts.refused > 0 {
      journalNews(.regionsRefused(counts.refused, source), at: now.instant, into: &effects)
    }
    return counts
  }

  /// The merge of docs/behaviour.md, "How regions come and go"; counts what it did.
  mutating func merge(
    _ entries: [WaypointEntry], at now: Moment, into effects: inout [Effect]
  ) -> MergeCounts {
    var counts = MergeCounts()
    var kept: [String] = []
    var matching = RegionMatching(regions.tracked)
    var corners = regions.tracked.reduce(0) { $0 + $1.region.cornerCount }
    for entry in entries {
      let match = matching.match(entry, in: regions)
      let known = match.known
      guard let coordinate = entry.coordinate else {
        if let known {
          corners -= known.cornerCount
          remove(rid: known.rid, at: now)
          counts.removed += 1
        }
        continue
      }
      if known == nil, !hasRoomForRegion {
        counts.refused += 1
        continue
      }
      let created = match.created ?? known?.created ?? matching.free(entry, from: entry.written ?? 0)
      var region = Region(
        rid: known?.rid ?? entry.rid ?? RegionIdentity.computed(name: entry.name, created: created),
        name: entry.name, coordinate: coordinate, radius: entry.radius, beacon: entry.beacon,
        created: created, isShared: entry.isShared,
        speedLimit: Self.limit(entry.speedLimit ?? known?.speedLimit),
        polygon: Self.polygon(of: entry, at: coordinate, known: known),
        isPrivate: entry.isPrivate ?? known?.isPrivate ?? false,
        dwell: Self.limit(entry.dwell ?? known?.dwell))
      if !region.canDwell { region.dwell = nil }
      let more = region.cornerCount - (known?.cornerCount ?? 0)
      guard more <= 0 || corners + more <= Region.cornerLimit else {
        counts.refused += 1
        continue
      }
      corners += more
      matching.take(region)
      if let known {
        if Self.isEqual(known, region) { continue }
        counts.changed += 1
      } else {
        counts.added += 1
      }
      keep(region, at: now, into: &effects)
      kept.append(region.rid)
    }
    // Regions inside a private region that stands further down in the list are hidden as well.
    var published: Set<String> = []
    for rid in kept where published.insert(rid).inserted {
      if let region = regions.region(rid: rid)?.region {
        publishWaypoint(of: region, at: now, into: &effects)
      }
    }
    assert(counts.added + counts.changed + counts.removed + counts.refused <= entries.count)
    return counts
  }

  var hasRoomForRegion: Bool { regions.tracked.count < Region.limit }

  /// 0 is none.
  static func limit(_ number: Int?) -> Int? { number == 0 ? nil : number }

  /// An entry sent back without the edges, but with the same circle, means the same region.
  private static func polygon(of entry: WaypointEntry, at coordinate: Coordinate, known: Region?) -> Polygon?
  {
    guard entry.beacon == nil, entry.name.utf8.first != UInt8(ascii: "+") else { return nil }
    if let polygon = entry.polygon { return polygon }
    guard let known, known.coordinate == coordinate, known.radius == entry.radius else { return nil }
    return known.polygon
  }

  /// Where a follow region or one that goes along with its beacon is, is its own business.
  private static func isEqual(_ known: Region, _ new: Region) -> Bool {
    known.name == new.name && known.beacon == new.beacon && known.isShared == new.isShared
      && known.speedLimit == new.speedLimit && known.isPrivate == new.isPrivate
      && known.dwell == new.dwell
      && (new.isFollow
        || (isEqual(known.radius, asPublished: new.radius) && known.polygon == new.polygon
          && (isEqual(known.coordinate, asPublished: new.coordinate) || known.radius < 0)))
  }

  /// Exports and messages have whole metres and six decimals of a degree, a tenth of a metre: what comes back with
  /// those is the same.
  private static func isEqual(_ known: Double, asPublished new: Double) -> Bool {
    guard known != new else { return true }
    // A radius of less than half a metre is published as 1: 0 would be a pin.
    let isTiny = known != 0 && known.magnitude < 0.5
    return new == (isTiny ? (known < 0 ? -1 : 1) : known.rounded())
  }

  private static func isEqual(_ known: Coordinate, asPublished new: Coordinate) -> Bool {
    func isNear(_ one: Double, _ other: Double) -> Bool { (one - other).magnitude < 0.6e-6 }
    return isNear(known.latitude, new.latitude) && isNear(known.longitude, new.longitude)
  }
}

extension Tracker.News {
  /// All leaves first, then all enters, by name: an enter rule has the last word.
  static func isBefore(_ left: Self, _ right: Self) -> Bool {
    if left.crossing != right.crossing { return left.crossing == .leave }
    return (left.region.name, left.region.rid) < (right.region.name, right.region.rid)
  }
}
