import Model
import Testing
import Timebase

@testable import Storage

/// Reading back: every field of a snapshot, pages of the queue with damaged rows in them, pages of the history.
struct StoreReadingTests {
  private let directory = StoreDirectory()

  private func filled(_ writes: [StoreWrite]) throws -> StoreFile {
    let file = try StoreFile(directory: directory.path)
    try file.apply(writes)
    return file
  }

  private func messages(_ count: UInt64) -> [StoreWrite] { (1...count).map { .insert(Sample.message($0)) } }

  @Test func aSnapshotHasEverythingThatWasWritten() throws {
    var expected = Snapshot()
    expected.regions = [.init(region: Sample.region(1), presence: .inside)]
    expected.mode = ModeState(mode: .move, configured: .manual)
    (expected.position, expected.reference) = (Sample.fix(1), Sample.fix(2))
    (expected.tag, expected.imported, expected.dropped) = ("t", "digest", 7)
    expected.remote = RemoteSettings([.init(name: "ping", value: .number(1), over: .number(2))])
    expected.commandsSeen = [SeenCommand(digest: 5, time: 6)]
    expected.clientIDForm = .joined(user: "u", device: "d")
    // The speed limit and who may see it are not kept of a region that was entered.
    let entered = Region(
      rid: "e", name: "E", coordinate: Sample.fix().coordinate, radius: 5, created: 1_600_000_000)
    expected.entered = [EnteredRegion(region: entered, isChanged: true)]
    expected.announced = ["a/b", "c"]
    expected.journey.odometer = 123.5
    expected.sleep = Sleep(since: WallTime(seconds: 1_700_000_000), span: 21_600)
    expected.batterySteps = BatterySteps(board: .beacons, vehicle: .checkins)
    expected.volume.add(77, on: CalendarDay(number: 20_000))
    (expected.queued, expected.queuedBytes) = (2, 2 * Sample.message(2).size)
    (expected.firstSequence, expected.lastSequence, expected.historyCount) = (2, 3, 1)
    let file = try filled([
      .region(Sample.region(1), .inside), .mode(ModeState(mode: .move, configured: .manual)),
      .position(Sample.fix(1)), .reference(Sample.fix(2)), .tag("t"), .imported("digest"), .dropped(7),
      .remoteSettings(expected.remote), .commandsSeen(expected.commandsSeen),
      .clientIDForm(expected.clientIDForm), .entered(expected.entered ?? []), .announced(expected.announced),
      .journey(expected.journey), .volume(expected.volume), .sleep(expected.sleep),
      .batterySteps(expected.batterySteps),
      .history(Sample.location(1)),
    ])
    try file.apply(messages(3) + [.remove([1])])
    #expect(try file.snapshot() == expected)
    file.abandon()
    // Out of the log, and then out of the tables.
    for _ in 0..<2 {
      let next = try StoreFile(directory: directory.path)
      #expect(try next.snapshot() == expected)
      next.close()
    }
  }

  @Test func aBoardThatIsAwakeOnPurposeHasNoSleep() throws {
    let file = try filled([.sleep(Sleep(since: nil, span: 60))])
    #expect(try file.snapshot().sleep == Sleep(since: nil, span: 60))
    try file.apply([.sleep(nil)])
    #expect(try file.snapshot().sleep == nil)
    file.abandon()
    let next = try StoreFile(directory: directory.path)
    #expect(try next.snapshot().sleep == nil)
    next.close()
  }

  @Test func anEmptyQueueHasNoFirst() throws {
    let file = try filled(messages(3) + [.remove([1, 2, 3])])
    let snapshot = try file.snapshot()
    #expect(snapshot.firstSequence == 0 && snapshot.lastSequence == 3)
    #expect(snapshot.queued == 0 && snapshot.queuedBytes == 0)
    #expect(try file.load(after: 0, limit: 5) == [])
  }

  // MARK: Messages

  /// A page that is short would be taken for the end of the queue.
  @Test func damagedMessagesAreMadeUpForAndKeptAside() throws {
    for damaged in [[1], [2], [3], [1, 2], [2, 3], [1, 2, 3, 4], [2, 4, 6], [9], [8, 9]] as [[UInt64]] {
      let directory = StoreDirectory()
      let file = try StoreFile(directory: directory.path)
      defer { withExtendedLifetime(directory) { file.abandon() } }
      try file.apply(messages(9))
      let list = damaged.map(String.init).joined(separator: ",")
      try file.tables?.database.execute("UPDATE message SET record=x'4877' WHERE sequence IN (\(list))")
      let sound = (1...9).filter { !damaged.contains($0) }
      let page = try file.load(after: 0, limit: 4).map(\.sequence)
      #expect(page == Array(sound.prefix(4)), "\(damaged)")
      let rest = try file.load(after: page.last ?? 0, limit: 9).map(\.sequence)
      #expect(page + rest == sound, "\(damaged)")
      #expect(file.quarantined == damaged.count)
      let kept = try file.tables?.database.number("SELECT count(*) FROM quarantine WHERE record=x'4877'")
      #expect(kept == Int64(damaged.count))
      #expect(try file.tables?.database.number("SELECT count(*) FROM message") == Int64(sound.count))
    }
  }

