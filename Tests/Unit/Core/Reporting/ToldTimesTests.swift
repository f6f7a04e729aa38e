import Testing

@testable import Core

/// Which seconds are taken, whatever the order they were told in.
struct ToldTimesTests {
  @Test func whatWasToldIsFoundWhereverItStands() {
    var told = ToldTimes(nil)
    for second in [100, 105, 103] { told.note(second) }
    #expect([100, 103, 105].filter { !told.contains($0) } == [])
    #expect([99, 101, 104, 106].filter(told.contains) == [])
    #expect(told.free(from: 105) == 106)
    #expect(told.free(from: 103) == 104)
  }

  @Test func aClockThatIsSetForgetsWhatIsNewAndNotWhatWasTold() {
    var told = ToldTimes(100)
    told.note(105)
    told.clockSet()
    #expect(told.contains(105) && told.contains(100))
    #expect(told.isNew(50))
    #expect(!told.isNew(105))
    #expect(told.free(from: 105) == 106)
  }

  @Test func theNewestIsKeptWhenLaterOnesOfThePastPushItOut() {
    var told = ToldTimes(1_000)
    for second in 1...ToldTimes.limit { told.note(second) }
    #expect(told.contains(1_000))
    #expect(!told.isNew(1_000))
  }

  @Test func theOldestOfSixtyFourMakesRoomForTheNext() {
    var told = ToldTimes(nil)
    for second in 1...65 { told.note(second) }
    #expect(!told.contains(1) && told.contains(2))
    told.note(66)
    #expect(!told.contains(2) && told.contains(3) && told.contains(66))
  }
}
