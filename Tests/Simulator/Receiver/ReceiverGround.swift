import Glibc
import Model
import Timebase

/// What a receiver makes of the ground that a vehicle stands on: noise, and places that it jumps or drifts to, while its
/// speed says that it stands. A lie ends where nobody could know it for one: when the vehicle drives off, or after a gap.
struct ReceiverGround {
  /// Of each axis, metres: an error that is new with each fix, and one that stays similar for some minutes.
  private struct Noise {
    var white: Double
    var slow: Double
    var wanders: Double
    /// What it claims, metres; nil: what an honest one does.
    var claim: Double?
    /// Metres a second.
    var speed: Double
    var until: Instant
  }

  private struct Lie {
    var isDrift: Bool
    var east: Double
    var north: Double
    var metres: Double
    /// Metres a second; a jump takes one step.
    var pace: Double
    var off = 0.0
    var until: Instant?
    var isOver = false
  }

  private var dice: Dice
  /// Receivers that tell no speed, or no error of their own: they never do.
  let tellsSpeed: Bool
  let tellsAccuracy: Bool
  private var noise: Noise?
  private var error = Point(east: 0, north: 0)
  private var lie: Lie?
  /// It does not lie again before this: what is off for ten minutes on end is believed.
  private var restsUntil = Instant.zero
  /// What strikes when the vehicle has stood for a while, or comes to another place.
  private var waiting: Fault?

  init(dice: Dice) {
    self.dice = dice
    tellsSpeed = !self.dice.chance(0.25)
    tellsAccuracy = !self.dice.chance(0.25)
  }

  mutating func wait(for fault: Fault) { waiting = fault }

  mutating func recover() { (noise, lie, waiting) = (nil, nil, nil) }

  var isLying: Bool { lie != nil }

  /// What a complaint says of it.
  var story: String {
    let noise =
      noise.map { "noise of \($0.white) white, \($0.slow) slow for \($0.wanders) s," } ?? "no noise,"
    let lie = lie.map { " \($0.isDrift ? "drifted" : "jumped") by \($0.off) of \($0.metres) m," }
    return noise + (lie ?? "")
  }

  /// How far off a place may be, beside what it claims: of a vehicle that stands, and of one that drives.
  var reach: (standing: Double, driving: Double) {
    noise.map { (4.5 * ($0.white + $0.slow), 4.5 * $0.slow * Self.drivingShare) } ?? (0, 0)
  }

  /// Reflections change too fast for a vehicle that drives.
  private static let drivingShare = 0.3

  // MARK: A fix

  /// How far off this one is. `isWatched`: the tracker has heard enough to know a lie for one.
  mutating func error(
    at now: Instant, isStanding: Bool, isWatched: Bool, note: (Fault) -> Void
  ) -> Point {
    if let noise, now >= noise.until { self.noise = nil }
    if lie != nil { restsUntil = now + .seconds(90) }
    if !isStanding || !isWatched { lie = nil }
    // Noise is of a place that it comes to.
    if let fault = waiting, lie == nil, now >= restsUntil,
      (isStanding && isWatched) != (fault == .parkedNoise)
    {
      begin(fault, at: now, note: note)
    }
    let slow = noise.map { isStanding ? $0.slow : $0.slow * Self.drivingShare } ?? 0
    let keeps = exp(-1 / (isStanding ? noise?.wanders ?? 60 : 30))
    let new = slow * (1 - keeps * keeps).squareRoot()
    error.east = error.east * keeps + dice.bell() * new
    error.north = error.north * keeps + dice.bell() * new
    var found = error
    if let noise, isStanding {
      found.east += dice.bell() * noise.white
      found.north += dice.bell() * noise.white
    }
    if let lie = go(at: now) {
      found.east += lie.east * lie.off
      found.north += lie.north * lie.off
    }
    return found
  }

  /// What it says of itself and of the speed.
  mutating func claim(_ reading: inout Reading, isStanding: Bool) {
    if let claim = noise?.claim { (reading.eph, reading.epv) = (claim, claim * 1.5) }
    if let noise, isStanding { reading.speed = (dice.bell() * noise.speed).magnitude }
    if !tellsAccuracy { (reading.eph, reading.epv, reading.hdop) = (nil, nil, 0.9) }
    if !tellsSpeed { (reading.speed, reading.eps, reading.track) = (nil, nil, nil) }
  }

  // MARK: What strikes

  private mutating func begin(_ fault: Fault, at now: Instant, note: (Fault) -> Void) {
    waiting = nil
    if fault == .parkedNoise {
      note(fault)
      let sigma = dice.between(5, 20)
      let isSlow = dice.chance(0.6)
      noise = Noise(
        white: isSlow ? dice.pick([0, 0.5, 3]) : sigma, slow: isSlow ? sigma : dice.pick([0, 3]),
        wanders: dice.spread(60, 600), claim: dice.pick([5, 18, nil]), speed: dice.pick([0.05, 0.1, 0.3]),
        until: now + dice.span(600, 14_400))
      return
    }
    // Where no speeds are told a drift cannot be told from a way.
    guard tellsSpeed || fault == .placeJumped else { return }
    note(fault)
    let angle = dice.between(0, 2 * .pi)
    lie = Lie(
      isDrift: fault == .placeDrifted, east: cos(angle), north: sin(angle),
      metres: fault == .placeDrifted ? dice.between(60, 500) : dice.spread(110, 3000),
      pace: fault == .placeDrifted ? dice.spread(0.5, 20) : .infinity)
  }

  private mutating func go(at now: Instant) -> Lie? {
    guard var lie else { return nil }
    defer { self.lie = lie.isOver && lie.off <= 0 ? nil : lie }
    if let until = lie.until {
      lie.isOver = now >= until
    } else if lie.off >= lie.metres {
      lie.until = now + dice.span(3, 300)
    }
    lie.off = lie.isOver ? max(0, lie.off - lie.pace) : min(lie.metres, lie.off + lie.pace)
    return lie
  }
}
