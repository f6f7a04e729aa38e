import Model
import Timebase

/// Which regions the board is in. One automaton per circular region:
///
///     unknown ──first clear fix, silently──▶ inside / outside
///     outside ──`confirm` fixes with d <= r──▶ inside                              enter
///     inside  ──`confirm` fixes with d > r + clamp(acc, 10, 100)──▶ outside        leave
///     inside of "-Name" ──the same──▶ held ──inside again──▶ inside                nothing
///                                     held ──`holdDown` later──▶ outside           leave
///     outside ──the same──▶ dwelling, of a region with a dwell                     nothing
///             dwelling ──the dwell later──▶ inside                                 enter
///             dwelling ──as inside──▶ outside                                      nothing
///
/// Between the two limits a fix keeps the present state. What a crossing means is not decided here.
struct RegionEngine {
  struct Rules {
    /// Fixes that have to agree in a row.
    var confirm: Int
    var holdDown: Span
    /// The receiver is put to sleep between looks: what it has not seen of late, the next look will tell.
    var isReceiverResting: Bool
  }

  struct Found {
    var crossings: [(region: Region, crossing: Crossing, metres: Double)] = []
    /// Follow regions whose circle was left or entered.
    var followed: [Region] = []
    var notes: [Reason] = []
    /// Regions whose presence is another, silently.
    var settled: [Tracked] = []
    /// Where the board was at rest, of which the crossings tell; nil: the fix tells, too.
    var rested: Coordinate?

    var isNothing: Bool { crossings.isEmpty && followed.isEmpty && notes.isEmpty && settled.isEmpty }
  }

  struct Tracked {
    var region: Region
    var presence: Presence
    /// Fixes in a row that contradict `presence`.
    var contradicting = 0
    /// Nobody has seen how the board came here: the first clear fix decides, though it stands.
    var isFresh = false
    /// When a leave was seen that is held down.
    var heldSince: Instant?
    /// When it began to dwell, or would have but for a restart; nil: it does not, or was not yet seen since the start.
    var dwellsSince: Instant?

    var dwell: Span { .seconds(region.dwell ?? 0) }
  }

  private(set) var tracked: [Tracked] = []
  var entered = EnteredRegions([])
  private(set) var boxes: [RegionBox] = []
  private(set) var indexByID: [String: Int] = [:]
  /// Indices in `tracked` of those whose edge the board is within, told or not, ascending.
  private(set) var insideNow: [Int] = []
  /// Indices in `tracked` of the follow regions.
  private(set) var follows: [Int] = []
  /// Indices in `tracked` of those that hide what is inside.
  private(set) var hidingRegions: [Int] = []
  /// When the last fix came, and its speed, metres a second; of one that tells none and does not stand it may be any.
  private(set) var seen: (at: Instant, speed: Double)?

  // MARK: Changes

  mutating func put(_ region: Region, presence: Presence) {
    var entry = Tracked(region: region, presence: region.isMonitored ? presence : .unknown)
    // A region that never reports an enter does not wait for one.
    if case .dwelling = presence, !region.canDwell { entry.presence = .inside }
    let presence = entry.presence
    if let index = indexByID[region.rid] {
      let before = tracked[index].region
      if case .dwelling = presence { entry.dwellsSince = tracked[index].dwellsSince }
      tracked[index] = entry
      if before.isFollow != region.isFollow || before.hidesReports != region.hidesReports { noteKinds() }
      boxes[index] = RegionBox(entry)
      note(index, isInside: presence.isWithin)
    } else {
      indexByID[region.rid] = tracked.count
      if region.isFollow { follows.append(tracked.count) }
      if region.hidesReports { hidingRegions.append(tracked.count) }
      tracked.append(entry)
      boxes.append(RegionBox(entry))
      note(tracked.count - 1, isInside: presence.isWithin)
    }
  }

