import Model
import Timebase

/// Which beacon regions the board is in. One automaton per region; "heard" is a sighting that matches
/// the region and is strong enough, and all waiting is in listening time (`ListeningClock`):
///
///     unknown ──heard──▶ inside                                                                 enter
///     unknown ──2 s of silence──▶ outside                                nothing
///     outside ──heard (soon after a leave: as `ReentryGuard` allows)──▶ inside                  enter
///     inside  ──not heard for the loss time-out──▶ outside                                      leave
///     inside of "-Name" ──the same──▶ held ──heard──▶ inside                                    nothing
///                                     held ──`holdDown` later──▶ outside                        leave
///     inside, held ──silent, and 500 m from its place by GPS──▶ outside                         leave
///
/// The consequences of a crossing are not decided here.
struct BeaconEngine {
  struct Rules {
    /// Nil: learned from each beacon's own gaps.
    var lossTimeout: Span?
    var holdDown: Span
    var reentryGuard: Span
    /// Positions that have to agree in a row before they overrule the radio.
    var confirm: Int
    /// dBm; nil: however faint.
    var enterRSSI: Int?
    var leaveRSSI: Int
    /// Greatest age of a position that can rule out a beacon here; nil: no position does.
    var placeTimeout: Span?
  }

  struct Found {
    var crossings: [(rid: String, crossing: Crossing, because: Reason)] = []
    var notes: [Reason] = []
    /// Regions that learnt silently where the board is.
    var settled: [(rid: String, presence: Presence)] = []
    /// A silence deadline has moved to an earlier time.
    var isSooner = false
    /// Whether the sighting belongs to a region that the board is in.
    var isInside = false

    var isNothing: Bool { crossings.isEmpty && notes.isEmpty && settled.isEmpty }
  }

  enum State {
    case unknown(until: Span)
    case outside(ReentryGuard?)
    case inside(until: Span)
    case held(until: Span)

    var presence: Presence {
      switch self {
      case .unknown: .unknown
      case .outside: .outside
      case .inside, .held: .inside
      }
    }
  }

  struct Watched {
    let rid: String
    var name: String
    var fullName: String
    var isHoldDown: Bool
    var isShared: Bool
    let beacon: BeaconIdentity
    let uuid: BeaconUUID
    var state: State
    /// Time-out set by the last sighting.
    var timeout = BeaconGaps.unknown
    var lastAt: Instant?
    /// The beacon that keeps it inside the longest.
    var holder: BeaconNumber?
    /// Mean strength of the beacon that was heard last, dBm.
    var rssi: Float?
    var place: BeaconPlace
    /// When an advertisement at an impossible place was noted last.
    var elsewhereNoted: Instant?
    /// Positions in a row that are too far away.
    var farFixes = 0

    func matches(_ number: BeaconNumber) -> Bool {
      guard uuid == number.uuid else { return false }
      guard let major = beacon.major else { return true }
      return major == number.major && (beacon.minor ?? number.minor) == number.minor
    }
  }

  /// Most physical beacons remembered: about 40 kB with their rhythms. Beyond it one is evicted: first those with
  /// fewer than ten sightings that keep no region inside, then those to which one of the two applies, then the
  /// others; among equals the one silent longest. A region can be inside without its beacon being remembered.
  static let limit = 128
  static let familiar = 10
  /// An unknown region is outside when its beacon keeps silent for this long: it is not there already.
  static let settling = Span.seconds(2)
  /// Least time for a region's beacon to be heard again after an outage; a tenth of its time-out if that is
  /// more.
  static let recovery = Span.seconds(3)
  /// A beacon heard within this is here, whatever a position says.
  static let present = Span.seconds(5)
  /// A beacon heard within this time was heard at the present position.
  static let simultaneous = Span.seconds(1.5)

  /// Advertisements from an impossible place may come ten times a second: one per this span is noted.
  static let noteGap = Span.seconds(10)

  var clock = ListeningClock()
  var watched: [Watched] = []
  private(set) var heard: [HeardBeacon] = []
  private var indexByNumber: [BeaconNumber: Int] = [:]
  /// False: regions were added, removed or changed, and beacons have to be matched to them again.
  var isIndexed = true
  private var wanted: [BeaconIdentity] = []
  /// The newest position, and when it arrived.
  private var here: (fix: Fix, at: Instant)?

  // MARK: Sightings

  /// The hot path: for a beacon that is known and changes nothing it allocates nothing.
  mutating func hear(_ sighting: Sighting, rules: Rules, at now: Instant) -> Found {
    var found = Found()
    assert(heard.count <= Self.limit, "\(heard.count) beacons are remembered")
    let listened = clock.listened(at: now)
    if !isIndexed { reindex() }
    guard let slot = slot(of: sighting, listened, at: now) else { return found }
    let isPresent = isInside(slot)
    heard[slot].note(sighting, isPresent: isPresent, listened: listened, at: now)
    let strength = heard[slot].strength(enter: rules.enterRSSI, leave: rules.leaveRSSI)
    let timeout = rules.lossTimeout ?? heard[slot].gaps.timeout
    if strength != .faint { heard[slot].until = listened + timeout }
    for index in heard[slot].matches {
      watched[index].rssi = heard[slot].meanRSSI
      step(index, sighting, strength, until: listened, timeout, rules, at: now, into: &found)
    }
    found.isInside = isInside(slot)
    if found.isInside, !isPresent { heard[slot].returned() }
    return found
  }

