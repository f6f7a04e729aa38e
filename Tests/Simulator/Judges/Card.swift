import Core
import Model
import Storage
import Timebase

/// What was on its way to the disk when a process ended: a batch is there as a whole, or not at all. Kept by the world.
/// What a batch before it held may be there without it: one that is told to have failed can be on the card all the same.
struct UnderWay {
  private var batches: [[StoreWrite]] = []
  private var removed: Set<UInt64> = []
  private var tried: Set<UInt64> = []

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

/// What is on the card, and how much of it survives.
extension World {
  /// What a start has read it goes on from: messages are sent as what a power cut does not take. So a card from which the
  /// power is taken right after the opening holds the same.
  func judgeOpening(_ file: StoreFile) {
    if ledger.counts[Fault.bitFlipped.rawValue] == 0, breakage == nil, let lie = underWay.lie(in: file) {
      ledger.complain(.agreement, "half of a batch: \(lie)", at: now)
    }
    underWay = UnderWay()
    guard disk.files.values.contains(where: \.isDirty) else { return }
    if let lie = Shadow.lie(of: disk) {
      ledger.complain(.agreement, "what the start has read is not on the disk: \(lie)", at: now)
    }
  }

  /// Once a minute: where nothing waits for the disk, what is known of regions is on it.
  func judgeRegionsOnTheCard() {
    guard let tracker, isRunning, !isStopping, takingUp == nil, desk?.isSettled == true, ledger.isSettled,
      inbox.isEmpty, !ledger.blindLives.contains(life),
      ledger.counts[Fault.bitFlipped.rawValue] == 0,
      !tracker.status(at: clock.moment(at: now)).queue.isStoreFailing
    else { return }
    // The disk's faults are not for this question, which no process asks.
    let fault = disk.fault
    disk.fault = .none
    defer { disk.fault = fault }
    guard let snapshot = try? desk?.file?.snapshot() else { return }
    if let lie = Remembered.lie(in: snapshot, about: tracker.knownRegions) {
      ledger.complain(.agreement, "nothing waits for the disk, and it does not know: \(lie)", at: now)
    }
  }
}
