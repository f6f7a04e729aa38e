import Model
import Timebase

/// Whether something moves so slowly that no single speed tells it from noise: a boat that drags its anchor, a trailer
/// that is pushed away. Over minutes the speeds add up to the way that the places make; noise and reflections do not.
///
///     waiting ──far enough, and the speeds made the way──▶ under way
///        ▲                                                     │
///        └──no stride for 4 minutes, or the speeds do not fit──┘
///
/// Speeds with a course are added as arrows and have to end where the place is: a receiver that stands points anywhere.
/// Without a course their sum has to fit, beyond what the receiver reports of a vehicle that stands, and it takes longer.
/// Where courses point elsewhere, it takes longer than any reflection reaches.
struct SlowWay {
  typealias Metres = Standstill.Metres

  /// What has to be covered again and again, metres and in learnt deviations of smoothed places, and within how long,
  /// seconds.
  static let stride = (metres: 25.0, deviations: 2.0, within: 240.0)
  /// How far it has to be, likewise: with courses that point there, without courses, and where courses contradict.
  static let needed = (
    steered: (metres: 50.0, deviations: 4.0), unsteered: (metres: 100.0, deviations: 7.0),
    contradicted: (metres: 300.0, deviations: 10.0)
  )
  /// How far the arrows may end from the place: a share of the way. They have to point one way, too: so much of the
  /// speeds, and so many of them.
  static let arrows = (off: 0.5, length: 0.75, count: 6)
  /// What the sum of the speeds may be: a share of the way, and how much of it beyond the noise of speeds.
  static let sum = (least: 0.7, most: 1.4, beyondNoise: 0.6)
  /// How much of the way has to have courses for it to be steered, and how much may for it not to be.
  static let steered = (most: 0.8, least: 0.2)
  /// Fixes further apart say nothing of the way between, seconds.
  static let pause = 90.0
  /// Metres a second: what is faster says so itself.
  static let fastest = 2.0
  /// Below this share of its pace it has stopped.
  static let stopped = 1.0 / 3

  private struct Row {
    var start: Metres
    var since: WallTime
    /// Metres from the start, and when that was reached.
    var farthest = 0.0
    var marked: WallTime
    /// What the speeds made, metres; how much of it with a course, and where that led.
    var told = 0.0
    var steered = 0.0
    var arrow = Metres()
    var fixes = 0
    /// What the receiver reported before of a vehicle that stands, metres a second.
    var calm: Double
  }

  private var row: Row?
  private var speed = 0.0
  /// Of the last seconds, metres a second.
  private var recent = 0.0
  /// The way that is proven: since when, and metres a second; nil: none is.
  private var proof: (since: WallTime, pace: Double)?

  /// When it set out, where it moves, however slowly, and has not stopped; nil: nothing says so.
  var underWaySince: WallTime? {
    guard let proof, proof.pace <= Self.fastest, recent >= proof.pace * Self.stopped else { return nil }
    return proof.since
  }

  mutating func forget() { (row, proof) = (nil, nil) }

  /// What was `place` is zero from here on.
  mutating func moveOrigin(to place: Metres) {
    if let start = row?.start { row?.start = start - place }
  }

  /// `place`: smoothed. `seconds`: since the fix before.
  mutating func go(to place: Metres, _ fix: Fix, after seconds: Double, _ noise: Standstill.Noise) {
    // Where no speeds are told the places alone have to do.
    guard let now = fix.speed else { return forget() }
    let made = (speed + now) / 2 * seconds
    speed = now
    recent += (now - recent) * (seconds / (seconds + 5))
    guard var row, seconds <= Self.pause else {
      proof = nil
      return begin(at: place, fix, calm: noise.speeds)
    }
    row.told += made
    row.fixes += 1
    if let course = fix.course {
      let (east, north) = Coordinate.direction(of: course)
      row.steered += made
      row.arrow = row.arrow + Metres(east: east, north: north) * made
    }
    let away = place - row.start
    let length = away.length
    if length < row.farthest + max(Self.stride.metres, Self.stride.deviations * noise.smooth) {
      self.row = row
      if (fix.time - row.marked).seconds > Self.stride.within {
        proof = nil
        begin(at: place, fix, calm: noise.speeds)
      }
      return
    }
    (row.farthest, row.marked) = (length, fix.time)
    self.row = row
    judge(row, away, length, fix, noise, at: place)
  }

  private mutating func begin(at place: Metres, _ fix: Fix, calm: Double) {
    row = Row(start: place, since: fix.time, marked: fix.time, calm: calm)
  }

  /// It has come another stride.
  private mutating func judge(
    _ row: Row, _ away: Metres, _ length: Double, _ fix: Fix, _ noise: Standstill.Noise, at place: Metres
  ) {
    func isFar(_ needed: (metres: Double, deviations: Double)) -> Bool {
      length >= max(needed.metres, needed.deviations * noise.smooth)
    }
    let seconds = (fix.time - row.since).seconds
    let isSteered =
      row.steered >= Self.steered.most * row.told && row.arrow.length >= Self.arrows.length * row.told
      && row.fixes >= Self.arrows.count
    if isSteered, (row.arrow - away).length <= Self.arrows.off * length {
      guard isFar(Self.needed.steered) else { return }
      prove(row, by: seconds)
    } else {
      let isLong =
        row.steered <= Self.steered.least * row.told
        ? isFar(Self.needed.unsteered) : isFar(Self.needed.contradicted)
      let isMade =
        row.told >= Self.sum.least * length && row.told <= Self.sum.most * length
        && row.told - row.calm * seconds >= Self.sum.beyondNoise * length
      // A way that began with a while of standing is measured from its first stride on.
      if !isLong, isMade || row.steered > Self.steered.least * row.told { return }
      guard isMade else {
        proof = nil
        return begin(at: place, fix, calm: noise.speeds)
      }
      prove(row, by: seconds)
    }
    if length >= 2 * max(Self.needed.steered.metres, Self.needed.steered.deviations * noise.smooth) {
      // What it reports by now is no noise.
      begin(at: place, fix, calm: row.calm)
    }
  }

  private mutating func prove(_ row: Row, by seconds: Double) {
    proof = (proof?.since ?? row.since, row.told / seconds)
  }
}
