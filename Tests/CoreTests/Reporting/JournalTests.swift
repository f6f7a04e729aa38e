import Testing

@testable import Core

/// The last hundred reasons, however many there were.
struct JournalTests {
  private var journal = Journal()

  @Test mutating func theNewestHundredAreKeptInTheirOrder() {
    for number in 1...250 {
      journal.note(.intervalElapsed(seconds: Double(number)), isPublished: true, time: Double(number))
    }
    #expect(journal.entries.map(\.time) == (151...250).map(Double.init))
  }

  @Test(arguments: [0, 50, 99, 100, 101, 150, 199, 200])
  mutating func theSameAgainCountsUpWhereverItStands(_ before: Int) {
    for number in 0..<before {
      journal.note(.intervalElapsed(seconds: 1), isPublished: true, time: Double(number))
    }
    journal.note(.noTime, isPublished: false, time: 1000)
    journal.note(.clockUntrusted, isPublished: false, time: 1001)
    journal.note(.noTime, isPublished: false, time: 1002)
    let last = journal.entries.suffix(2)
    #expect(last.map(\.count) == [2, 1])
    #expect(last.map(\.time) == [1002, 1001])
    #expect(journal.entries.count == min(before + 2, Journal.limit))
  }

  @Test mutating func nothingCountsUpAcrossWhatWasPublished() {
    journal.note(.noTime, isPublished: false, time: 1)
    journal.note(.intervalElapsed(seconds: 1), isPublished: true, time: 2)
    journal.note(.noTime, isPublished: false, time: 3)
    #expect(journal.entries.map(\.count) == [1, 1, 1])
  }
}
