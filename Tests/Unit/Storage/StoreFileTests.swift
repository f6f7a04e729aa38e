import Glibc
import Model
import Testing
import Timebase

@testable import Storage

/// What is put in comes out, before and after a restart.
struct StoreFileTests {
  private let directory = StoreDirectory()

  private func reopened(_ writes: [StoreWrite]) throws -> StoreFile {
    let file = try StoreFile(directory: directory.path)
    try file.apply(writes)
    file.close()
    return try StoreFile(directory: directory.path)
  }

  @Test func aNewStoreIsEmpty() throws {
    #expect(try StoreFile(directory: directory.path).snapshot() == Snapshot())
  }

  @Test func messagesComeBackAsTheyWere() throws {
    let messages = [
      Sample.message(1), Sample.message(2, isEvent: true),
      Message(
        sequence: 3, topic: "ü/", payload: [0, 255], qos: 2, isRetained: true, isEvent: false, time: -5),
    ]
    #expect(try reopened(messages.map(StoreWrite.insert)).load(after: 0, limit: 10) == messages)
  }

  @Test func aMessageLongerThanALogBatchComesBack() throws {
    let message = Sample.message(1, payload: 70_000)
    #expect(try reopened([.insert(message)]).load(after: 0, limit: 10) == [message])
  }

  @Test func aPageBeginsAfterTheSequenceAsked() throws {
    let file = try reopened((1...20).map { .insert(Sample.message($0)) })
    #expect(try file.load(after: 7, limit: 3).map(\.sequence) == [8, 9, 10])
  }

  @Test func aPageEndsWhereItsBytesAreUsedUp() throws {
    let file = try reopened((1...20).map { .insert(Sample.message($0)) })
    #expect(try file.load(after: 0, limit: 20, maxBytes: 3 * Sample.message(1).size).count == 3)
  }

  @Test func aPageHoldsAtLeastOneMessage() throws {
    let file = try reopened((1...3).map { .insert(Sample.message($0)) })
    #expect(try file.load(after: 0, limit: 20, maxBytes: 1).map(\.sequence) == [1])
  }

  @Test func indexHoldsTimeSizeAndEventFlag() throws {
    let messages = [Sample.message(4), Sample.message(5, isEvent: true)]
    let entries = messages.map {
      QueueEntry(sequence: $0.sequence, time: $0.time, isEvent: $0.isEvent, size: $0.size)
    }
    #expect(try reopened(messages.map(StoreWrite.insert)).index(after: 0, limit: 9) == entries)
  }

  @Test func removedMessagesStayRemoved() throws {
    let file = try reopened((1...9).map { .insert(Sample.message($0)) } + [.remove([9, 2, 1, 3, 5, 5, 77])])
    #expect(try file.load(after: 0, limit: 10).map(\.sequence) == [4, 6, 7, 8])
  }

  @Test func aRangeIsRemovedUpToItsEnd() throws {
    let file = try reopened(
      (1...9).map { .insert(Sample.message($0)) } + [.removeRange(after: 2, through: 7)])
    #expect(try file.load(after: 0, limit: 10).map(\.sequence) == [1, 2, 8, 9])
  }

  @Test func clearingTheQueueKeepsLaterMessages() throws {
    let file = try reopened((1...9).map { .insert(Sample.message($0)) })
    try file.apply([.removeRange(after: 0, through: .max), .insert(Sample.message(10))])
    #expect(try file.load(after: 0, limit: 10).map(\.sequence) == [10])
    #expect(try file.snapshot().queuedBytes == Sample.message(10).size)
  }