  mutating func remove(rid: String) {
    guard let index = indexByID.removeValue(forKey: rid) else { return }
    tracked.remove(at: index)
    boxes.remove(at: index)
    for later in index..<tracked.count { indexByID[tracked[later].region.rid] = later }
    insideNow = insideNow.compactMap { $0 == index ? nil : ($0 > index ? $0 - 1 : $0) }
    noteKinds()
  }

  private mutating func noteKinds() {
    follows = tracked.indices.filter { tracked[$0].region.isFollow }
    hidingRegions = tracked.indices.filter { tracked[$0].region.hidesReports }
  }

  /// Follow regions: centre and radius go with every published location.
  mutating func recentre(on fix: Fix) {
    for index in follows where tracked[index].region.radius > 0 {
      let seconds = RegionName.followSeconds(in: tracked[index].region.name)
      tracked[index].region.coordinate = fix.coordinate
      tracked[index].region.radius = max(fix.speed.map { $0 * seconds } ?? fix.accuracy, 50)
      tracked[index].contradicting = 0
      settle(index, .inside)
    }
  }

  /// Learns silently on which side of a new region the board is. `before`: what was known of it at its old place; who
  /// waited to be told as inside goes on waiting.
  mutating func place(rid: String, _ fix: Fix, before: Tracked?) {
    guard let index = indexByID[rid] else { return }
    let region = tracked[index].region
    guard region.isMonitored, region.kind == .circular else { return }
    switch RegionSide.of(region, beyond: region.distanceBeyondEdge(fix.coordinate), accuracy: fix.accuracy) {
    case .inside:
      guard let before, case .dwelling = before.presence, region.canDwell else {
        return settle(index, .inside)
      }
      settle(index, before.presence, dwellsSince: before.dwellsSince)
    case .outside: settle(index, .outside)
    case .between, .doubtful: break
    }
  }

  /// Presence of a beacon region as found by the radio: this engine only keeps it.
  mutating func mark(rid: String, _ presence: Presence) {
    if let index = indexByID[rid] { settle(index, presence) }
  }

  /// A beacon's region that moves with the board.
  mutating func move(rid: String, to coordinate: Coordinate) -> Region? {
    guard let index = indexByID[rid] else { return nil }
    tracked[index].region.coordinate = coordinate
    boxes[index] = RegionBox(tracked[index])
    return tracked[index].region
  }

  /// A follow region whose crossing could not be told is armed again, to be told with the next fix.
  mutating func rearm(rid: String) {
    guard let index = indexByID[rid] else { return }
    settle(index, .inside)
    // Confirmed already, by more than anybody asks for: else each row of fixes might end with one that is too vague.
    tracked[index].contradicting = 1000
  }

  // MARK: Fixes

  /// `verdict`: what of it may be a crossing.
  mutating func consider(_ fix: Fix, _ verdict: Standstill.Verdict, at now: Instant, rules: Rules) -> Found {
    assert(rules.confirm > 0 && fix.accuracy >= 0, "crossed without a fix that says so")
    var found = Found()
    guard !boxes.isEmpty else { return found }
    seen = (now, fix.speed ?? (verdict.isStanding ? 0 : .infinity))
    let near = near(fix.coordinate)
    if case .arrived = verdict { freshen(near) }
    for index in near { look(at: index, fix, verdict, at: now, rules: rules, into: &found) }
    if found.crossings.count > 1 { found.crossings = Self.inOrder(found.crossings) }
    return found
  }

  /// Those that the fix can have anything to do with. Read in one go without checks of each index: with
  /// ten thousand regions this loop is what a fix costs.
  private func near(_ coordinate: Coordinate) -> [Int] {
    let (latitude, longitude) = (Float(coordinate.latitude), Float(coordinate.longitude))
    return boxes.withUnsafeBufferPointer { boxes in
      var near: [Int] = []
      for index in 0..<boxes.count {
        let box = boxes[index]
        if latitude >= box.south && latitude <= box.north && longitude >= box.west && longitude <= box.east {
          near.append(index)
        }
      }
      return near
    }
  }

