import Glibc
import Model

/// A place on the world's ground, which is flat: metres east and north of its middle.
struct Point: Hashable {
  var east: Double
  var north: Double

  /// Where the world lies.
  private static let middle = (latitude: 48.0, longitude: 16.0)
  private static let metresPerDegree = 111_195.08

  var coordinate: Coordinate {
    let latitude = Self.middle.latitude + north / Self.metresPerDegree
    let scale = Self.metresPerDegree * cos(Self.middle.latitude * .pi / 180)
    guard let place = Coordinate(latitude: latitude, longitude: Self.middle.longitude + east / scale) else {
      preconditionFailure("the world is a few kilometres wide")
    }
    return place
  }

  func distance(to other: Point) -> Double {
    let (x, y) = (other.east - east, other.north - north)
    return (x * x + y * y).squareRoot()
  }
}

/// Where the vehicle truly is: it goes from stop to stop, in no particular order, and stands at each for
/// a while. At every stop, and on the way, lie regions: several crossings an hour.
struct Road {
  /// From one point to another, or standing. Seconds since the world began.
  private struct Leg {
    var start: Double
    var end: Double
    var from: Point
    var to: Point
    /// Between setting out and coming to a halt, metres a second.
    var pace = 0.0
  }

  /// Metres a second more, or fewer, with each second.
  private static let acceleration = 2.5

  struct Position {
    var point: Point
    /// Metres a second, and degrees from north.
    var speed: Double
    var course: Double
  }

  let stops: [Point]
  /// Where something was forgotten: how far from the stop, by its index, it turned back first, metres.
  private(set) var turns: [Int: Double] = [:]
  private var legs: [Leg] = []

  /// `length` in seconds; the vehicle stands where it is after it.
  init(dice: inout Dice, turning: Dice, length: Double) {
    var turning = turning
    let count = dice.whole(4...7)
    let reach = dice.between(900, 3500)
    stops = (0..<count).map { number in
      let angle = (Double(number) + dice.between(-0.3, 0.3)) / Double(count) * 2 * .pi
      let away = reach * dice.between(0.6, 1.2)
      return Point(east: away * cos(angle), north: away * sin(angle))
    }
    var now = 0.0
    var here = dice.whole(0...count - 1)
    while now < length {
      let stay = dice.chance(0.15) ? dice.between(600, 2400) : dice.spread(20, 400)
      legs.append(Leg(start: now, end: now + stay, from: stops[here], to: stops[here]))
      now += stay
      let there = (here + dice.whole(1...count - 1)) % count
      let way = stops[here].distance(to: stops[there])
      if turning.chance(0.2) { turnBack(from: here, towards: there, way, at: &now, &turning) }
      let pace = dice.between(6, 36.2)
      // Out of a yard, or a queue.
      let crawl = turning.chance(0.3) ? turning.between(130, 250) : 0
      let gate = crawl < way / 2 ? point(crawl, from: here, towards: there) : stops[here]
      if gate != stops[here] { drive(from: stops[here], to: gate, pace: turning.between(3, 5), at: &now) }
      drive(from: gate, to: stops[there], pace: pace, at: &now)
      here = there
    }
    legs.append(Leg(start: now, end: .infinity, from: stops[here], to: stops[here]))
  }

  private func point(_ metres: Double, from here: Int, towards there: Int) -> Point {
    let (one, other) = (stops[here], stops[there])
    let share = metres / one.distance(to: other)
    return Point(
      east: one.east + share * (other.east - one.east), north: one.north + share * (other.north - one.north))
  }

  private mutating func drive(from: Point, to: Point, pace: Double, at now: inout Double) {
    let way = from.distance(to: to)
    let pace = min(pace, (way * Self.acceleration).squareRoot())
    let drive = way / pace + pace / Self.acceleration
    legs.append(Leg(start: now, end: now + drive, from: from, to: to, pace: pace))
    now += drive
  }

  /// Something was forgotten: it turns round on the way, and stands where it stood.
  private mutating func turnBack(
    from here: Int, towards there: Int, _ way: Double, at now: inout Double, _ dice: inout Dice
  ) {
    let (pace, stay) = (dice.between(3, 10), dice.between(30, 300))
    let metres = turns[here] ?? dice.between(120, 280)
    guard metres < way / 2 else { return }
    turns[here] = metres
    let point = point(metres, from: here, towards: there)
    drive(from: stops[here], to: point, pace: pace, at: &now)
    drive(from: point, to: stops[here], pace: pace, at: &now)
    legs.append(Leg(start: now, end: now + stay, from: stops[here], to: stops[here]))
    now += stay
  }

  func position(at seconds: Double) -> Position {
    var (low, high) = (0, legs.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if legs[middle].end <= seconds { low = middle + 1 } else { high = middle }
    }
    let leg = legs[low]
    guard leg.from != leg.to else { return Position(point: leg.from, speed: 0, course: 0) }
    let way = leg.from.distance(to: leg.to)
    let (driven, speed) = Self.driven(seconds - leg.start, of: leg.end - leg.start, way, leg.pace)
    let share = driven / way
    let (x, y) = (leg.to.east - leg.from.east, leg.to.north - leg.from.north)
    let course = atan2(x, y) * 180 / .pi
    return Position(
      point: Point(east: leg.from.east + share * x, north: leg.from.north + share * y),
      speed: speed, course: course < 0 ? course + 360 : course
    )
  }

  /// How far it has come, and how fast it goes.
  private static func driven(
    _ seconds: Double, of total: Double, _ way: Double, _ pace: Double
  ) -> (metres: Double, speed: Double) {
    let ramp = pace / acceleration
    if seconds < ramp {
      let speed = acceleration * max(0, seconds)
      return (speed * max(0, seconds) / 2, speed)
    }
    let left = total - seconds
    if left < ramp { return (way - acceleration * left * left / 2, acceleration * left) }
    return (pace * (seconds - ramp / 2), pace)
  }
}
