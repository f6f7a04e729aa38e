import Model
import Testing
import Timebase

@testable import Core

/// The limits of what stands, to the last digit: a receiver on the equator, so that metres are exact.
struct StandstillLimitsTests {
  private func fix(_ second: Double, _ east: Double, _ speed: Double) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + second),
      coordinate: Coordinate(latitude: 0, longitude: east / Standstill.Metres.perDegree)!, accuracy: 5,
      speed: speed)
  }

  /// The smoothed speed is 0.6 m/s, which is enough to count, or just below; without the 2.4 m of that the next fix is
  /// too far off to be explained.
  @Test(arguments: [(1.2, true), (1.19, false)]) func theSmallestSpeedThatCounts(speed: Double, departs: Bool)
  {
    var standstill = Standstill()
    for second in 0...100 {
      _ = standstill.consider(fix(Double(second), 0, 0), isGated: true, isLeap: false)
    }
    let first = standstill.consider(fix(102, 0, speed), isGated: true, isLeap: false)
    #expect(first.isStanding)
    let second = standstill.consider(fix(104, 20.5, 4), isGated: true, isLeap: false)
    #expect((second == .free) == departs)
  }
}
