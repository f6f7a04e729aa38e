import Model
import Timebase

/// The GNSS receiver and its gpsd: a reading every second, most of them right.
struct Receiver {
  struct Heard {
    var reading: Reading
    /// Until it reaches the daemon.
    var delay: Span
    /// It is wrong, and nobody can tell.
    var isTrap: Bool
  }

  /// What a tracker can hold the next fix against.
  private struct Last {
    var heard: Instant?
    var sound: Point?
    /// Jumps so far, and the one that what was last heard was part of; nil: it was sound.
    var jumps = 0
    var jump: Int?
    /// It may believe a wrong one.
    var trappedUntil = Instant.zero
  }

  private var dice: Dice
  var time: ReceiverTime
  var ground: ReceiverGround
  var line: ReceiverLine
  var haze: ReceiverHaze
  /// Nil: it never hops.
  var hops: ReceiverHops?
  /// Since when every fix has been right and in time.
  private(set) var soundSince: Instant?
  /// Since when every fix has been right but for the same whole seconds: those of a receiver that does not know the leap
  /// seconds.
  private(set) var leapSince: (at: Instant, error: Double)?
  /// Fixes whose time can be believed have come without a longer pause.
  private(set) var heard: (since: Instant, last: Instant)?
  /// Since when the vehicle has stood, as far as there were fixes.
  private(set) var standsSince: Instant?
  private var jump: (until: Instant, by: Point)?
  private var rolledOver = 0
  /// This one never gets over it.
  private let isOld: Bool
  /// The last fix of a wrong place.
  private var lastWrong = Instant.zero
  private var last = Last()
  var isBlind = false
  var isReached = true
  /// The tracker lets it rest between looks.
  var isAwake = true

  /// Of what is not vague, metres.
  static let worstAccuracy = 9.0
  /// A longer pause is one to the tracker, seconds.
  private static let pause = 8.0
  /// How long it has to have been heard, and the vehicle to have stood, before it lies, seconds.
  private static let watched = 120.0

  init(
    dice: Dice, time: ReceiverTime, ground: ReceiverGround, line: ReceiverLine, haze: ReceiverHaze
  ) {
    self.dice = dice
    self.haze = haze
    self.time = time
    self.ground = ground
    self.line = line
    isOld = self.dice.chance(0.05)
  }

  /// The process that listens is a new one, and knows nothing.
  mutating func listenerChanged() {
    last.heard = nil
    unsound()
    heard = nil
    time.forgiven()
  }

  /// Faults end here: the receiver gets over what it is in.
  mutating func recover() {
    jump = nil
    rolledOver = 0
    isBlind = false
    isReached = true
    time.recover()
    ground.recover()
    line.recover()
    haze.recover()
    hops?.recover()
  }

  private mutating func unsound() { (soundSince, leapSince) = (nil, nil) }

  func hasMisplaced(since: Instant) -> Bool { lastWrong > since && lastWrong > .zero }

  private mutating func isHeard(_ isTrusted: Bool, at now: Instant) {
    guard isTrusted else { return }
    let since = heard.map { (now - $0.last).seconds > Self.pause ? now : $0.since } ?? now
    heard = (since, now)
  }

  /// Whether the tracker knows enough to know a lie for one.
  private func isWatched(at now: Instant) -> Bool {
    guard let heard, let standsSince else { return false }
    return (now - heard.last).seconds <= Self.pause && (now - heard.since).seconds >= Self.watched
      && (now - standsSince).seconds >= Self.watched
  }

  /// While nothing else is wrong with it, and the tracker can know that it hops.
  private mutating func hop(at now: Instant, isStanding: Bool) -> Point? {
    let isSound = soundSince.map { (now - $0).seconds > Self.watched / 4 } ?? false
    let isKnown = isStanding && isWatched(at: now) && !haze.isNear(now) && ground.tellsSpeed
    let isAlone = !ground.isLying && jump == nil && now >= last.trappedUntil
    return hops?.off(at: now, mayBegin: isSound && isKnown && isAlone, isStanding: isStanding)
  }