  @Test func aMessageUnderAnothersNumberIsDamaged() throws {
    let file = try filled(messages(3))
    try file.tables?.database.execute(
      "UPDATE message SET record=(SELECT record FROM message WHERE sequence=3) WHERE sequence=2")
    #expect(try file.load(after: 0, limit: 3).map(\.sequence) == [1, 3])
    #expect(file.quarantined == 1)
    #expect(
      try file.tables?.database.prepare("SELECT source FROM quarantine").step() == true)
  }

  /// What is damaged counts nothing against the bytes, and the page goes on to the very last byte.
  @Test func aPageTakesItsBytesToTheLast() throws {
    let file = try filled(messages(5))
    let size = Sample.message(1).size
    for (most, count) in [(0, 1), (size, 1), (2 * size - 1, 1), (2 * size, 2), (2 * size + 1, 2), (.max, 5)] {
      #expect(try file.load(after: 0, limit: 9, maxBytes: most).count == count, "\(most) bytes")
    }
    try file.tables?.database.execute("UPDATE message SET record=x'00' WHERE sequence=2")
    #expect(try file.load(after: 0, limit: 9, maxBytes: 2 * size).map(\.sequence) == [1, 3])
  }

  /// Up to the message that has no room any more, what is damaged is looked at and set aside.
  @Test(arguments: [("3,4", 9, 2, [1, 2]), ("2,3", 2, 1, [1])] as [(String, Int, Int, [UInt64])])
  func aPageThatIsFullToTheLastByteGoesOnToTheNextMessage(
    damaged: String, limit: Int, most: Int, page: [UInt64]
  ) throws {
    let file = try filled(messages(5))
    let size = Sample.message(1).size
    try file.tables?.database.execute("UPDATE message SET record=x'00' WHERE sequence IN (\(damaged))")
    #expect(try file.load(after: 0, limit: limit, maxBytes: most * size).map(\.sequence) == page)
    #expect(file.quarantined == 2)
  }

  @Test func noMessageIsAskedForWithNoLimit() throws {
    let file = try filled(messages(2))
    #expect(try file.load(after: 2, limit: 5) == [])
    #expect(try file.load(after: .max, limit: 5) == [])
    #expect(try file.index(after: 1, limit: 5).map(\.sequence) == [2])
  }

  /// The outbox would believe an empty page, and forget them.
  @Test func messagesThatAreCountedAndNotFoundAreDamage() throws {
    let file = try filled(messages(3))
    try file.checkpoint()
    try file.tables?.database.execute("DELETE FROM message")
    // Behind the first sequence nothing is said of the whole.
    #expect(try file.load(after: 1, limit: 5) == [])
    #expect(file.takeNotices() == [])
    #expect(try file.load(after: 0, limit: 5).map(\.sequence) == [1, 2, 3])
    let notices = file.takeNotices()
    #expect(notices.count == 1 && notices[0].contains("3 messages cannot be found"))
    #expect(notices[0].contains("begun with 3 of 3 messages and 0 regions saved; 1 set aside so far"))
    #expect(file.takeNotices() == [], "each is told once")
  }

  // MARK: The history

  @Test func theHistoryIsAskedForInPages() throws {
    let file = try filled((1...9).map { .history(Sample.location($0)) })
    let start = Sample.location(0).time.seconds
    func page(_ change: (inout HistoryQuery) -> Void) throws -> [Int64] {
      var query = HistoryQuery()
      change(&query)
      return try file.history(query).map(\.number)
    }
    #expect(try page { $0.limit = 3 } == [1, 2, 3])
    #expect(try page { ($0.limit, $0.isFromEnd) = (3, true) } == [7, 8, 9])
    #expect(try page { ($0.limit, $0.after) = (3, 4) } == [5, 6, 7])
    #expect(try page { ($0.from, $0.to) = (start + 4, start + 6) } == [4, 5, 6])
    #expect(try page { ($0.limit, $0.from, $0.isFromEnd) = (2, start + 3, true) } == [8, 9])
    for limit in [0, -1] { #expect(try page { $0.limit = limit } == []) }
  }

  @Test func theNewestPointsAreAskedForByTheirNumber() throws {
    let file = try filled((1...5).map { .history(Sample.location($0)) })
    for (limit, first) in [(nil, 1), (9, 1), (5, 1), (2, 4), (1, 5), (0, 6), (-1, 6)] as [(Int?, Int)] {
      #expect(try file.history(limit: limit) == (first..<6).map { Sample.location($0) })
    }
  }

  @Test func aDamagedPointCostsItself() throws {
    let file = try filled((1...3).map { .history(Sample.location($0)) })
    try file.tables?.database.execute("UPDATE history SET record=x'00' WHERE id=2")
    #expect(try file.history() == [Sample.location(1), Sample.location(3)])
    #expect(file.quarantined == 1)
    #expect(try file.history(HistoryQuery()).map(\.number) == [1, 3])
  }
}
