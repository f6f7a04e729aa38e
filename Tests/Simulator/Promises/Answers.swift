import Core
import Model

/// What people's requests have sent to the disk, and the answers to them. Kept by the world, one for each life of the
/// process.
struct Answers {
  /// Whose request is being handled.
  fileprivate var asking: UInt64?
  /// Who waits for which batches.
  fileprivate var awaited: [UInt64: Set<UInt64>] = [:]
  /// Who has the queue cleared, and what was on the card then and nowhere else.
  fileprivate var doomed: [UInt64: Set<UInt64>] = [:]

  /// `kept`: what waits on the card.
  mutating func begin(_ event: Event, kept: () -> Set<UInt64>) {
    asking = if case .control(_, let sender, _) = event { sender } else { nil }
    if case .control(.queueClear, let sender, _) = event { doomed[sender] = kept() }
  }

  mutating func ordered(_ batch: UInt64, _ writes: [StoreWrite]) {
    guard let asking, writes.contains(where: Self.isOfConsequence) else { return }
    awaited[asking, default: []].insert(batch)
  }

  private static func isOfConsequence(_ write: StoreWrite) -> Bool {
    switch write {
    case .insert(let message): message.isEvent
    case .mode, .region, .regionRemoved, .remoteSettings, .removeRange, .tag: true
    default: false
    }
  }
}

extension World {
  /// Who is told that it is done may pull the plug.
  func judge(answerTo sender: UInt64) {
    let awaited = answers.awaited.removeValue(forKey: sender) ?? []
    let doomed = answers.doomed.removeValue(forKey: sender) ?? []
    guard let tracker, desk != nil, takingUp == nil, !isStopping,
      !tracker.status(at: clock.moment(at: now)).queue.isStoreFailing
    else { return }
    if let batch = awaited.first(where: { batches[$0] != nil }) {
      ledger.complain(.delivered, "a person has an answer, and batch \(batch) is not on the disk", at: now)
    }
    // With the next power cut it would be sent all the same.
    if let back = doomed.intersection(twin.queued.synced).min() {
      ledger.complain(
        .limits, "a person was told that the queue is empty, and \(back) is on the card", at: now)
    }
  }
}