  /// What is said of the position at `now`. `note` hears which faults struck.
  mutating func beat(
    at now: Instant, _ road: Road, _ rates: Rates, isClockKnown: Bool, note: (Fault) -> Void
  ) -> [Heard] {
    let truth = road.position(at: Span(nanoseconds: now.nanoseconds).seconds)
    standsSince = truth.speed > 0 ? nil : standsSince ?? now
    guard isReached, isAwake else {
      unsound()
      return []
    }
    if isBlind {
      unsound()
      var reading = Reading()
      reading.mode = dice.chance(0.5) ? 1 : 0
      if reading.mode == 1 { reading.time = BoardClock.truth(now) }
      return [Heard(reading: reading, delay: .milliseconds(150), isTrap: false)]
    }
    if dice.chance(rates[.fixLost]) {
      note(.fixLost)
      unsound()
      return []
    }
    var (reading, wrong) = measure(at: now, truth, rates, note: note)
    if rolledOver == 0, dice.chance(rates[.dateRolledOver]) {
      rolledOver = dice.whole(1...300)
      note(.dateRolledOver)
    }
    if rolledOver > 0 || isOld {
      rolledOver = max(0, rolledOver - 1)
      reading.time = reading.time.map { WallTime(seconds: $0.seconds - 1024 * 7 * 86_400) }
    }
    var heard = [Heard(reading: reading, delay: .seconds(dice.between(0.08, 0.35)), isTrap: false)]
    heard[0].delay = heard[0].delay + .seconds(line.delay(at: now))
    // What such a receiver says late has its error as well.
    if dice.chance(rates[.fixLate]), !time.isWrong {
      note(.fixLate)
      heard[0].delay = dice.span(1, 60)
    }
    // A wrong time that only lateness makes possible, or that no clock contradicts, nobody can tell from a right one.
    let isTellable = isClockKnown && heard[0].delay < .seconds(0.4)
    let error = isTellable ? time.error(at: now, rates, note: note) : 0
    if error != 0 { heard[0].reading.time = reading.time.map { WallTime(seconds: $0.seconds + error) } }
    if dice.chance(rates[.fixRepeated]), error == 0 {
      note(.fixRepeated)
      heard.append(heard[0])
      heard[1].delay = heard[0].delay + dice.span(0.01, 20)
    }
    heard[0].isTrap = isTrap(wrong, at: now)
    if wrong != nil { lastWrong = now }
    let isInTime = error == 0 && heard[0].delay < .seconds(1)
    isHeard(isInTime && (rolledOver == 0 || isClockKnown) && !heard[0].isTrap, at: now)
    if heard[0].isTrap { self.heard = nil }
    let isSound = wrong == nil && rolledOver == 0 && isInTime
    let isLeap =
      wrong == nil && rolledOver == 0 && error != 0 && error == error.rounded() && error.magnitude <= 20
    leapSince = isLeap ? (leapSince?.error == error ? leapSince?.at ?? now : now, error) : nil
    soundSince = isSound ? soundSince ?? now : nil
    if heard[0].isTrap {
      last.trappedUntil = now + .seconds(90)
    } else if isInTime {
      last.heard = now
      last.jump = wrong == nil ? nil : last.jumps
      if wrong == nil { last.sound = truth.point }
    }
    return heard
  }

  /// Whether nobody could see that a fix is wrong: nothing was heard before it for too long, or nothing but
  /// another jump, or it looks like a halt, because it is off to where the vehicle has just been.
  private mutating func isTrap(_ wrong: Point?, at now: Instant) -> Bool {
    guard let wrong else { return false }
    if ground.isLying {
      last.trappedUntil = now + .seconds(90)
      return false
    }
    guard now >= last.trappedUntil, let heard = last.heard, now - heard <= .seconds(2), let sound = last.sound
    else {
      return true
    }
    if let jump = last.jump, jump != last.jumps { return true }
    // Where noise is beyond every claim, and no speed is told, the next place may be anywhere.
    if !ground.tellsSpeed, ground.reach.standing > 0 { return true }
    return sound.distance(to: wrong) < 120 + ground.reach.standing
  }

  private mutating func measure(
    at now: Instant, _ truth: Road.Position, _ rates: Rates, note: (Fault) -> Void
  ) -> (Reading, wrong: Point?) {
    var accuracy = dice.between(2.5, Self.worstAccuracy)
    var point = truth.point
    point.east += dice.bell() * accuracy * 0.4
    point.north += dice.bell() * accuracy * 0.4
    let isStanding = truth.speed == 0
    let isHopping = hops?.isUnderWay == true
    let off = ground.error(
      at: now, isStanding: isStanding,
      isWatched: isWatched(at: now) && !haze.isNear(now) && !isHopping, note: note)
    point.east += off.east
    point.north += off.north
    // Who may be anywhere around may be there, too: such a jump nobody can tell.
    if jump == nil, !ground.isLying, !isHopping, dice.chance(rates[.fixJumped]), !haze.isNear(now) {
      note(.fixJumped)
      last.jumps += 1
      let angle = dice.whole(0...3)
      let east = [200.0, -200, 0, 0][angle]
      jump = (
        now + .seconds(dice.whole(0...11)),
        Point(east: east, north: east != 0 ? 0 : (angle == 2 ? 200 : -200))
      )
    }
    var wrong = ground.isLying ? point : nil
    if let off = hop(at: now, isStanding: isStanding) {
      point.east += off.east
      point.north += off.north
      accuracy = 2
      wrong = point
    }
    if let by = jump {
      point.east += by.by.east
      point.north += by.by.north
      accuracy = 2
      wrong = point
      if by.until <= now { jump = nil }
    }
    let place = point.coordinate
    var reading = Reading()
    reading.mode = 3
    reading.time = BoardClock.truth(now)
    (reading.latitude, reading.longitude) = (place.latitude, place.longitude)
    reading.altitude = 200
    (reading.eph, reading.epv, reading.eps) = (accuracy, accuracy * 1.5, 0.3)
    reading.speed = max(0, truth.speed + (truth.speed > 0 ? dice.bell() * 0.2 : dice.unit() * 0.2))
    reading.track = truth.speed > 0 ? truth.course : nil
    ground.claim(&reading, isStanding: isStanding)
    if jump == nil, wrong == nil, ground.tellsAccuracy, let vague = haze.accuracy(at: now) {
      (reading.eph, reading.epv) = (vague, vague * 1.5)
    }
    return (reading, wrong)
  }
}
