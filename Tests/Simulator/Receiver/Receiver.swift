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

  private var dice: Dice
  var time: ReceiverTime
  /// Since when every fix has been right and in time.
  private(set) var soundSince: Instant?
  private var jump: (until: Instant, by: Point)?
  private var rolledOver = 0
  /// This one never gets over it.
  private let isOld: Bool
  /// The last fix that a tracker can hold the next against, and until when it may believe a wrong one.
  private var lastHeard: Instant?
  private var lastSound: Point?
  /// Jumps so far, and the one that what was last heard was part of; nil: it was sound.
  private var jumps = 0
  private var lastJump: Int?
  private var trappedUntil = Instant.zero
  var isBlind = false
  var isReached = true
  /// The tracker lets it rest between looks.
  var isAwake = true

  init(dice: Dice, time: ReceiverTime) {
    self.dice = dice
    self.time = time
    isOld = self.dice.chance(0.05)
  }

  /// The process that listens is a new one, and knows nothing.
  mutating func listenerChanged() {
    lastHeard = nil
    soundSince = nil
    time.forgiven()
  }

  /// Faults end here: the receiver gets over what it is in.
  mutating func recover() {
    jump = nil
    rolledOver = 0
    isBlind = false
    isReached = true
    time.recover()
  }

  /// What is said of the position at `now`. `note` hears which faults struck.
  mutating func beat(
    at now: Instant, _ road: Road, _ rates: Rates, isClockKnown: Bool, note: (Fault) -> Void
  ) -> [Heard] {
    guard isReached, isAwake else {
      soundSince = nil
      return []
    }
    if isBlind {
      soundSince = nil
      var reading = Reading()
      reading.mode = dice.chance(0.5) ? 1 : 0
      if reading.mode == 1 { reading.time = BoardClock.truth(now) }
      return [Heard(reading: reading, delay: .milliseconds(150), isTrap: false)]
    }
    if dice.chance(rates[.fixLost]) {
      note(.fixLost)
      soundSince = nil
      return []
    }
    var (reading, wrong) = measure(at: now, road, rates, note: note)
    if rolledOver == 0, dice.chance(rates[.dateRolledOver]) {
      rolledOver = dice.whole(1...300)
      note(.dateRolledOver)
    }
    if rolledOver > 0 || isOld {
      rolledOver = max(0, rolledOver - 1)
      reading.time = reading.time.map { WallTime(seconds: $0.seconds - 1024 * 7 * 86_400) }
    }
    var heard = [Heard(reading: reading, delay: .seconds(dice.between(0.08, 0.35)), isTrap: false)]
    if dice.chance(rates[.fixLate]) {
      note(.fixLate)
      heard[0].delay = dice.span(1, 60)
    }
    // A wrong time that only lateness makes possible, or that no clock contradicts, nobody can tell from a right one.
    let isTellable = isClockKnown && heard[0].delay < .seconds(1)
    let error = isTellable ? time.error(at: now, rates, note: note) : 0
    if error != 0 { heard[0].reading.time = reading.time.map { WallTime(seconds: $0.seconds + error) } }
    if dice.chance(rates[.fixRepeated]), error == 0 {
      note(.fixRepeated)
      heard.append(heard[0])
      heard[1].delay = heard[0].delay + dice.span(0.01, 20)
    }
    heard[0].isTrap = isTrap(wrong, at: now)
    let isSound = wrong == nil && rolledOver == 0 && error == 0 && heard[0].delay < .seconds(1)
    soundSince = isSound ? soundSince ?? now : nil
    if heard[0].isTrap {
      trappedUntil = now + .seconds(90)
    } else if heard[0].delay < .seconds(1), error == 0 {
      lastHeard = now
      lastJump = wrong == nil ? nil : jumps
      if wrong == nil { lastSound = road.position(at: Span(nanoseconds: now.nanoseconds).seconds).point }
    }
    return heard
  }

  /// Whether nobody could see that a fix is wrong: nothing was heard before it for too long, or nothing but
  /// another jump, or it looks like a halt, because it is off to where the vehicle has just been.
  private func isTrap(_ wrong: Point?, at now: Instant) -> Bool {
    guard let wrong else { return false }
    guard now >= trappedUntil, let lastHeard, now - lastHeard <= .seconds(2), let lastSound else {
      return true
    }
    if let lastJump, lastJump != jumps { return true }
    return lastSound.distance(to: wrong) < 120
  }

  private mutating func measure(
    at now: Instant, _ road: Road, _ rates: Rates, note: (Fault) -> Void
  ) -> (Reading, wrong: Point?) {
    let seconds = Span(nanoseconds: now.nanoseconds).seconds
    let truth = road.position(at: seconds)
    var accuracy = dice.between(2.5, 9)
    var point = truth.point
    point.east += dice.bell() * accuracy * 0.4
    point.north += dice.bell() * accuracy * 0.4
    if jump == nil, dice.chance(rates[.fixJumped]) {
      note(.fixJumped)
      jumps += 1
      let angle = dice.whole(0...3)
      let east = [200.0, -200, 0, 0][angle]
      jump = (
        now + .seconds(dice.whole(0...11)),
        Point(east: east, north: east != 0 ? 0 : (angle == 2 ? 200 : -200))
      )
    }
    var wrong: Point?
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
    return (reading, wrong)
  }
}