  @Test func theSnapshotCountsTheQueue() throws {
    let file = try reopened((1...9).map { .insert(Sample.message($0)) } + [.remove([1, 9])])
    let snapshot = try file.snapshot()
    #expect(
      [snapshot.queued, snapshot.queuedBytes, Int(snapshot.firstSequence), Int(snapshot.lastSequence)]
        == [7, 7 * Sample.message(1).size, 2, 9])
  }

  @Test func theLastSequenceOutlivesItsMessage() throws {
    let file = try reopened([.insert(Sample.message(41)), .remove([41])])
    #expect(try file.snapshot().lastSequence == 41)
  }

  @Test func storingAMessageTwiceKeepsOne() throws {
    let file = try reopened([.insert(Sample.message(1)), .insert(Sample.message(1))])
    #expect(try file.snapshot().queued == 1)
  }

  @Test func stateComesBack() throws {
    let mode = ModeState(mode: .quiet, downgraded: true, adapted: false, configured: .move)
    let snapshot = try reopened([
      .mode(ModeState(mode: .move)), .mode(mode), .position(Sample.fix(1)), .reference(Sample.fix(2)),
      .tag("Tünnes"), .dropped(12),
    ]).snapshot()
    var expected = Snapshot()
    expected.mode = mode
    expected.position = Sample.fix(1)
    expected.reference = Sample.fix(2)
    expected.tag = "Tünnes"
    expected.dropped = 12
    #expect(snapshot == expected)
  }

  @Test func aClearedTagIsGone() throws {
    #expect(try reopened([.tag("x"), .tag(nil)]).snapshot().tag == nil)
  }

  @Test func regionsComeBackInTheirOrderWithTheirPresence() throws {
    let snapshot = try reopened([
      .region(Sample.region(1), .unknown), .region(Sample.region(2), .outside),
      .region(Sample.region(3, radius: -5), .inside), .region(Sample.region(1), .inside),
      .regionRemoved(rid: "rid2"),
    ]).snapshot()
    #expect(
      snapshot.regions == [
        Snapshot.KnownRegion(region: Sample.region(1), presence: .inside),
        Snapshot.KnownRegion(region: Sample.region(3, radius: -5), presence: .inside),
      ])
  }

  @Test func historyComesBackWithEveryField() throws {
    var report = Sample.location(3)
    report.created = WallTime(seconds: 1_700_000_009.5)
    report.battery = Battery(level: 77, state: .charging)
    report.network = .wifi(ssid: "Home", bssid: nil)
    report.pressure = 101.3
    report.inside = [.init(name: nil, rid: "a"), .init(name: "B", rid: "b")]
    report.poi = "café"
    report.tag = "t"
    #expect(try reopened([.history(Sample.location(1)), .history(report)]).history(limit: 1) == [report])
  }

  @Test func historyIsAskedForByTime() throws {
    let file = try reopened((1...9).map { .history(Sample.location($0)) })
    #expect(try file.history(since: 1_700_000_008) == [Sample.location(8), Sample.location(9)])
  }

  // behaviour: History
  @Test func historyIsPrunedByNumber() throws {
    let file = try reopened(
      (1...9).map { .history(Sample.location($0)) } + [.pruneHistory(keep: 2, since: nil)])
    #expect(try file.history() == [Sample.location(8), Sample.location(9)])
  }

  // behaviour: History
  @Test func historyIsPrunedByTime() throws {
    let file = try reopened(
      (1...9).map { .history(Sample.location($0)) } + [.pruneHistory(keep: nil, since: 1_700_000_007)])
    #expect(try file.snapshot().historyCount == 3)
  }

  @Test func theNewestPointsAreGivenInTheirOrder() throws {
    var query = HistoryQuery()
    (query.isFromEnd, query.limit) = (true, 2)
    let file = try reopened((1...9).map { .history(Sample.location($0)) })
    #expect(try file.history(query).map(\.number) == [8, 9])
  }

  // behaviour: History
  @Test func singlePointsAndPartsOfTheHistoryGoForGood() throws {
    let points = (1...9).map { StoreWrite.history(Sample.location($0)) }
    let time = Sample.location(6).time.seconds
    var file = try reopened(points + [.removePoints(HistoryPart(numbers: 2...2))])
    #expect(try file.history() == [1, 3, 4, 5, 6, 7, 8, 9].map { Sample.location($0) })
    try file.apply([.removePoints(HistoryPart(times: time...(.infinity)))])
    file.abandon()
    // Out of the log, as after a kill.
    file = try StoreFile(directory: directory.path)
    defer { file.close() }
    #expect(try file.history() == [1, 3, 4, 5].map { Sample.location($0) })
    #expect(try file.snapshot().historyCount == 4)
    // Their numbers are not given again.
    try file.apply([.history(Sample.location(10))])
    #expect(try file.history(HistoryQuery()).map(\.number) == [1, 3, 4, 5, 10])
  }

  @Test func theFilesAreTheOwnersAlone() throws {
    let file = try StoreFile(directory: directory.path)
    defer { file.close() }
    try file.apply((1...200).map { .insert(Sample.message($0)) })
    let modes = directory.names.map { name in
      var status = stat()
      stat("\(directory.path)/\(name)", &status)
      return status.st_mode & 0o777
    }
    #expect(modes.allSatisfy { $0 == 0o600 })
  }

  @Test func aSecondOwnerIsRefused() throws {
    let file = try StoreFile(directory: directory.path)
    defer { file.close() }
    #expect(throws: StoreError.inUse(path: directory.tables)) { try StoreFile(directory: directory.path) }
  }

  @Test func aMissingDirectoryIsNamed() {
    #expect(throws: StoreError.noDirectory(path: "/nowhere", cause: "No such file or directory")) {
      try StoreFile(directory: "/nowhere")
    }
  }
}
