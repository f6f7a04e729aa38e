import Model
import Timebase

#if canImport(Glibc)
  import Glibc
#endif

/// A drive that knows the truth: where it was, how fast, and how far. Made of pieces of road: a length, a
/// bend in all, and a speed that is reached and left as vehicles do.
struct RoadDrive {
  struct Point {
    var time: Double
    var east: Double
    var north: Double
    /// Degrees from north.
    var heading: Double
    /// Metres a second.
    var speed: Double
    /// Metres since the start.
    var metres: Double
  }

  struct Piece {
    /// Metres.
    var length: Double
    /// Degrees, right positive.
    var bend: Double
    /// Metres a second.
    var speed: Double
    /// Seconds that it stands at the end.
    var stop: Double
  }

  /// One a second.
  private(set) var points: [Point] = []
  private var here: Point

  init(_ pieces: [Piece], from time: Double = 0, east: Double = 0, north: Double = 0) {
    here = Point(time: time, east: east, north: north, heading: 45, speed: 0, metres: 0)
    points = [here]
    for (index, piece) in pieces.enumerated() {
      let next = piece.stop > 0 || index == pieces.count - 1 ? 0 : pieces[index + 1].speed
      drive(piece, towards: next)
      for _ in 0..<Int(piece.stop) {
        here.time += 1
        here.speed = 0
        points.append(here)
      }
    }
  }

  /// Twenty small steps a second.
  private mutating func drive(_ piece: Piece, towards next: Double) {
    var gone = 0.0
    var steps = 0
    while gone < piece.length {
      let left = piece.length - gone
      // What a braking of 2 m/s² still allows.
      let allowed = min(piece.speed, (next * next + 4 * left).squareRoot())
      let speed = max(1.0, min(here.speed + 0.1, max(allowed, here.speed - 0.15)))
      let metres = min(speed / 20, left)
      here.heading += piece.bend * metres / piece.length
      here.east += metres * sin(here.heading * .pi / 180)
      here.north += metres * cos(here.heading * .pi / 180)
      here.speed = speed
      here.metres += metres
      gone += metres
      here.time += 0.05
      steps += 1
      if steps % 20 == 0 { points.append(here) }
    }
  }

  /// As a receiver would have it: an error of metres that wanders slowly, speeds right to 0.2 m/s.
  func fixes(seed: UInt64, error: Double = 3) -> [Fix] {
    var chance = Chance(seed)
    var (east, north) = (0.0, 0.0)
    var last = -1.0
    return points.compactMap { point in
      guard point.time - last >= 0.5 else { return nil }
      last = point.time
      east = east * 0.98 + chance.spread() * error * 0.2
      north = north * 0.98 + chance.spread() * error * 0.2
      let wander = min(180, 30 / max(point.speed, 0.2) / 3)
      let heading = (point.heading + chance.spread() * wander).truncatingRemainder(dividingBy: 360)
      return Fix(
        time: WallTime(seconds: Scene.start + point.time),
        coordinate: Scene.place(
          point.east + east + chance.spread() * 0.3, point.north + north + chance.spread() * 0.3),
        accuracy: 2 * error, speed: max(0, point.speed + chance.spread() * 0.2).magnitude,
        course: heading < 0 ? heading + 360 : heading)
    }
  }

  // MARK: Roads

  /// Blocks of 80 to 250 m, corners, lights.
  static func town(_ chance: inout Chance, metres: Double) -> [Piece] {
    pieces(&chance, metres: metres) { chance in
      let block = Piece(
        length: chance.between(80, 250), bend: chance.between(-8, 8), speed: chance.between(9, 14),
        stop: chance.part() < 0.35 ? chance.between(5, 50).rounded() : 0)
      guard chance.part() < 0.5 else { return [block] }
      let right = chance.part() < 0.5 ? 1.0 : -1.0
      return [
        block,
        Piece(length: chance.between(14, 25), bend: 90 * right, speed: chance.between(4, 6), stop: 0),
      ]
    }
  }

  /// Bends of 60 to 500 m radius between straight pieces.
  static func country(_ chance: inout Chance, metres: Double) -> [Piece] {
    pieces(&chance, metres: metres) { chance in
      let radius = chance.between(60, 500)
      let bend = chance.between(15, 90) * (chance.part() < 0.5 ? 1 : -1)
      return [
        Piece(
          length: chance.between(100, 700), bend: chance.between(-6, 6), speed: chance.between(17, 25),
          stop: 0),
        Piece(
          length: radius * bend.magnitude * .pi / 180, bend: bend,
          speed: min(22, (radius * 2.5).squareRoot()),
          stop: 0),
      ]
    }
  }

  /// Radii of 900 to 4000 m.
  static func motorway(_ chance: inout Chance, metres: Double) -> [Piece] {
    pieces(&chance, metres: metres) { chance in
      let length = chance.between(300, 2000)
      let bend = length / chance.between(900, 4000) * 180 / .pi * (chance.part() < 0.5 ? 1 : -1)
      return [
        Piece(length: length, bend: chance.part() < 0.4 ? 0 : bend, speed: chance.between(28, 37), stop: 0)
      ]
    }
  }

  private static func pieces(
    _ chance: inout Chance, metres: Double, _ make: (inout Chance) -> [Piece]
  ) -> [Piece] {
    var made: [Piece] = []
    var length = 0.0
    while length < metres {
      let next = make(&chance)
      made += next
      length += next.reduce(0) { $0 + $1.length }
    }
    return made
  }
}
