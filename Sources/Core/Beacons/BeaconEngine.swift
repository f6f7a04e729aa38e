import Model
import Timebase

/// Which beacon regions the board is in. One automaton per region; "heard" is a sighting that matches
/// the region and is strong enough, and all waiting is in listening time (`ListeningClock`):
///
///     unknown ──heard──▶ inside                                                                 enter
///     unknown ──2 s of silence──▶ outside                                nothing
///     outside ──heard (soon after a leave: what `ReentryGuard` asks)──▶ inside                  enter
///     inside  ──not heard for the loss time-out──▶ outside                                      leave
///     inside of "-Name" ──the same──▶ held ──heard──▶ inside                                    nothing
///                                     held ──`holdDown` later──▶ outside                        leave
///     inside, held ──silent, and 500 m from its place by GPS──▶ outside                         leave
///
/// What a crossing means is not decided here.
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
    /// How old a position may be that says that a beacon cannot be here; nil: none says so.
    var placeTimeout: Span?
  }

  struct Found {
    var crossings: [(rid: String, crossing: Crossing, because: Reason)] = []
    var notes: [Reason] = []
    /// Regions that learnt silently where the board is.
    var settled: [(rid: String, presence: Presence)] = []
    /// A silence would have its consequence earlier than was thought.
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
    /// The time-out that the last sighting brought.
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

  /// Most physical beacons that are remembered: with the rhythm of each about 40 kB. Beyond it the one
  /// goes that was heard least: first those of fewer than ten sightings that keep nothing inside, then
  /// the longest silent. A region needs no memory of its beacon to be inside.
  static let limit = 128
  static let familiar = 10
  /// An unknown region is outside when its beacon keeps silent for this long: it is not there already.
  static let settling = Span.seconds(2)
  /// What a region's beacon gets to be heard again after an outage, at least; a tenth of its time-out
  /// where that is more.
  static let recovery = Span.seconds(3)
  /// A beacon heard within this is here, whatever a position says.
  static let present = Span.seconds(5)
  /// A beacon heard within this was heard where the board is now.
  static let simultaneous = Span.seconds(1.5)

  /// Advertisements at an impossible place come ten times a second: one in so long is noted.
  static let noteGap = Span.seconds(10)

  var clock = ListeningClock()
  var watched: [Watched] = []
  private(set) var heard: [HeardBeacon] = []
  private var index: [BeaconNumber: Int] = [:]
  /// Regions came, went or changed: who belongs to whom has to be found anew.
  var isIndexed = true
  private var wanted: [BeaconIdentity] = []
  /// The newest position, and when it came.
  private var here: (fix: Fix, at: Instant)?

  // MARK: Sightings

  /// The hot path: for a beacon that is known and changes nothing it allocates nothing.
  mutating func hear(_ sighting: Sighting, rules: Rules, at now: Instant) -> Found {
    var found = Found()
    let listened = clock.listened(at: now)
    if !isIndexed { reindex() }
    guard let place = place(of: sighting, listened, at: now) else { return found }
    let isPresent = isInside(place)
    heard[place].note(sighting, isPresent: isPresent, listened: listened, at: now)
    let strength = heard[place].strength(enter: rules.enterRSSI, leave: rules.leaveRSSI)
    let timeout = rules.lossTimeout ?? heard[place].gaps.timeout
    if strength != .faint { heard[place].until = listened + timeout }
    for position in heard[place].matches {
      watched[position].rssi = heard[place].meanRSSI
      step(position, sighting, strength, until: listened, timeout, rules, at: now, into: &found)
    }
    found.isInside = isInside(place)
    if found.isInside, !isPresent { heard[place].returned() }
    return found
  }

  private mutating func step(
    _ position: Int, _ sighting: Sighting, _ strength: HeardBeacon.Strength, until listened: Span,
    _ timeout: Span, _ rules: Rules, at now: Instant, into found: inout Found
  ) {
    switch watched[position].state {
    case .inside(let until):
      guard strength != .faint else { return }
      let held = hold(position, until, sighting.beacon, listened + timeout)
      watched[position].state = .inside(until: held)
      if held < until { found.isSooner = true }
    case .held:
      guard strength != .faint else { return }
      watched[position].state = .inside(until: listened + timeout)
      watched[position].holder = sighting.beacon
      found.notes.append(.reentered(region: watched[position].name))
    case .unknown, .outside:
      guard strength == .near else { return }
      if let metres = beyond(watched[position].place, rules, at: now) {
        let noted = watched[position].elsewhereNoted
        guard noted.map({ now - $0 >= Self.noteGap }) ?? true else { return }
        watched[position].elsewhereNoted = now
        found.notes.append(.beaconElsewhere(region: watched[position].name, metres: metres))
        return
      }
      if case .outside(var guarding?) = watched[position].state, rules.reentryGuard > .zero,
        now - guarding.leftAt <= rules.reentryGuard
      {
        let isBack = guarding.admits(rssi: sighting.rssi, listened: listened)
        watched[position].state = .outside(guarding)
        guard isBack else {
          found.notes.append(.strayBeacon(region: watched[position].name, packets: guarding.seen))
          return
        }
      }
      watched[position].state = .inside(until: listened + timeout)
      watched[position].holder = sighting.beacon
      found.crossings.append(
        (
          watched[position].rid, .enter,
          .beaconHeard(
            region: watched[position].name, major: Int(sighting.beacon.major),
            minor: Int(sighting.beacon.minor), rssi: sighting.rssi.map { Int($0) })
        ))
    }
    watched[position].timeout = timeout
    watched[position].lastAt = now
    watched[position].farFixes = 0
  }

  /// Metres to a place where the board surely is not; nil: it may be there.
  func beyond(_ place: BeaconPlace, _ rules: Rules, at now: Instant) -> Double? {
    guard let timeout = rules.placeTimeout, let here, now - here.at <= timeout else { return nil }
    return place.isBeyond(here.fix, age: now - here.at)
  }

  /// Of several beacons the one that lasts longest counts; and it takes its own word back when it learns
  /// that it is heard more often than it thought.
  private mutating func hold(
    _ position: Int, _ until: Span, _ number: BeaconNumber, _ mine: Span
  ) -> Span {
    if mine >= until {
      watched[position].holder = number
      return mine
    }
    guard watched[position].holder == number else { return until }
    var longest = (until: mine, number: number)
    for beacon in heard where beacon.until > longest.until && beacon.matches.contains(position) {
      longest = (beacon.until, beacon.number)
    }
    watched[position].holder = longest.number
    return longest.until
  }

  /// Where the beacon is remembered; nil: nobody wants it.
  private mutating func place(of sighting: Sighting, _ listened: Span, at now: Instant) -> Int? {
    if let place = index[sighting.beacon] { return place }
    var beacon = HeardBeacon(sighting, listened: listened, at: now)
    beacon.matches = matches(of: sighting.beacon)
    guard !beacon.matches.isEmpty else { return nil }
    guard heard.count == Self.limit else {
      heard.append(beacon)
      index[sighting.beacon] = heard.count - 1
      return heard.count - 1
    }
    let victim = victim()
    index[heard[victim].number] = nil
    heard[victim] = beacon
    index[sighting.beacon] = victim
    return victim
  }

  private func victim() -> Int {
    func worth(_ place: Int) -> Int {
      (heard[place].sightings >= Self.familiar ? 1 : 0) + (isInside(place) ? 1 : 0)
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
    for position in watched.indices {
      switch watched[position].state {
      case .outside: break
      case .unknown(let until):
        guard until <= listened else { break }
        watched[position].state = .outside(nil)
        found.settled.append((watched[position].rid, .outside))
      case .inside(let until):
        guard until <= listened else { break }
        if watched[position].isHoldDown {
          watched[position].state = .held(until: until + rules.holdDown)
          found.notes.append(.heldDown(region: watched[position].name))
        } else {
          leave(position, at: now, into: &found, because: lost(position))
        }
      case .held(let until):
        if until <= listened { leave(position, at: now, into: &found, because: lost(position)) }
      }
    }
    return found
  }

  private func lost(_ position: Int) -> Reason {
    .beaconLost(region: watched[position].name, seconds: watched[position].timeout.seconds)
  }

  private mutating func leave(
    _ position: Int, at now: Instant, into found: inout Found, because reason: Reason
  ) {
    watched[position].state = .outside(ReentryGuard(leftAt: now, stay: watched[position].rssi))
    watched[position].place.left()
    watched[position].farFixes = 0
    found.crossings.append((watched[position].rid, .leave, reason))
  }

  /// When silence has its next consequence, as things stand.
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

  /// An outage freezes everything; when it is over, silence goes on where it was, but every beacon gets
  /// a moment to be heard before it counts as lost.
  mutating func setHearing(_ isHearing: Bool, at now: Instant) {
    guard isHearing != clock.isHearing else { return }
    clock.set(isHearing: isHearing, at: now)
    if isHearing { giveTime(at: now) }
  }

  mutating func setDuty(_ duty: Int, at now: Instant) { clock.set(duty: duty, at: now) }

  /// The process slept over a deadline: the radio's reports of meanwhile are still on their way.
  mutating func overslept(at now: Instant) { giveTime(at: now) }

  private mutating func giveTime(at now: Instant) {
    let listened = clock.listened(at: now)
    for position in watched.indices {
      let tenth = Span(nanoseconds: watched[position].timeout.nanoseconds / 10)
      let earliest = listened + max(Self.recovery, tenth)
      switch watched[position].state {
      case .unknown, .outside: break
      case .inside(let until): watched[position].state = .inside(until: max(until, earliest))
      case .held(let until): watched[position].state = .held(until: max(until, earliest))
      }
    }
  }

  // MARK: Positions

  /// GPS overrules a frozen radio; a beacon that is being heard teaches where it is.
  mutating func consider(_ fix: Fix, rules: Rules, at now: Instant) -> Found {
    var found = Found()
    here = (fix, now)
    for position in watched.indices where watched[position].state.presence == .inside {
      if let lastAt = watched[position].lastAt, now - lastAt <= Self.present {
        if now - lastAt <= Self.simultaneous { watched[position].place.heard(at: fix) }
        continue
      }
      guard let metres = watched[position].place.distance(to: fix.coordinate),
        metres - fix.accuracy > BeaconPlace.farthest
      else {
        watched[position].farFixes = 0
        continue
      }
      watched[position].farFixes += 1
      guard watched[position].farFixes >= rules.confirm else { continue }
      leave(
        position, at: now, into: &found,
        because: .beaconFar(region: watched[position].name, metres: metres))
    }
    return found
  }

  // MARK: Questions

  /// What the scanner has to report: every identity once, in the order of the regions.
  mutating func wantedNow() -> [BeaconIdentity] {
    if !isIndexed { reindex() }
    return wanted
  }

  func isInside(_ place: Int) -> Bool {
    for position in heard[place].matches {
      switch watched[position].state {
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
    for place in heard.indices { heard[place].matches = matches(of: heard[place].number) }
    heard.removeAll { $0.matches.isEmpty }
    index = [:]
    for place in heard.indices { index[heard[place].number] = place }
  }
}
