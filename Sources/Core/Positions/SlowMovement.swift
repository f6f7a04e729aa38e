import Model
import Timebase

/// Detects movement so slow that no single speed can be told from noise: a boat that drags its anchor, a trailer
/// that is pushed away. Over minutes the speeds add up to the way between the places; noise and reflections do not.
///
///     waiting ──far enough, and the speeds made the way──▶ under way
///        ▲                                                     │
///        └──no stride for 4 minutes, or the speeds do not fit──┘
///
/// It is measured against the noise learnt before it set out: a way just begun would itself be learnt as noise.
///
/// Speeds with a course are added as vectors and have to end at the place: a receiver that stands points anywhere.
/// Without a course their sum has to fit, beyond the speeds reported of a vehicle that stands, and it takes longer.
/// Where courses point elsewhere, it takes longer than any reflection reaches. Where no speeds are reported the places
/// have to go on for minutes, one stride after another.
struct SlowMovement {
  typealias Metres = Standstill.Metres

  /// The stride to be covered again and again, metres and in learnt deviations of smoothed places, and within how
  /// long, seconds.
  static let stride = (metres: 25.0, deviations: 2.0, within: 240.0)
  /// How far it has to be, likewise: with courses that point there, without courses, where courses contradict, and
  /// without speeds.
  static let needed = (
    steered: (metres: 50.0, deviations: 4.0), unsteered: (metres: 100.0, deviations: 7.0),
    contradicted: (metres: 300.0, deviations: 10.0), silent: (metres: 120.0, deviations: 8.0)
  )
  /// How far from the place the vectors may end: a share of the way. They have to point one way, too: least length of
  /// their sum as a share of the speeds, and fewest of them.
  static let arrows = (off: 0.5, length: 0.75, count: 6)
  /// Limits of the sum of the speeds: a share of the way, and how much of it beyond the noise of speeds.
  static let sum = (least: 0.7, most: 1.4, beyondNoise: 0.6)
  /// How much of the way has to have courses for it to be steered, and how much may for it not to be.
  static let steered = (most: 0.8, least: 0.2)
  /// Fixes further apart show nothing of the way between, seconds.
  static let pause = 90.0
  /// Metres a second: faster movement shows in single speeds, and without speeds in the places.
  static let fastest = (speaking: 2.0, silent: 0.6)
  /// Below this share of its pace it has stopped: the speeds, or where there are none the time of a stride.
  static let stopped = (speaking: 1.0 / 3, silent: 2.0 / 3)

  private struct Row {
    var start: Metres
    var since: WallTime
    /// Metres from the start, and when that was reached.
    var farthest = 0.0
    var marked: WallTime
    /// The way by the speeds, metres; how much of it with a course, and where that led.
    var bySpeed = 0.0
    var steered = 0.0
    var arrow = Metres()
    var fixes = 0
    /// Noise learnt of a vehicle that stands: metres a second, and a smoothed place's deviation.
    var calm: Double
    var deviation: Double
    var isSilent: Bool
  }

  private var row: Row?
  private var speed = 0.0
  /// Mean of the last seconds, metres a second.
  private var recent = 0.0
  /// The way that is proven: since when, and metres a second; nil: none is.
  private var proof: (since: WallTime, pace: Double, isSilent: Bool)?

  /// When it set out, if it moves, however slowly, and has not stopped; nil: nothing shows that.
  var underWaySince: WallTime? {
    guard let proof else { return nil }
    let isUnderWay =
      proof.isSilent
      ? proof.pace <= Self.fastest.silent
      : proof.pace <= Self.fastest.speaking && recent >= proof.pace * Self.stopped.speaking
    return isUnderWay ? proof.since : nil
  }

  mutating func forget() { (row, proof) = (nil, nil) }

  /// `place` is the origin from here on.
  mutating func moveOrigin(to place: Metres) {
    if let start = row?.start { row?.start = start - place }
  }

