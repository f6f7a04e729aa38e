import Model
import Timebase

/// Braking, acceleration and cornering that are harder than allowed, by the speeds and courses of a receiver that reports
/// five times a second or more.
///
/// A straight line is laid through the speeds of the last 1.2 to 1.65 s, and one through the courses. Its slope is the
/// acceleration, and what is left around it is the receiver's noise: so one rule holds for a good receiver and for one
/// among high buildings. The error that gpsd gives for a speed is of no use here: for plain NMEA it is made of the error
/// of two places and is larger than any speed.
///
///     calm ──slope at the limit, clear of the noise, in both halves of the line──▶ under way       told
///       ▲                                                                              │
///       └──5 s without such a slope; each kind by itself───────────────────────────────┘
struct HarshDriving {
  enum Found: Hashable {
    case manoeuvre(HarshManoeuvre)
    /// Fixes a second: nothing can be told by so few. Once.
    case tooSlow(Double)
  }

  static let gravity = 9.80665
  /// Length of the line, seconds.
  static let window = (shortest: 1.2, longest: 1.65)
  static let fewest = 5
  /// From fix to fix, seconds: on average, and at most, for one of five a second is lost now and then.
  static let pace = (mean: 0.24, most: 0.45)
  /// Fixes nearer together than that add nothing, seconds.
  static let nearest = 0.045
  /// Noise of the speed, metres a second: no receiver is better than the one, nothing is believed beyond the other.
  static let noise = (least: 0.1, most: 0.45)
  /// So many standard errors below the slope there is still more than is usual, a share of the limit.
  static let (certainty, usual) = (4.5, 0.75)
  /// The share of the limit that either half of the line has: where a receiver jumps from one speed to another, one half
  /// has all of it.
  static let half = 0.9
  /// No tyre holds more, times the standard gravity.
  static let hardest = 1.3
  /// The fastest fix of the line, metres a second; where courses are compared, every fix.
  static let (slowest, slowestCourse) = (5.0, 8.0)
  /// How far the way may be from what the speeds make of it: a share, and metres.
  static let doubt = (share: 0.4, metres: 2.0)
  /// A place less accurate than this, metres, is of a receiver that guesses.
  static let worst = 50.0
  /// A manoeuvre is over after so long without its force, seconds.
  static let pause = 5.0

  /// The newest fixes, oldest first: as many as the longest line needs.
  private var fixes: [Fix] = []
  /// Their courses, radians, without the step at north; NaN: unknown.
  private var courses: [Double] = []
  /// When each kind was last under way.
  private var braked, accelerated, cornered: WallTime?
  private var interval = FixRate()
  private var isSlowSaid = false
  /// Nil: not measured yet.
  private(set) var rate: PositionRate?

  mutating func consider(_ fix: Fix, rules: Configuration.Harsh) -> Found? {
    if let measured = interval.measured(fix.time) {
      let isTooLow = measured * Self.pace.mean < 1
      rate = PositionRate(perSecond: measured, isTooLow: isTooLow)
      if isTooLow, !isSlowSaid {
        isSlowSaid = true
        return .tooSlow(measured)
      }
    }
    guard keep(fix), let found = look(rules), isNews(found.kind, at: fix.time) else { return nil }
    return .manoeuvre(found)
  }

  /// False: no line ends with it.
  private mutating func keep(_ fix: Fix) -> Bool {
    let seconds = fixes.last.map { (fix.time - $0.time).seconds } ?? .infinity
    if (0..<Self.nearest).contains(seconds) { return false }
    let isUsable = fix.speed != nil && fix.accuracy <= Self.worst
    if seconds < 0 || seconds > Self.pace.most || !isUsable {
      fixes.removeAll(keepingCapacity: true)
      courses.removeAll(keepingCapacity: true)
    }
    guard isUsable else { return false }
    let old = fixes.prefix { (fix.time - $0.time).seconds > Self.window.longest }.count
    fixes.removeFirst(old)
    courses.removeFirst(old)
    var course = (fix.course ?? .nan) * .pi / 180
    if let last = courses.last, !last.isNaN, !course.isNaN {
      course = last + (course - last).remainder(dividingBy: 2 * .pi)
    }
    fixes.append(fix)
    courses.append(course)
    assert(fixes.count <= 40, "\(fixes.count) fixes in \(Self.window.longest) s")
    return fixes.count >= Self.fewest
  }

