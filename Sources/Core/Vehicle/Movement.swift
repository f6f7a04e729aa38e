import Model
import Timebase

/// Whether the vehicle stands or moves, and how far it came. Receivers wander while they stand, some of
/// them by a hundred metres and with the best claims; but only what really moves has a speed that fits
/// the distance. So a speed without distance moves nothing, nor does a distance without speed.
///
///     standing ──50 m, and the speeds meanwhile make up for them───▶ moving            departed
///     standing ──100 m off on a slow way (`SlowMovement`)──▶ moving                         departed
///     standing ──far off after a pause, and fast, or there for ten minutes──▶ moving   departed
///     standing ──far off though it never moved, for ten minutes──▶ standing there      nothing
///     moving   ──five minutes within a few metres──▶ standing                          stopped
struct Movement {
  private let anchor = Anchor()
  enum Change: Hashable {
    /// It has left where it stood; the time is when it set out.
    case departed(from: TrackPoint)
    /// It stands; the time is when it came there.
    case stopped(at: TrackPoint)
  }

  struct Found: Hashable {
    /// Metres that were covered since the fix before.
    var metres = 0.0
    var change: Change?
  }

  /// Below this a speed is noise, metres a second.
  static let slowest = 0.5
  /// From this speed on something may be setting out.
  static let setOut = 1.0
  /// Least displacement of a departure, metres.
  static let departure = 50.0
  /// The same on a slow way, metres: where it lies at anchor a boat swings.
  static let slowDeparture = 100.0
  /// How much of a distance the speeds have to make up for.
  static let explained = 0.5
  /// Fixes further apart than this say nothing of what is between, seconds.
  static let reach = 10.0
  /// Standing for so long is a stop, seconds: the shortest parking.
  static let parking = 300.0
  /// How wide "the same place" is while standing, metres.
  static let spot = 30.0
  /// A fix less accurate than this proves no movement, metres.
  static let worst = 100.0
  /// Far off, metres, and farther than any reflection.
  static let farOff = 100.0
  static let tooFarOff = 200.0
  /// How long it has to be far off before that is believed of a receiver that tells no speeds, and of one
  /// whose speeds say otherwise, seconds.
  static let disbelief = (withoutSpeed: 20.0, against: 600.0)

  private struct Standing {
    var place: TrackPoint
    /// Known to be where it was left, not only where it was first seen.
    var isSure: Bool
    /// The last fix that was at the place.
    var seen: TrackPoint
    /// Fixes in a row that move.
    var run: (first: Fix, last: Fix, metres: Double)?
    /// Fixes in a row that are somewhere else.
    var stray: (first: Fix, count: Int, isAfterPause: Bool)?
  }

  private struct Moving {
    /// Counted to here.
    var place: TrackPoint
    /// Where it came to rest, should nothing more happen.
    var rest: TrackPoint
    /// Start of the leg for which the speeds have added up to `legMetres`.
    var leg: TrackPoint
    var legMetres = 0.0
  }

  private enum State {
    case unknown
    case standing(Standing)
    case moving(Moving)
  }

  private var state = State.unknown
  private var last: Fix?
  /// The last place comes from before the start.
  private var isResumed = false
  /// Time of the first fix since the start.
  private(set) var began: WallTime?

  init() {}

  /// Goes on where an earlier life has stopped.
  init(_ stored: JourneyState) {
    guard let place = stored.place else { return }
    isResumed = true
    state =
      stored.isStanding
      ? .standing(Standing(place: place, isSure: true, seen: place))
      : .moving(Moving(place: place, rest: place, leg: place))
  }

  // MARK: Inputs

  /// `onSlowWaySince`: when it set out, where it moves though no single speed says so. `isOnNoTrip`: trips are counted,
  /// and none has begun.
  mutating func consider(_ fix: Fix, onSlowWaySince: WallTime? = nil, isOnNoTrip: Bool = false) -> Found {
    guard fix.accuracy <= Self.worst else { return Found() }
    assert(fix.accuracy >= 0 && fix.speed ?? 0 >= 0, "`FixFilter` lets no other fix through")
    defer {
      last = fix
      isResumed = false
    }
    if began == nil { began = fix.time }
    // The clock was set back: what was known is dated by another one.
    if let last, fix.time <= last.time { state = .unknown }
    switch state {
    case .unknown:
      stand(at: TrackPoint(fix), isSure: false)
      return Found()
    case .standing(let standing): return leave(standing, fix, onSlowWaySince)
    case .moving(let moving):
      return go(on: moving, fix, isOnSlowWay: onSlowWaySince != nil, isOnNoTrip: isOnNoTrip)
    }
  }

