import Model
import TestSupport
import Testing

@testable import Storage

/// Batches that nobody has synced, and a power cut that took some of them or some of their sectors. Nothing is lost by
/// that which was promised, and nothing is to be told of it.
struct StorePowerCutTests {
  private let directory = StoreDirectory()

  /// What a start finds.
  private struct Found: Equatable {
    var sequences: [UInt64]
    var quarantined = 0
    var notices = 0
  }

  private func found(in directory: StoreDirectory) throws -> Found {
    let file = try StoreFile(directory: directory.path)
    let sequences = try file.load(after: 0, limit: 1000).map(\.sequence)
    return Found(sequences: sequences, quarantined: file.quarantined, notices: file.takeNotices().count)
  }

  /// Applies the batches; where each lies in the log.
  private func apply(_ batches: [[StoreWrite]], to file: StoreFile) throws -> [Range<Int>] {
    try batches.map { batch in
      let start = file.log?.offset ?? 0
      try file.apply(batch)
      return start..<(file.log?.offset ?? 0)
    }
  }

  /// As the card has it, without these bytes of the log.
  private func copy(without lost: [Range<Int>]) -> StoreDirectory {
    let copy = directory.copy()
    var bytes = readFile(copy.path + "/store.log")
    for range in lost { for index in range { bytes[index] = 0 } }
    writeFile(bytes, to: copy.path + "/store.log")
    return copy
  }

  private func insert(_ sequences: ClosedRange<UInt64>) -> [StoreWrite] {
    sequences.map { .insert(Sample.message($0)) }
  }

  /// A batch of two sectors that needs no sync, with a record that lies in the first of them.
  private let longRemoval: [StoreWrite] = [
    .remove([2]), .remove((10...49).map { $0 * 2 }), .position(Sample.fix()),
  ]

  // behaviour: A disk that fails, fills or lies
  @Test func aRemovalThatNeverCameIsNoDamage() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...3), [.remove([1])], insert(4...4)], to: file)
    #expect(try found(in: copy(without: [places[1]])) == Found(sequences: [1, 2, 3, 4]))
  }

  @Test func norIsItAtTheStartsAfterThat() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...3), [.remove([1])], insert(4...4)], to: file)
    let copy = copy(without: [places[1]])
    try StoreFile(directory: copy.path).apply(insert(5...5))
    try StoreFile(directory: copy.path).apply([.remove([5])])
    #expect(try found(in: copy) == Found(sequences: [1, 2, 3, 4]))
  }

  @Test func aRemovalThatWasOnTheDiskIsDamageWhereItIsMissing() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...3), [.remove([1])], insert(4...4), insert(5...5)], to: file)
    let found = try found(in: copy(without: [places[1]]))
    #expect(found == Found(sequences: [1, 2, 3, 4, 5], quarantined: 1, notices: 1))
  }

  /// The last but one had been synced, whatever became of the sync of the last.
  @Test func aSyncedBatchBeforeTheLastIsDamageWhereItIsMissing() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...1), insert(2...2), [.remove([1])], insert(3...3)], to: file)
    let found = try found(in: copy(without: [places[1], places[2]]))
    #expect(found == Found(sequences: [1, 3], quarantined: 1, notices: 1))
  }

  // behaviour: A disk that fails, fills or lies
  @Test func aTornRemovalIsThereWholeOrNotAtAll() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...99), longRemoval, [.position(Sample.fix(1))]], to: file)
    #expect(places[1].count == 1024)
    let copy = copy(without: [(places[1].lowerBound + 512)..<places[1].upperBound])
    #expect(try found(in: copy) == Found(sequences: Array(1...99)))
    try StoreFile(directory: copy.path).apply(insert(100...100))
    #expect(try found(in: copy) == Found(sequences: Array(1...100)))
  }

  /// The second is cut short at the end and its place is taken; the first stays before it.
  @Test func twoTornRemovalsAtTheEndAreNoDamage() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...99), longRemoval, longRemoval], to: file)
    let copy = copy(without: places[1...].map { ($0.lowerBound + 512)..<$0.upperBound })
    #expect(try found(in: copy) == Found(sequences: Array(1...99)))
    let next = try StoreFile(directory: copy.path)
    for sequence in 100...102 as ClosedRange<UInt64> { try next.apply(insert(sequence...sequence)) }
    #expect(try found(in: copy.copy()) == Found(sequences: Array(1...102)))
  }

  /// A torn batch that had been synced is damage, wherever it lies: what of it is sound is kept.
  @Test func aSyncedBatchThatIsTornLaterKeepsItsSoundRecords() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...4), insert(5...5), [.remove([5])]], to: file)
    let copy = copy(without: [(places[0].lowerBound + 512)..<(places[0].lowerBound + 1024)])
    let found = try found(in: copy)
    #expect(found.quarantined == 1 && found.notices == 1)
    #expect(found.sequences.contains(1) && found.sequences.count < 4)
  }

  /// Found by seed 20261126 of the power cuts: of two cuts in a row the first tore a batch, and the second took the one
  /// that was written in its place. The old header hid the batch behind it, until the next batch uncovered it.
  @Test func batchHiddenFromOneStartStaysHidden() throws {
    let file = try StoreFile(directory: directory.path)
    let places = try apply([insert(1...1), insert(2...5)], to: file)
    let torn = copy(without: [(places[1].upperBound - 512)..<places[1].upperBound])
    let next = try StoreFile(directory: torn.path)
    let before = readFile(torn.path + "/store.log")
    _ = try apply([[.remove([1])], [.position(Sample.fix(1))]], to: next)
    let card = torn.copy()
    var bytes = readFile(card.path + "/store.log")
    let lost = places[1].lowerBound..<(places[1].lowerBound + 512)
    bytes[lost] = before[lost]
    writeFile(bytes, to: card.path + "/store.log")
    let first = try StoreFile(directory: card.path)
    let position = try first.snapshot().position
    try first.apply([.tag("new")])
    let end = card.copy()
    defer { withExtendedLifetime((torn, card, end)) {} }
    let second = try StoreFile(directory: end.path).snapshot()
    #expect(second.position == position && second.tag == "new")
  }
}
