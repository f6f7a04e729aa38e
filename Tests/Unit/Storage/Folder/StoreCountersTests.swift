import Model
import Testing

@testable import Storage

/// What the check of the store says, at each of its limits; and what an error asks of the store.
struct StoreCountersTests {
  private let directory = StoreDirectory()

  private func finding(_ change: (inout StoreCounters) -> Void) -> String? {
    var counters = StoreCounters()
    change(&counters)
    return counters.impossibility
  }

  @Test func validCountersPassTheCheck() {
    #expect(finding { _ in } == nil)
    // The first that may come after the last.
    #expect(finding { ($0.firstSequence, $0.lastSequence) = (10, 9) } == nil)
    for (queued, first, last) in [(1, 5, 5), (1, 5, 9), (3, 1, 3), (3, 7, 9)] as [(Int, UInt64, UInt64)] {
      let found = finding {
        ($0.queued, $0.queuedBytes, $0.firstSequence, $0.lastSequence) = (queued, queued, first, last)
      }
      #expect(found == nil)
    }
    #expect(finding { ($0.historyCount, $0.lastHistory, $0.quarantined) = (2, 2, 1) } == nil)
    #expect(finding { $0.lastHistory = 2 } == nil)
  }

  @Test func impossibleCountersAreNamed() {
    #expect(finding { $0.queued = -1 } == "-1 messages, 0 points, 0 in quarantine")
    #expect(finding { $0.historyCount = -1 } == "0 messages, -1 points, 0 in quarantine")
    #expect(finding { $0.quarantined = -1 } == "0 messages, 0 points, -1 in quarantine")
    #expect(finding { ($0.queued, $0.queuedBytes) = (3, 2) } == "3 messages of 2 bytes")
    #expect(finding { $0.queuedBytes = 1 } == "0 messages of 1 bytes")
    let first = finding {
      ($0.queued, $0.queuedBytes, $0.firstSequence, $0.lastSequence) = (1, 1, 4, 3)
    }
    #expect(first == "1 messages from 4 to 3")
    let many = finding {
      ($0.queued, $0.queuedBytes, $0.firstSequence, $0.lastSequence) = (3, 9, 2, 3)
    }
    #expect(many == "3 messages from 2 to 3")
    #expect(finding { ($0.historyCount, $0.lastHistory) = (2, 1) } == "2 points, numbered up to 1")
  }

  private func filled(vfs: String? = nil) throws -> StoreFile {
    let file = try StoreFile(directory: directory.path, vfs: vfs)
    try file.apply([.insert(Sample.message(1)), .history(Sample.location())])
    return file
  }

  @Test func theLogAndTheTablesAreOfOneBatch() throws {
    let file = try filled()
    defer { file.abandon() }
    file.tables?.counters.revision = 2
    #expect(file.inconsistency() == "batch 1 is the last, and the tables have 2")
    file.tables?.counters.revision = 1
    #expect(file.inconsistency() == "the log ends at 512, and batch 1, its last, is in the tables")
    file.tables?.counters.revision = 0
    #expect(file.inconsistency() == nil)
  }

  /// It is about to be read again.
  @Test func staleStoreReportsNoInconsistency() throws {
    let file = try filled()
    defer { file.abandon() }
    file.tables?.counters.queued = -1
    #expect(file.inconsistency()?.hasPrefix("-1 messages") == true)
    file.isStale = true
    #expect(file.inconsistency() == nil)
  }

  @Test func tablesThatCannotBeCountedAreReadAgain() throws {
    let file = try filled()
    try file.tables?.database.execute("DROP TABLE quarantine")
    #expect(file.inconsistency() == nil && file.isStale)
    #expect(try file.snapshot().queued == 1)
    #expect(!file.isStale && file.inconsistency() == nil)
    file.close()
  }

  @Test func doubtIsFoundOutAnew() throws {
    let file = try filled()
    defer { file.abandon() }
    #expect(file.agrees(countingTo: 2) && !file.isInDoubt)
    file.tables?.counters.queuedBytes += 1
    #expect(!file.agrees(countingTo: 2) && file.agrees(countingTo: 1))
    for wasInDoubt in [true, false] {
      file.isInDoubt = wasInDoubt
      #expect(file.noteDoubt() && file.isInDoubt && file.agrees(countingTo: 2))
    }
    file.tables?.counters.queuedBytes -= 1
    #expect(file.noteDoubt() && !file.isInDoubt)
  }

  /// In a debug build it would be read more often than in another.
  @Test func aSimulatedDiskIsNotCounted() throws {
    let file = try filled(vfs: "unix-none")
    defer { file.abandon() }
    #expect(file.isSimulated)
    file.tables?.counters.queuedBytes += 1
    #expect(file.inconsistency() != nil && file.agrees(countingTo: 100))
    file.tables?.counters.queued = -1
    #expect(!file.agrees(countingTo: 100))
  }

  // MARK: Errors

  @Test func everyErrorHasItsRemedy() {
    let errors: [(StoreError, mayHeal: Bool, words: String)] = [
      (
        .noDirectory(path: "/a", cause: "x"), false,
        "store directory /a: x; it must exist and belong to the user homewardd runs as"
      ),
      (.inUse(path: "/a"), false, "another homewardd uses /a; only one may"),
      (
        .newer(path: "/a", version: 2, known: 1), false,
        "/a has format 2, this homewardd knows 1: it was left untouched, run the newer one"
      ),
      (.full(path: "/a"), true, "/a: the disk is full"),
      (.readOnly(path: "/a"), true, "/a: the disk is read-only or the file may not be written"),
      (
        .inTheWay(path: "/a", what: "a link"), true,
        "/a: a link is in the way, expected a file or nothing: remove it"
      ),
      (.failing(path: "/a", doing: "reading", cause: "x"), true, "/a: reading failed: x"),
      (.damaged(path: "/a", cause: "x"), true, "/a is damaged: x"),
    ]
    for (error, mayHeal, words) in errors {
      #expect(error.mayHeal == mayHeal && error.sentence == words)
      #expect(error.isFull == (error == .full(path: "/a")))
      #expect(error.isDamage == (error == .damaged(path: "/a", cause: "x")))
    }
  }
}