  /// Nobody has seen it for a long time: it stands where it came to rest.
  mutating func settle() {
    switch state {
    case .unknown: break
    // A change in progress belongs to the forgotten fixes: their times may not even be comparable.
    case .standing(let standing): stand(at: standing.place, isSure: standing.isSure)
    case .moving(let moving): stand(at: moving.rest, isSure: true)
    }
    last = nil
  }

  /// Places since the start were dated by a clock that has been put right.
  mutating func clockSet(by seconds: Double) {
    guard let began else { return }
    func shift(_ time: inout WallTime) { if time >= began { time.seconds += seconds } }
    switch state {
    case .unknown: break
    case .standing(var standing):
      shift(&standing.place.time)
      shift(&standing.seen.time)
      // Rows are begun anew: they are a matter of seconds.
      (standing.run, standing.stray) = (nil, nil)
      state = .standing(standing)
    case .moving(var moving):
      shift(&moving.place.time)
      shift(&moving.rest.time)
      shift(&moving.leg.time)
      state = .moving(moving)
    }
    if last != nil { last?.time.seconds += seconds }
    self.began?.seconds += seconds
  }

  // MARK: Questions

  /// Whether there was a fix to tell it by.
  var isKnown: Bool { if case .unknown = state { false } else { true } }

  var isMoving: Bool { if case .moving = state { true } else { false } }

  /// Where it stands for sure; nil: it moves, or it was never seen to park.
  var parkingPlace: TrackPoint? {
    guard case .standing(let standing) = state, standing.isSure else { return nil }
    return standing.place
  }

  /// Where it last moved.
  var arrival: TrackPoint? {
    switch state {
    case .unknown: nil
    case .standing(let standing): standing.place
    case .moving(let moving): moving.rest
    }
  }

  /// The state to keep over a restart.
  var place: (place: TrackPoint, isStanding: Bool)? {
    switch state {
    case .unknown: nil
    // A place that is not sure is no parking place: the next start looks anew.
    case .standing(let standing): (standing.place, standing.isSure)
    case .moving(let moving): (moving.place, false)
    }
  }

  // MARK: Standing

  private mutating func stand(at place: TrackPoint, isSure: Bool) {
    state = .standing(Standing(place: place, isSure: isSure, seen: place))
  }

  private mutating func leave(_ before: Standing, _ fix: Fix, _ slowSince: WallTime?) -> Found {
    var standing = before
    if !standing.isSure, (fix.time - standing.place.time).seconds >= Self.parking { standing.isSure = true }
    let away = standing.place.coordinate.distance(to: fix.coordinate)
    Self.run(&standing, fix)
    assert(
      standing.run.map { $0.metres >= 0 && $0.last.time >= $0.first.time } ?? true, "a row runs backwards")
    if let run = standing.run {
      let metres = run.first.coordinate.distance(to: fix.coordinate)
      let needed = max(Self.departure, 3 * max(run.first.accuracy, fix.accuracy))
      if metres >= needed, run.metres >= Self.explained * metres {
        return depart(standing, fix, metres: max(away, min(run.metres, 3 * metres)), at: run.first.time)
      }
    }
    if let slowSince, away >= max(Self.slowDeparture, 3 * max(standing.place.accuracy, fix.accuracy)) {
      return depart(standing, fix, metres: away, at: slowSince)
    }
    guard away > max(Self.farOff, 3 * (standing.place.accuracy + fix.accuracy)) else {
      standing.seen = TrackPoint(fix)
      // The region that hid it while it stood here hides it when this is told of.
      if fix.isHidden { standing.place.isHidden = true }
      standing.stray = nil
      state = .standing(standing)
      return Found()
    }
    return strayed(&standing, fix, away: away)
  }

  /// Adds the fix to those that move, or ends their row.
  private static func run(_ standing: inout Standing, _ fix: Fix) {
    let isFast = fix.speed.map { $0 >= setOut } ?? false
    guard let run = standing.run, (fix.time - run.last.time).seconds <= reach else {
      standing.run = isFast ? (fix, fix, 0) : nil
      return
    }
    guard isFast else { return }
    let seconds = (fix.time - run.last.time).seconds
    standing.run = (
      run.first, fix, run.metres + ((run.last.speed ?? 0) + (fix.speed ?? 0)) / 2 * seconds
    )
  }

