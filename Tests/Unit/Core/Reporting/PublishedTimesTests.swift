import Testing

@testable import Core

/// Which seconds are taken, whatever the order they were told in.
struct PublishedTimesTests {
  @Test func publishedTimesAreFoundInAnyOrder() {
    var publishedTimes = PublishedTimes(nil)
    for second in [100, 105, 103] { publishedTimes.note(second) }
    #expect([100, 103, 105].filter { !publishedTimes.contains($0) } == [])
    #expect([99, 101, 104, 106].filter(publishedTimes.contains) == [])
    #expect(publishedTimes.free(from: 105) == 106)
    #expect(publishedTimes.free(from: 103) == 104)
  }

  @Test func clockSetResetsNewestButKeepsPublishedTimes() {
    var publishedTimes = PublishedTimes(100)
    publishedTimes.note(105)
    publishedTimes.clockSet()
    #expect(publishedTimes.contains(105) && publishedTimes.contains(100))
    #expect(publishedTimes.isNew(50))
    #expect(!publishedTimes.isNew(105))
    #expect(publishedTimes.free(from: 105) == 106)
  }

  @Test func theNewestIsKeptWhenLaterOnesOfThePastPushItOut() {
    var publishedTimes = PublishedTimes(1_000)
    for second in 1...PublishedTimes.limit { publishedTimes.note(second) }
    #expect(publishedTimes.contains(1_000))
    #expect(!publishedTimes.isNew(1_000))
  }

  @Test func theOldestOfSixtyFourMakesRoomForTheNext() {
    var publishedTimes = PublishedTimes(nil)
    for second in 1...65 { publishedTimes.note(second) }
    #expect(!publishedTimes.contains(1) && publishedTimes.contains(2))
    publishedTimes.note(66)
    #expect(!publishedTimes.contains(2) && publishedTimes.contains(3) && publishedTimes.contains(66))
  }
}