  /// `place`: smoothed. `seconds`: since the fix before.
  mutating func go(to place: Metres, _ fix: Fix, after seconds: Double, _ noise: Standstill.Noise) {
    let now = fix.speed ?? 0
    let made = (speed + now) / 2 * seconds
    speed = now
    recent += (now - recent) * (seconds / (seconds + 5))
    guard var row, seconds <= Self.pause, row.isSilent == (fix.speed == nil) else {
      proof = nil
      return begin(at: place, fix, noise)
    }
    row.bySpeed += made
    row.fixes += 1
    if let course = fix.course, !row.isSilent {
      let (east, north) = Coordinate.direction(of: course)
      row.steered += made
      row.arrow = row.arrow + Metres(east: east, north: north) * made
    }
    let away = place - row.start
    let length = away.length
    let stride = max(Self.stride.metres, Self.stride.deviations * row.deviation)
    if length < row.farthest + stride {
      self.row = row
      let waited = (fix.time - row.marked).seconds
      if let proof, proof.isSilent, waited * proof.pace > stride / Self.stopped.silent { self.proof = nil }
      if waited > Self.stride.within {
        proof = nil
        begin(at: place, fix, noise)
      }
      return
    }
    // Without speeds one jump would be a way.
    if row.isSilent, length - row.farthest > Self.fastest.silent * (fix.time - row.marked).seconds {
      proof = nil
      return begin(at: place, fix, noise)
    }
    (row.farthest, row.marked) = (length, fix.time)
    self.row = row
    judge(row, away, length, fix, noise, at: place)
  }

  private mutating func begin(at place: Metres, _ fix: Fix, _ noise: Standstill.Noise) {
    row = Row(
      start: place, since: fix.time, marked: fix.time, calm: noise.speeds, deviation: noise.smooth,
      isSilent: fix.speed == nil)
  }

  /// Reports from here on are not noise.
  private mutating func begin(at place: Metres, _ fix: Fix, after row: Row) {
    var next = row
    (next.start, next.since, next.marked, next.farthest) = (place, fix.time, fix.time, 0)
    (next.bySpeed, next.steered, next.arrow, next.fixes) = (0, 0, Metres(), 0)
    self.row = next
  }

  /// It has come another stride.
  private mutating func judge(
    _ row: Row, _ away: Metres, _ length: Double, _ fix: Fix, _ noise: Standstill.Noise, at place: Metres
  ) {
    func isFar(_ needed: (metres: Double, deviations: Double)) -> Bool {
      length >= max(needed.metres, needed.deviations * row.deviation)
    }
    let seconds = (fix.time - row.since).seconds
    let isSteered =
      row.steered >= Self.steered.most * row.bySpeed && row.arrow.length >= Self.arrows.length * row.bySpeed
      && row.fixes >= Self.arrows.count
    if row.isSilent {
      guard isFar(Self.needed.silent) else { return }
      prove(row, metres: length, by: seconds)
    } else if isSteered, (row.arrow - away).length <= Self.arrows.off * length {
      guard isFar(Self.needed.steered) else { return }
      prove(row, metres: row.bySpeed, by: seconds)
    } else {
      let isLong =
        row.steered <= Self.steered.least * row.bySpeed
        ? isFar(Self.needed.unsteered) : isFar(Self.needed.contradicted)
      let isMade =
        row.bySpeed >= Self.sum.least * length && row.bySpeed <= Self.sum.most * length
        && row.bySpeed - row.calm * seconds >= Self.sum.beyondNoise * length
      // A way that began with a while of standing is measured from its first stride on.
      if !isLong, isMade || row.steered > Self.steered.least * row.bySpeed { return }
      guard isMade else {
        proof = nil
        return begin(at: place, fix, noise)
      }
      prove(row, metres: row.bySpeed, by: seconds)
    }
    if isFar((2 * Self.needed.steered.metres, 2 * Self.needed.steered.deviations)) {
      begin(at: place, fix, after: row)
    }
  }

  private mutating func prove(_ row: Row, metres: Double, by seconds: Double) {
    proof = (proof?.since ?? row.since, metres / seconds, row.isSilent)
  }
}
