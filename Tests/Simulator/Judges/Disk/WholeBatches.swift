import Model
import Storage

/// Of what was on its way to the disk when a process ended a batch is there as a whole, or not at all; and what a start has
/// read no power cut takes any more. What a batch before it held may be there without it: one that is told to have failed
/// can be on the card all the same.
struct WholeBatches: Judge {
  private var batches: [[StoreWrite]] = []
  private var removed: Set<UInt64> = []
  private var tried: Set<UInt64> = []

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .gone:
      let writing = world.process.writing
      self = Self(writing.batches.values.map { $0 }, after: writing.tried)
    case .opened(let file, _):
      if !world.hasFlipped, world.breakage == nil, let lie = lie(in: file) {
        world.complain(.agreement, "half of a batch: \(lie)")
      }
      self = Self()
      // What a start has read it goes on from: messages are sent as what a power cut does not take.
      guard world.card.disk.files.values.contains(where: \.isDirty), let lie = Shadow.lie(of: world.card.disk)
      else { return }
      world.complain(.agreement, "what the start has read is not on the disk: \(lie)")
    default: break
    }
  }

  init() {}

  init(_ batches: [[StoreWrite]], after tried: Set<UInt64> = []) {
    self.batches = batches
    self.tried = tried
    for case .remove(let sequences) in batches.joined() { removed.formUnion(sequences) }
  }

  /// What is said of the first that is there in part.
  func lie(in file: StoreFile) -> String? {
    let batches = batches.map { inserts(of: $0) }.filter { $0.count > 1 }
    guard let first = batches.joined().min() else { return nil }
    guard let page = try? file.load(after: first - 1, limit: 1024), page.count < 1024 else { return nil }
    let there = Set(page.map(\.sequence))
    for batch in batches where !there.isSuperset(of: batch) && !there.isDisjoint(with: batch) {
      return "of \(batch) only \(batch.filter(there.contains)) are in the store"
    }
    return nil
  }

  private func inserts(of batch: [StoreWrite]) -> [UInt64] {
    batch.compactMap(\.inserted).filter { !removed.contains($0) && !tried.contains($0) }
  }
}

extension StoreWrite {
  /// The message that it puts there.
  var inserted: UInt64? {
    if case .insert(let message) = self { message.sequence } else { nil }
  }
}