  /// Hold-downs and dwells that ran out.
  mutating func expire(at now: Instant, rules: Rules) -> Found {
    var found = Found()
    for index in insideNow {
      guard let due = due(tracked[index], rules), due <= now else { continue }
      if tracked[index].heldSince != nil {
        leave(index, metres: 0, into: &found)
      } else {
        settle(index, .inside)
        found.crossings.append((tracked[index].region, .enter, 0))
      }
    }
    found.crossings = Self.inOrder(found.crossings)
    return found
  }

  /// Makes all regions fresh except those known to be outside and far away: these are as expected.
  private mutating func freshen(_ near: [Int]) {
    for index in tracked.indices { tracked[index].isFresh = tracked[index].presence != .outside }
    for index in near { tracked[index].isFresh = true }
  }

  private mutating func look(
    at index: Int, _ fix: Fix, _ verdict: Standstill.Verdict, at now: Instant, rules: Rules,
    into found: inout Found
  ) {
    let entry = tracked[index]
    let region = entry.region
    guard region.isMonitored, region.kind == .circular else { return }
    var place = fix.coordinate
    var isSettled = false
    if case .settled(let mean) = verdict { (place, isSettled) = (mean.coordinate, true) }
    let metres = region.coordinate.distance(to: place)
    let isInside: Bool
    let side = RegionSide.of(region, beyond: region.distanceBeyondEdge(place), accuracy: fix.accuracy)
    switch side {
    case .inside: isInside = true
    case .outside: isInside = false
    case .between:
      tracked[index].contradicting = 0
      return dwell(index, fix, at: now, into: &found)
    case .doubtful: return
    }
    if entry.heldSince != nil, isInside {
      tracked[index].heldSince = nil
      found.notes.append(.reentered(region: region.eventName))
    }
    switch (entry.presence, isInside) {
    case (.unknown, false) where region.isFollow:
      // Its circle belonged to another life or to a map: from here on it goes along.
      tracked[index].region.coordinate = fix.coordinate
      settle(index, .inside)
    case (.unknown, _):
      settle(index, isInside ? .inside : .outside)
      found.settled.append(tracked[index])
    case (.inside, true), (.dwelling, true), (.outside, false):
      tracked[index].contradicting = 0
      tracked[index].isFresh = false
      boxes[index] = RegionBox(tracked[index])
      dwell(index, fix, at: now, into: &found)
    case (.inside, false) where entry.heldSince != nil, (.dwelling, false) where entry.heldSince != nil:
      break
    case (.inside, false), (.dwelling, false), (.outside, true):
      tracked[index].contradicting += 1
      boxes[index] = .open
      if !region.isFollow, let reason = Self.refusal(verdict, region, isFresh: entry.isFresh) {
        found.notes.append(reason)
        return
      }
      let seen = tracked[index].contradicting
      guard seen >= rules.confirm || isSettled else {
        found.notes.append(.notConfirmed(region: region.eventName, seen: seen, needed: rules.confirm))
        return
      }
      // It may be driving off again by now.
      let beyond = region.distanceBeyondEdge(fix.coordinate)
      if isSettled, side != .of(region, beyond: beyond, accuracy: fix.accuracy) { found.rested = place }
      cross(index, isInside ? .enter : .leave, fix, metres: metres, at: now, into: &found)
    }
  }

  /// Nil: a crossing can be one.
  private static func refusal(
    _ verdict: Standstill.Verdict, _ region: Region, isFresh: Bool
  ) -> Reason? {
    switch verdict {
    case .free, .settled: nil
    case .arrived where isFresh, .arriving where isFresh: nil
    case .arrived, .arriving, .held: .unmoved(region: region.eventName)
    case .leapt(let seconds):
      .unexplained(region: region.eventName, seconds: seconds, needed: Standstill.leap)
    }
  }

