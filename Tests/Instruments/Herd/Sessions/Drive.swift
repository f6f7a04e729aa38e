import Glibc
import Model
import Timebase

/// A vehicle that drives round a block of its own, without end: a kilometre a side, at 8 to 20 m/s.
struct Drive {
  private static let side = 1000.0
  /// Metres.
  private static let degree = 111_195.0

  private let south: Double
  private let west: Double
  private let speed: Double

  init(number: Int) {
    south = 30 + Double(number / 200) * 0.05
    west = 5 + Double(number % 200) * 0.05
    speed = 8 + Double(number % 13)
  }

  func reading(at now: WallTime) -> Reading {
    let way = (now.seconds * speed).truncatingRemainder(dividingBy: 4 * Self.side)
    let along = way.truncatingRemainder(dividingBy: Self.side)
    let place: (east: Double, north: Double, course: Double) =
      switch Int(way / Self.side) {
      case 0: (along, 0, 90)
      case 1: (Self.side, along, 0)
      case 2: (Self.side - along, Self.side, 270)
      default: (0, Self.side - along, 180)
      }
    var reading = Reading()
    reading.mode = 3
    reading.time = WallTime(seconds: (now.seconds * 1000).rounded(.down) / 1000)
    reading.latitude = south + place.north / Self.degree
    reading.longitude = west + place.east / (Self.degree * cos(south * .pi / 180))
    (reading.altitude, reading.eph, reading.speed, reading.track) = (60, 5, speed, place.course)
    return reading
  }
}