  /// By the shortest line that shows it.
  private func look(_ rules: Configuration.Harsh) -> HarshManoeuvre? {
    guard let newest = fixes.last else { return nil }
    var (speed, course) = (Line(), Line())
    var (slowest, fastest) = (Double.infinity, 0.0)
    for first in fixes.indices.reversed() {
      let fix = fixes[first]
      let seconds = (newest.time - fix.time).seconds
      speed.add(-seconds, fix.speed ?? 0)
      course.add(-seconds, courses[first])
      (slowest, fastest) = (min(slowest, fix.speed ?? 0), max(fastest, fix.speed ?? 0))
      guard seconds >= Self.window.shortest, speed.count >= Double(Self.fewest),
        seconds <= Self.pace.mean * (speed.count - 1)
      else { continue }
      let found: (kind: HarshManoeuvre.Kind, force: Double)
      if fastest >= Self.slowest,
        let force = Self.force(speed, falling: rules.braking, rising: rules.acceleration)
      {
        found = (force < 0 ? .braking : .acceleration, force.magnitude)
      } else if slowest >= Self.slowestCourse,
        let force = Self.force(
          course, metres: speed.mean, falling: rules.cornering, rising: rules.cornering)
      {
        found = (.cornering, force.magnitude)
      } else {
        continue
      }
      guard isSteady(from: first, found.kind, limit: rules.limit(of: found.kind), speed: speed.mean),
        isWay(from: fix, to: newest, metres: speed.mean * seconds)
      else { continue }
      return HarshManoeuvre(kind: found.kind, force: found.force, start: TrackPoint(fix))
    }
    return nil
  }

  /// In g, negative where the line falls; nil: it is less than is allowed, or noise may have made it. `metres`: a second,
  /// of one of the line's units.
  private static func force(
    _ line: Line, metres: Double = 1, falling: Double, rising: Double
  ) -> Double? {
    let force = line.slope * metres / gravity
    let limit = force < 0 ? falling : rising
    // Nearly every fix ends here, as a course does that is not known.
    guard force.magnitude >= limit, force.magnitude <= hardest else { return nil }
    let left = line.deviation * metres
    guard left <= noise.most else { return nil }
    let error = max(left, noise.least) / line.spread.squareRoot() / gravity
    return force.magnitude - certainty * error >= usual * limit ? force : nil
  }

  /// Whether both halves of the line have nearly the force of the whole.
  private func isSteady(from first: Int, _ kind: HarshManoeuvre.Kind, limit: Double, speed: Double) -> Bool {
    let middle = (first + fixes.endIndex) / 2
    return [first..<middle + 1, middle..<fixes.endIndex].allSatisfy { half in
      var line = Line()
      for index in half {
        let value = kind == .cornering ? courses[index] * speed : fixes[index].speed ?? 0
        line.add((fixes[index].time - fixes[first].time).seconds, value)
      }
      return line.slope.magnitude >= Self.half * limit * Self.gravity
    }
  }

  /// Whether the places are as far apart as the speeds say: a receiver that has lost the sky goes on with one of them.
  private func isWay(from first: Fix, to last: Fix, metres: Double) -> Bool {
    let covered = first.coordinate.distance(to: last.coordinate)
    return (covered - metres).magnitude <= Self.doubt.share * metres + Self.doubt.metres
  }

  /// False: it belongs to a manoeuvre that was told.
  private mutating func isNews(_ kind: HarshManoeuvre.Kind, at time: WallTime) -> Bool {
    let before: WallTime?
    switch kind {
    case .braking: (before, braked) = (braked, time)
    case .acceleration: (before, accelerated) = (accelerated, time)
    case .cornering: (before, cornered) = (cornered, time)
    }
    // A clock that was set back has begun anew.
    return before.map { time < $0 || (time - $0).seconds > Self.pause } ?? true
  }
}

/// A straight line through values over time, by least squares, made of sums: each further value costs a few additions.
private struct Line {
  private(set) var count = 0.0
  private var (times, timeSquares) = (0.0, 0.0)
  private var (values, valueSquares, products) = (0.0, 0.0, 0.0)

  mutating func add(_ time: Double, _ value: Double) {
    count += 1
    times += time
    timeSquares += time * time
    values += value
    valueSquares += value * value
    products += time * value
  }

  var mean: Double { values / count }
  /// Sum of the squares of the times around their mean.
  var spread: Double { timeSquares - times * times / count }
  var slope: Double { covariance / spread }
  private var covariance: Double { products - times * values / count }

  /// Standard deviation of the values around the line.
  var deviation: Double {
    let left = valueSquares - values * values / count - covariance * covariance / spread
    return (max(0, left) / (count - 2)).squareRoot()
  }
}