  private mutating func cross(
    _ index: Int, _ crossing: Crossing, _ fix: Fix, metres: Double, at now: Instant, into found: inout Found
  ) {
    let region = tracked[index].region
    tracked[index].contradicting = 0
    if crossing == .leave, region.isHoldDown {
      tracked[index].heldSince = now
      found.notes.append(.heldDown(region: region.eventName))
      return
    }
    if crossing == .leave { return leave(index, metres: metres, into: &found) }
    if region.dwell != nil, region.canDwell {
      settle(index, .dwelling(since: fix.time), dwellsSince: now)
      found.settled.append(tracked[index])
      return dwell(index, fix, at: now, into: &found)
    }
    settle(index, .inside)
    report(region, .enter, metres, into: &found)
  }

  private mutating func leave(_ index: Int, metres: Double, into found: inout Found) {
    let entry = tracked[index]
    settle(index, .outside)
    guard case .dwelling = entry.presence else { return report(entry.region, .leave, metres, into: &found) }
    found.settled.append(tracked[index])
    found.notes.append(.passedBy(region: entry.region.eventName, needed: entry.dwell.seconds))
  }

  private func report(_ region: Region, _ crossing: Crossing, _ metres: Double, into found: inout Found) {
    if region.isFollow {
      found.followed.append(region)
    } else {
      found.crossings.append((region, crossing, metres))
    }
  }

  /// The board was seen where it waits to be told as inside. Of the time before a restart the fixes' own time tells.
  private mutating func dwell(_ index: Int, _ fix: Fix, at now: Instant, into found: inout Found) {
    let entry = tracked[index]
    guard case .dwelling(let since) = entry.presence, entry.heldSince == nil else { return }
    let spent = entry.dwellsSince.map { now - $0 } ?? max(fix.time - since, .zero)
    if entry.dwellsSince == nil { tracked[index].dwellsSince = now - min(spent, entry.dwell) }
    guard spent < entry.dwell else { return }
    let region = entry.region.eventName
    found.notes.append(.dwelling(region: region, seconds: spent.seconds, needed: entry.dwell.seconds))
  }

  // MARK: Questions

  func region(rid: String) -> Tracked? { indexByID[rid].map { tracked[$0] } }

  /// The follow regions, in the order in which they were made.
  var following: [Tracked] { follows.map { tracked[$0] } }

  /// Those that count for `inregions` and `inrids`, in the order in which they were made: told as inside, and no follow
  /// region.
  var inside: [Region] {
    insideNow.compactMap { index in
      tracked[index].presence == .inside && !tracked[index].region.isFollow ? tracked[index].region : nil
    }
  }

  /// The smallest limit of those that the board is inside of.
  var speedLimit: SpeedWatch.Limit? {
    var smallest: SpeedWatch.Limit?
    for index in insideNow {
      let region = tracked[index].region
      guard let limit = region.speedLimit, limit < smallest?.speed ?? .max else { continue }
      smallest = .init(speed: limit, region: region.isShared ? region.eventName : nil)
    }
    return smallest
  }

  var isInsideFollow: Bool {
    insideNow.contains { tracked[$0].region.isFollow && tracked[$0].region.radius > 0 }
  }

  // MARK: Helpers

  /// All leaves first, then all enters, by name: an enter rule has the last word.
  private static func inOrder(
    _ crossings: [(region: Region, crossing: Crossing, metres: Double)]
  ) -> [(region: Region, crossing: Crossing, metres: Double)] {
    crossings.sorted { left, right in
      if left.crossing != right.crossing { return left.crossing == .leave }
      return (left.region.name, left.region.rid) < (right.region.name, right.region.rid)
    }
  }

  private mutating func settle(_ index: Int, _ presence: Presence, dwellsSince: Instant? = nil) {
    tracked[index].presence = presence
    tracked[index].heldSince = nil
    tracked[index].dwellsSince = dwellsSince
    tracked[index].isFresh = false
    boxes[index] = RegionBox(tracked[index])
    note(index, isInside: presence.isWithin)
  }

  private mutating func note(_ index: Int, isInside: Bool) {
    let slot = insideNow.firstIndex { $0 >= index } ?? insideNow.count
    let isKnown = slot < insideNow.count && insideNow[slot] == index
    if isInside, !isKnown { insideNow.insert(index, at: slot) }
    if !isInside, isKnown { insideNow.remove(at: slot) }
  }
}