  private mutating func step(
    _ index: Int, _ sighting: Sighting, _ strength: HeardBeacon.Strength, until listened: Span,
    _ timeout: Span, _ rules: Rules, at now: Instant, into found: inout Found
  ) {
    switch watched[index].state {
    case .inside(let until):
      guard strength != .faint else { return }
      let held = hold(index, until, sighting.beacon, listened + timeout)
      watched[index].state = .inside(until: held)
      if held < until { found.isSooner = true }
    case .held:
      guard strength != .faint else { return }
      watched[index].state = .inside(until: listened + timeout)
      watched[index].holder = sighting.beacon
      found.notes.append(.reentered(region: watched[index].name))
    case .unknown, .outside:
      guard strength == .near else { return passed(index, sighting) }
      if let metres = beyond(watched[index].place, rules, at: now) {
        let noted = watched[index].elsewhereNoted
        passed(index, sighting)
        guard noted.map({ now - $0 >= Self.noteGap }) ?? true else { return }
        watched[index].elsewhereNoted = now
        found.notes.append(.beaconElsewhere(region: watched[index].name, metres: metres))
        return
      }
      if case .outside(var guarding?) = watched[index].state, rules.reentryGuard > .zero,
        now - guarding.leftAt <= rules.reentryGuard
      {
        let isBack = guarding.admits(rssi: sighting.rssi, listened: listened)
        watched[index].state = .outside(guarding)
        guard isBack else {
          found.notes.append(.strayBeacon(region: watched[index].name, packets: guarding.seen))
          return
        }
      }
      // Another beacon of the region may have been heard among the packets taken for strays.
      watched[index].state = .inside(until: longest(index, sighting.beacon, listened + timeout))
      found.crossings.append(
        (
          watched[index].rid, .enter,
          .beaconHeard(
            region: watched[index].name, major: Int(sighting.beacon.major),
            minor: Int(sighting.beacon.minor), rssi: sighting.rssi.map { Int($0) })
        ))
    }
    watched[index].timeout = timeout
    watched[index].lastAt = now
    watched[index].farFixes = 0
  }

  /// A packet that enters nothing is still the one before the next.
  private mutating func passed(_ index: Int, _ sighting: Sighting) {
    guard case .outside(var guarding?) = watched[index].state else { return }
    guarding.note(rssi: sighting.rssi)
    watched[index].state = .outside(guarding)
  }

  /// Metres to `place` if the board is certainly not there; nil: it may be.
  func beyond(_ place: BeaconPlace, _ rules: Rules, at now: Instant) -> Double? {
    guard let timeout = rules.placeTimeout, let here, now - here.at <= timeout else { return nil }
    return place.isBeyond(here.fix, age: now - here.at)
  }

  /// Of several beacons the one with the latest deadline counts; it may shorten its own deadline when it turns
  /// out to be heard more often than assumed.
  private mutating func hold(
    _ index: Int, _ until: Span, _ number: BeaconNumber, _ mine: Span
  ) -> Span {
    if mine >= until {
      watched[index].holder = number
      return mine
    }
    return watched[index].holder == number ? longest(index, number, mine) : until
  }

  /// Until when the region's beacons keep it inside.
  private mutating func longest(_ index: Int, _ number: BeaconNumber, _ mine: Span) -> Span {
    var longest = (until: mine, number: number)
    for beacon in heard where beacon.until > longest.until && beacon.matches.contains(index) {
      longest = (beacon.until, beacon.number)
    }
    watched[index].holder = longest.number
    return longest.until
  }

  /// Index of the beacon in `heard`; nil: it matches no region.
  private mutating func slot(of sighting: Sighting, _ listened: Span, at now: Instant) -> Int? {
    if let slot = indexByNumber[sighting.beacon] { return slot }
    var beacon = HeardBeacon(sighting, listened: listened, at: now)
    beacon.matches = matches(of: sighting.beacon)
    guard !beacon.matches.isEmpty else { return nil }
    guard heard.count == Self.limit else {
      heard.append(beacon)
      indexByNumber[sighting.beacon] = heard.count - 1
      return heard.count - 1
    }
    let victim = victim()
    indexByNumber[heard[victim].number] = nil
    heard[victim] = beacon
    indexByNumber[sighting.beacon] = victim
    return victim
  }

  private func victim() -> Int {
    func worth(_ slot: Int) -> Int {
      (heard[slot].sightings >= Self.familiar ? 1 : 0) + (isInside(slot) ? 1 : 0)
    }
    return heard.indices.min { left, right in
      let (worthOfLeft, worthOfRight) = (worth(left), worth(right))
      if worthOfLeft != worthOfRight { return worthOfLeft < worthOfRight }
      return heard[left].lastAt < heard[right].lastAt
    } ?? 0
  }

