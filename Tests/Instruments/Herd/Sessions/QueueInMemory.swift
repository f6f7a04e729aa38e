import Model

/// A store that keeps nothing but the queue, and that in memory.
struct QueueInMemory {
  /// In sequence.
  private var queue: [Message] = []

  mutating func apply(_ write: StoreWrite) {
    switch write {
    case .insert(let message):
      let index = queue.lastIndex { $0.sequence < message.sequence }.map { $0 + 1 } ?? 0
      if index < queue.count, queue[index].sequence == message.sequence { return }
      queue.insert(message, at: index)
    case .remove(let sequences): queue.removeAll { sequences.contains($0.sequence) }
    case .removeRange(let after, let through):
      queue.removeAll { $0.sequence > after && $0.sequence <= through }
    case .region, .regionRemoved, .mode, .position, .reference, .history, .pruneHistory, .removePoints, .tag,
      .imported, .remoteSettings, .commandsSeen, .clientIDForm, .journey, .entered, .announced, .volume,
      .dropped:
      break
    }
  }

  func messages(after sequence: UInt64, limit: Int) -> [Message] {
    Array(queue.lazy.filter { $0.sequence > sequence }.prefix(limit))
  }

  func index(after sequence: UInt64, limit: Int) -> [QueueEntry] {
    messages(after: sequence, limit: limit).map {
      QueueEntry(sequence: $0.sequence, time: $0.time, isEvent: $0.isEvent, size: $0.size)
    }
  }
}
