import Model
import Timebase

/// Turns a reading into a usable fix, or the reason why it is none. `mode` decides, never `status`.
enum FixFilter {
  /// Metres of error per unit of HDOP, where a receiver gives nothing better: a plain receiver's usual range error.
  static let metresPerHDOP = 5.0

  static func usable(_ reading: Reading) -> Result<Fix, Unusable> {
    guard reading.mode >= 2 else {
      return .failure(.init(reading.isVoid ? .voidPosition : .noFix(mode: reading.mode)))
    }
    guard let time = reading.time, time.seconds.isFinite, time.seconds > 0 else {
      return .failure(.init(reading.isDateImpossible ? .dateImpossible : .noTime))
    }
    guard let coordinate = reading.coordinate else { return .failure(.init(.noCoordinates)) }
    guard !coordinate.isNull else { return .failure(.init(.nullIsland)) }
    guard let accuracy = accuracy(of: reading) else { return .failure(.init(.noAccuracy)) }
    assert(accuracy >= 0 && accuracy.isFinite, "an accuracy of \(accuracy)")
    return .success(
      Fix(
        time: time, coordinate: coordinate, accuracy: accuracy,
        altitude: reading.mode >= 3 ? finite(reading.altitude, within: 100_000) : nil,
        verticalAccuracy: reading.mode >= 3 ? positive(reading.epv) : nil, speed: positive(reading.speed),
        speedError: positive(reading.eps), course: reading.track.flatMap { (0...360).contains($0) ? $0 : nil }
      ))
  }

  struct Unusable: Error {
    var reason: Reason

    init(_ reason: Reason) { self.reason = reason }
  }

  /// eph, else the larger of epx and epy, else from HDOP; nil: the receiver does not know.
  static func accuracy(of reading: Reading) -> Double? {
    if let eph = positive(reading.eph) { return eph }
    if let epx = positive(reading.epx), let epy = positive(reading.epy) { return max(epx, epy) }
    return positive(reading.hdop).map { $0 * metresPerHDOP }
  }

  /// Errors and speeds of a million are a receiver's way to say "no idea".
  private static func positive(_ value: Double?) -> Double? {
    guard let value, value >= 0, value < 1_000_000 else { return nil }
    return value
  }

  private static func finite(_ value: Double?, within limit: Double) -> Double? {
    guard let value, value.magnitude < limit else { return nil }
    return value
  }
}