  // MARK: Silence

  /// Regions whose beacon has been silent for too long.
  mutating func expire(rules: Rules, at now: Instant) -> Found {
    var found = Found()
    let listened = clock.listened(at: now)
    for index in watched.indices {
      switch watched[index].state {
      case .outside: break
      case .unknown(let until):
        guard until <= listened else { break }
        watched[index].state = .outside(nil)
        found.settled.append((watched[index].rid, .outside))
      case .inside(let until):
        guard until <= listened else { break }
        if watched[index].isHoldDown {
          watched[index].state = .held(until: until + rules.holdDown)
          found.notes.append(.heldDown(region: watched[index].name))
        } else {
          leave(index, at: now, into: &found, because: lost(index))
        }
      case .held(let until):
        if until <= listened { leave(index, at: now, into: &found, because: lost(index)) }
      }
    }
    return found
  }

  private func lost(_ index: Int) -> Reason {
    .beaconLost(region: watched[index].name, seconds: watched[index].timeout.seconds)
  }

  private mutating func leave(
    _ index: Int, at now: Instant, into found: inout Found, because reason: Reason
  ) {
    watched[index].state = .outside(ReentryGuard(leftAt: now, stay: watched[index].rssi))
    watched[index].place.left()
    watched[index].farFixes = 0
    found.crossings.append((watched[index].rid, .leave, reason))
  }

  /// The next deadline of a silence, as things stand.
  func nextDeadline(at now: Instant) -> Instant? {
    var earliest: Span?
    for entry in watched {
      switch entry.state {
      case .outside: break
      case .unknown(let until), .inside(let until), .held(let until):
        earliest = earliest.map { min($0, until) } ?? until
      }
    }
    return earliest.flatMap { clock.instant(showing: $0, from: now) }
  }

  // MARK: The radio

  /// An outage freezes everything; after it silences continue where they were, but every beacon gets
  /// a moment to be heard before it counts as lost.
  mutating func setHearing(_ isHearing: Bool, at now: Instant) {
    guard isHearing != clock.isHearing else { return }
    clock.set(isHearing: isHearing, at: now)
    if isHearing { giveTime(at: now) }
  }

  mutating func setDuty(_ duty: Int, at now: Instant) { clock.set(duty: duty, at: now) }

  /// The process overslept a deadline: the radio's reports from that time have yet to arrive.
  mutating func overslept(at now: Instant) { giveTime(at: now) }

  private mutating func giveTime(at now: Instant) {
    let listened = clock.listened(at: now)
    for index in watched.indices {
      let tenth = Span(nanoseconds: watched[index].timeout.nanoseconds / 10)
      let earliest = listened + max(Self.recovery, tenth)
      switch watched[index].state {
      case .unknown, .outside: break
      case .inside(let until): watched[index].state = .inside(until: max(until, earliest))
      case .held(let until): watched[index].state = .held(until: max(until, earliest))
      }
    }
  }

  // MARK: Positions

  /// GPS overrules a frozen radio; a beacon being heard shows where its place is.
  mutating func consider(_ fix: Fix, rules: Rules, at now: Instant) -> Found {
    var found = Found()
    here = (fix, now)
    for index in watched.indices where watched[index].state.presence == .inside {
      if let lastAt = watched[index].lastAt, now - lastAt <= Self.present {
        if now - lastAt <= Self.simultaneous { watched[index].place.heard(at: fix) }
        continue
      }
      guard let metres = watched[index].place.distance(to: fix.coordinate),
        metres - fix.accuracy > BeaconPlace.farthest
      else {
        watched[index].farFixes = 0
        continue
      }
      watched[index].farFixes += 1
      guard watched[index].farFixes >= rules.confirm else { continue }
      leave(
        index, at: now, into: &found,
        because: .beaconFar(region: watched[index].name, metres: metres))
    }
    return found
  }

  // MARK: Questions

  /// Identities the scanner has to report: each once, in the order of the regions.
  mutating func wantedNow() -> [BeaconIdentity] {
    if !isIndexed { reindex() }
    return wanted
  }

  func isInside(_ slot: Int) -> Bool {
    for index in heard[slot].matches {
      switch watched[index].state {
      case .inside, .held: return true
      case .unknown, .outside: break
      }
    }
    return false
  }

  func matches(of number: BeaconNumber) -> [Int] {
    watched.indices.filter { watched[$0].matches(number) }
  }

  // MARK: Bookkeeping

  private mutating func reindex() {
    isIndexed = true
    var known: Set<BeaconIdentity> = []
    wanted = watched.map(\.beacon).filter { known.insert($0).inserted }
    for slot in heard.indices { heard[slot].matches = matches(of: heard[slot].number) }
    heard.removeAll { $0.matches.isEmpty }
    indexByNumber = [:]
    for slot in heard.indices { indexByNumber[heard[slot].number] = slot }
  }
}
