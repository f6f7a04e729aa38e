import Model
import Testing
import Timebase

@testable import Core

/// What becomes of a reading that is no position, or not one of satellites.
struct FixFilterTests {
  private var reading: Reading {
    var reading = Reading()
    (reading.mode, reading.time, reading.latitude, reading.longitude, reading.eph) = (
      3, WallTime(seconds: 1_800_000_000), 48, 11, 5
    )
    return reading
  }

  private func refusal(_ change: (inout Reading) -> Void) -> Reason? {
    var reading = reading
    change(&reading)
    if case .failure(let unusable) = FixFilter.usable(reading) { return unusable.reason }
    return nil
  }

  @Test func aPlaceThatIsRepeatedIsNamed() throws {
    #expect(refusal { _ in } == nil)
    let reason = try #require(
      refusal {
        $0.mode = 1
        $0.isVoid = true
      })
    #expect(reason == .voidPosition && reason.word == "voidPosition")
    #expect(reason.sentence == "the receiver repeats its last position, and says that it has no fix")
    #expect(refusal { $0.mode = 1 } == .noFix(mode: 1))
  }

  @Test func aDayThatThereIsNotIsNamed() throws {
    let reason = try #require(
      refusal {
        $0.time = nil
        $0.isDateImpossible = true
      })
    #expect(reason == .dateImpossible && reason.word == "dateRefused")
    #expect(reason.sentence == "the receiver's date is impossible: there is no such day")
    #expect(refusal { $0.time = nil } == .noTime)
  }
}
