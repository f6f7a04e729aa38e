import Model
import Timebase

#if canImport(Glibc)
  import Glibc
#endif

/// A drive that is made of forces, and the receiver that reports it several times a second.
struct FastDrive {
  struct Point {
    var time = 0.0
    /// Metres a second.
    var speed: Double
    /// Radians.
    var heading = 0.7
    var east = 0.0
    var north = 0.0
  }

  /// The receiver's noise of speeds, metres a second: normal, of which this share lasts for a second.
  struct Noise {
    var speed: Double
    var lasting = 0.0
    /// Among high buildings: speeds, courses and places that are wrong for a moment or for seconds, and gaps.
    var isUrban = false
  }

  static let gravity = 9.80665
  private static let step = 0.01

  /// What the receiver looks at.
  private(set) var points: [Point] = []
  private(set) var here: Point
  /// Metres a second squared.
  private var along = 0.0
  private var across = 0.0
  private let interval: Double
  private var due: Double

  init(speed: Double, hz: Double, phase: Double = 0) {
    here = Point(speed: speed)
    (interval, due) = (1 / hz, phase / hz)
  }

  var time: Double { here.time }
  var speed: Double { here.speed }

  /// `along` (negative: braking) and `across` in g, reached by `jerk` metres a second cubed; no longer than until the
  /// vehicle has the speed `until`.
  mutating func drive(
    _ seconds: Double, along wanted: Double = 0, across side: Double = 0, until: Double? = nil,
    jerk: Double = 12
  ) {
    let end = here.time + seconds
    let change = jerk * Self.step
    while here.time < end {
      if let until, wanted < 0 ? here.speed <= until : here.speed >= until { return }
      along += min(change, max(-change, wanted * Self.gravity - along))
      across += min(change, max(-change, side * Self.gravity - across))
      here.speed = max(0, here.speed + along * Self.step)
      if here.speed > 1 { here.heading += across / here.speed * Self.step }
      here.east += here.speed * sin(here.heading) * Self.step
      here.north += here.speed * cos(here.heading) * Self.step
      here.time += Self.step
      if here.time >= due {
        points.append(here)
        due += interval
      }
    }
  }

  /// As the receiver reports it.
  func fixes(_ chance: inout Chance, _ noise: Noise) -> [Fix] {
    var receiver = FastReceiver(interval: interval, noise: noise)
    return points.compactMap { receiver.fix(of: $0, &chance) }
  }

  /// Some minutes of a driver who brakes with no more than 0.25 g and corners with no more than 0.28.
  static func ordinary(_ chance: inout Chance, minutes: Double, hz: Double) -> FastDrive {
    var drive = FastDrive(speed: 10, hz: hz)
    while drive.time < minutes * 60 {
      let isMoving = drive.speed > 5
      switch Int(chance.between(0, 8)) {
      case 0:
        let force = chance.between(0.1, 0.25)
        drive.drive(60, along: -force, until: chance.between(0, 8), jerk: chance.between(3, 12))
        drive.drive(chance.between(1, 20))
      case 1:
        drive.drive(60, along: chance.between(0.05, 0.2), until: min(38, drive.speed + chance.between(3, 14)))
      // A roundabout.
      case 2:
        drive.drive(10, along: -0.2, until: 8)
        let side = chance.between(0.15, 0.28)
        guard drive.speed > 5 else { continue }
        drive.drive(0.8, across: -side)
        drive.drive(chance.between(2, 4), across: side)
        drive.drive(0.8, across: -side)
      case 3 where isMoving:
        let side = chance.between(0.05, 0.28)
        drive.drive(chance.between(1, 6), across: chance.part() < 0.5 ? side : -side)
      // Hills, and a foot that is never still.
      case 4:
        for _ in 0..<4 {
          drive.drive(2, along: chance.between(-0.1, 0.1), across: isMoving ? chance.between(-0.1, 0.1) : 0)
        }
      case 5 where drive.speed > 9:
        drive.drive(
          chance.between(1, 2), along: -chance.between(0.1, 0.2), across: chance.between(-0.2, 0.2))
      case 6: drive.drive(chance.between(5, 30))
      default:
        drive.drive(chance.between(1, 8), along: 0)
        if drive.speed < 8 { drive.drive(8, along: chance.between(0.1, 0.22), until: chance.between(8, 14)) }
      }
    }
    return drive
  }
}

/// What it adds to the truth.
private struct FastReceiver {
  let interval: Double
  let noise: FastDrive.Noise
  private var (speed, course) = (0.0, 0.0)
  private var (east, north) = (0.0, 0.0)
  /// A speed that is wrong for seconds, metres a second, and how long still.
  private var wrong = (by: 0.0, seconds: 0.0)
  private var gap = 0.0

  init(interval: Double, noise: FastDrive.Noise) { (self.interval, self.noise) = (interval, noise) }

  mutating func fix(of point: FastDrive.Point, _ chance: inout Chance) -> Fix? {
    let fading = (-interval).exponential
    let fresh = (1 - fading * fading).squareRoot() * noise.speed
    speed = speed * fading + chance.spread() * fresh
    course = course * fading + chance.spread() * fresh
    let wander = (-interval / 20).exponential
    east = east * wander + chance.spread() * 0.15
    north = north * wander + chance.spread() * 0.15
    let white = (1 - noise.lasting * noise.lasting).squareRoot() * noise.speed
    var (off, turn) = (
      noise.lasting * speed + white * chance.spread(), noise.lasting * course + white * chance.spread()
    )
    if noise.isUrban, mislead(&off, &turn, &chance) { return nil }
    var heading = ((point.heading + turn / max(point.speed, 0.3)) * 180 / .pi)
      .truncatingRemainder(dividingBy: 360)
    if heading < 0 { heading += 360 }
    let shown = (max(0, point.speed + off) * 100).rounded() / 100
    return Fix(
      time: WallTime(seconds: Scene.start + point.time),
      coordinate: Scene.place(point.east + east, point.north + north), accuracy: 10, speed: shown,
      course: shown < 0.3 ? nil : heading)
  }

  /// True: there is no fix.
  private mutating func mislead(_ speed: inout Double, _ course: inout Double, _ chance: inout Chance) -> Bool
  {
    wrong.seconds -= interval
    if wrong.seconds <= 0, chance.happens(every: 20, in: interval) {
      wrong = (chance.between(-3, 3), chance.between(0.3, 3))
    }
    if wrong.seconds > 0 { speed += wrong.by }
    if chance.happens(every: 15, in: interval) { speed += chance.between(-6, 6) }
    if chance.happens(every: 15, in: interval) { course += chance.between(-6, 6) }
    if chance.happens(every: 30, in: interval) {
      east += chance.between(-15, 15)
      north += chance.between(-15, 15)
    }
    gap -= interval
    if gap <= 0, chance.happens(every: 40, in: interval) { gap = chance.between(0.2, 4) }
    return gap > 0
  }
}
