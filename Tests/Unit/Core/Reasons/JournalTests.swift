import Testing

@testable import Core

// behaviour: why
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
    #expect(last.map(\.time) == [1000, 1001])
    #expect(last.map(\.last) == [1002, 1001])
    #expect(journal.entries.count == min(before + 2, Journal.limit))
  }

  @Test mutating func withheldReasonsAreNotMergedAcrossPublication() {
    journal.note(.noTime, isPublished: false, time: 1)
    journal.note(.intervalElapsed(seconds: 1), isPublished: true, time: 2)
    journal.note(.noTime, isPublished: false, time: 3)
    #expect(journal.entries.map(\.count) == [1, 1, 1])
  }

  @Test mutating func companionLocationOfCrossingIsNoNews() {
    let crossed = Reason.crossed(region: "Home", .enter, metres: 12)
    journal.note(crossed, isPublished: true, mayRepeat: true, time: 1)
    journal.note(crossed, isPublished: true, mayRepeat: true, time: 1)
    #expect(journal.entries.map(\.isCompanion) == [false, true])
    #expect(journal.takeNews().map(\.reason) == [crossed])
  }

  @Test mutating func describingTheBoardIsOneEntryEachTime() {
    for _ in 1...11 { journal.note(.introduced, isPublished: true, time: 1) }
    journal.note(.intervalElapsed(seconds: 1), isPublished: true, time: 2)
    for _ in 1...3 { journal.note(.introduced, isPublished: true, time: 3) }
    journal.note(.noTime, isPublished: false, time: 4)
    journal.note(.introduced, isPublished: true, time: 5)
    #expect(journal.entries.map(\.count) == [11, 1, 3, 1, 1])
    #expect(journal.takeNews().map(\.count) == [11, 1, 3, 1, 1])
  }

  @Test mutating func changesOfTheModeAreNeverCountedTogether() {
    let change = Reason.modeChanged(from: .move, to: .manual, .people)
    for time in 1...3 { journal.note(change, isPublished: false, time: Double(time)) }
    #expect(journal.entries.map(\.time) == [1, 2, 3])
  }

  @Test mutating func invalidCommandsDoNotEvictEntries() {
    journal.note(.noTime, isPublished: false, time: 0)
    for number in 0..<1000 {
      journal.note(
        .commandSenseless(action: "a\(number)", why: "x"), isPublished: false, time: Double(number))
    }
    #expect(journal.entries.count == 1 + 8)
    #expect(journal.entries.first?.reason == .noTime)
    #expect(journal.entries.map(\.count).reduce(0, +) == 1001)
  }

  @Test mutating func anEntryThatCountsUpHasTheNumbersOfTheLastOne() {
    journal.note(.tooNear(metres: 3, needed: 100), isPublished: false, time: 1)
    journal.note(.tooNear(metres: 7, needed: 100), isPublished: false, time: 2)
    #expect(journal.entries.map(\.reason) == [.tooNear(metres: 7, needed: 100)])
  }

  /// Every second, whatever else is told.
  @Test mutating func rangingEntriesAreMergedAcrossPublication() {
    let ranged = Reason.ranged(region: "Van", metres: 2, before: nil)
    journal.note(ranged, isPublished: true, time: 1)
    journal.note(.intervalElapsed(seconds: 1), isPublished: true, time: 2)
    journal.note(ranged, isPublished: true, time: 3)
    #expect(journal.entries.map(\.count) == [2, 1])
  }

  /// Neither what was withheld before in the same words nor what else was published says it already.
  @Test mutating func anEventIsACompanionOnlyOfOneThatWasPublishedInTheSameWords() {
    let towed = Reason.towed(metres: 50)
    journal.note(.intervalElapsed(seconds: 1), isPublished: true, time: 1)
    journal.note(towed, isPublished: false, time: 2)
    journal.note(towed, isPublished: true, mayRepeat: true, time: 3)
    journal.note(towed, isPublished: true, mayRepeat: true, time: 3)
    #expect(journal.entries.map(\.isCompanion) == [false, false, false, true])
  }

  // MARK: What is new

  @Test mutating func anEntryIsNewsAgainOnceItsCountHasDoubled() {
    #expect(!journal.hasNews)
    journal.note(.noTime, isPublished: false, time: 1)
    _ = journal.takeNews()
    journal.note(.noTime, isPublished: false, time: 2)
    #expect(journal.hasNews)
    _ = journal.takeNews()
    journal.note(.noTime, isPublished: false, time: 3)
    #expect(!journal.hasNews)
  }

  @Test mutating func entryIsNewsOnceAndAtDoublingCounts() {
    journal.note(.noTime, isPublished: false, time: 1)
    #expect(journal.hasNews && journal.takeNews().map(\.count) == [1])
    #expect(!journal.hasNews && journal.takeNews().isEmpty)
    var given: [Int] = []
    for time in 2...20 {
      journal.note(.noTime, isPublished: false, time: Double(time))
      given += journal.takeNews().map(\.count)
    }
    #expect(given == [2, 4, 8, 16])
    #expect(journal.takeNews(evenCounts: true).map(\.count) == [20])
    #expect(journal.takeNews(evenCounts: true).isEmpty)
  }

  @Test mutating func numbersGrowOverEverythingThatIsForgotten() {
    for number in 1...250 {
      journal.note(.intervalElapsed(seconds: 1), isPublished: true, time: Double(number))
    }
    #expect(journal.takeNews().map(\.number) == (151...250).map(UInt64.init))
  }

  // MARK: Words

  @Test func roundedValueStaysOnItsSideOfLimit() {
    #expect(Reason.tooNear(metres: 499.7, needed: 500).sentence.hasPrefix("499 m "))
    #expect(Reason.tooSoon(seconds: 299.9, needed: 300).sentence.hasPrefix("299 s "))
    #expect(Reason.inaccurate(metres: 100.2, limit: 100).sentence.hasPrefix("accuracy 101 m "))
    #expect(Reason.tooFast(speed: 50.4, limit: 50, region: nil).sentence.hasPrefix("51 km/h "))
    #expect(Reason.tooNear(metres: 499.2, needed: 500).sentence.hasPrefix("499 m "))
  }
}