  private mutating func strayed(_ standing: inout Standing, _ fix: Fix, away: Double) -> Found {
    let pause = (fix.time - (last?.time ?? standing.seen.time)).seconds
    let before = standing.stray ?? (fix, 0, isResumed || pause > Self.reach)
    let stray = (first: before.first, count: before.count + 1, isAfterPause: before.isAfterPause)
    standing.stray = stray
    assert(away > Self.farOff, "what is near does not stray")
    let lasted = (fix.time - stray.first.time).seconds
    let isBelieved: Bool
    if let speed = fix.speed {
      let isFast = speed >= Self.setOut && last?.speed ?? 0 >= Self.setOut
      let isTooFar = away > max(Self.tooFarOff, 4 * (standing.place.accuracy + fix.accuracy))
      isBelieved =
        stray.count >= 2 && pause > Self.reach && isFast
        || stray.isAfterPause && isTooFar && lasted >= Self.disbelief.against
    } else {
      isBelieved = stray.count >= 3 && lasted >= Self.disbelief.withoutSpeed
    }
    if isBelieved { return depart(standing, fix, metres: away, at: standing.seen.time) }
    if lasted >= Self.disbelief.against {
      stand(at: TrackPoint(fix), isSure: standing.isSure)
    } else {
      state = .standing(standing)
    }
    return Found()
  }

  private mutating func depart(_ standing: Standing, _ fix: Fix, metres: Double, at time: WallTime) -> Found {
    assert(metres >= 0 && fix.accuracy <= Self.worst, "nothing departs by such a fix")
    let here = TrackPoint(fix)
    state = .moving(Moving(place: here, rest: here, leg: here))
    var from = standing.place
    from.time = max(time, standing.place.time)
    return Found(metres: metres, change: .departed(from: from))
  }

  // MARK: Moving

  private mutating func go(on before: Moving, _ fix: Fix, isOnSlowWay: Bool, isOnNoTrip: Bool) -> Found {
    var moving = before
    let here = TrackPoint(fix)
    let pause = (fix.time - (last?.time ?? before.place.time)).seconds
    let metres = Self.covered(&moving, last, fix, pause: pause, slowest: isOnSlowWay ? 0 : Self.slowest)
    assert(metres >= 0 && moving.legMetres >= 0, "a distance does not become shorter")
    let away = moving.rest.coordinate.distance(to: fix.coordinate)
    let isMoving = isOnSlowWay || fix.speed.map { $0 >= Self.slowest } ?? true
    if isResumed, pause >= Self.parking || isOnNoTrip {
      // Whatever happened meanwhile, nobody saw it: from here on it is found out anew. Nor was anybody sure that it moved
      // where its trip had not begun.
      stand(at: here, isSure: false)
      return Found(metres: metres)
    }
    if away > max(Self.spot, moving.rest.accuracy + fix.accuracy), isMoving || pause > Self.reach {
      moving.rest = here
    }
    if (fix.time - moving.rest.time).seconds >= Self.parking {
      // Where it is now is where it stands, but it came there when it last moved.
      var stop = here
      stop.time = moving.rest.time
      stand(at: stop, isSure: true)
      return Found(metres: metres, change: .stopped(at: stop))
    }
    state = .moving(moving)
    return Found(metres: metres)
  }

  /// Metres since what was counted: by the speeds where they are known, because places wander. Speeds below `slowest`
  /// are none.
  private static func covered(
    _ moving: inout Moving, _ last: Fix?, _ fix: Fix, pause: Double, slowest: Double
  ) -> Double {
    let here = TrackPoint(fix)
    guard pause <= reach, let last, let before = last.speed, let now = fix.speed else {
      let metres = moving.place.coordinate.distance(to: fix.coordinate)
      let noise = pause > reach ? max(spot, moving.place.accuracy + fix.accuracy) : max(20, 2 * fix.accuracy)
      guard metres >= noise else { return 0 }
      (moving.place, moving.leg, moving.legMetres) = (here, here, 0)
      return metres
    }
    assert(pause > 0, "`consider` begins anew where the time runs back")
    moving.place = here
    var metres = ((before < slowest ? 0 : before) + (now < slowest ? 0 : now)) / 2 * pause
    moving.legMetres += metres
    let straight = moving.leg.coordinate.distance(to: fix.coordinate)
    if straight >= 200 {
      // No distance driven is shorter than the straight line: a receiver that tells too low speeds is helped out.
      if moving.legMetres < 0.7 * straight { metres += straight - moving.legMetres }
      (moving.leg, moving.legMetres) = (here, 0)
    }
    return metres
  }
}
