import Model

/// Which publish a message in the queue is: publishes are counted as they are created, messages get
/// their sequence later.
struct DeliveryLedger {
  private struct Content: Hashable {
    var topic: String
    var payload: [UInt8]
  }

  private var count = 0
  private var numbers: [UInt64: Int] = [:]
  /// Oldest first; equal messages keep their order.
  private var unplaced: [Content: [Int]] = [:]

  mutating func created(_ message: Message) {
    count += 1
    unplaced[Content(topic: message.topic, payload: message.payload), default: []].append(count)
  }

  /// A message was seen with its sequence.
  mutating func note(_ message: Message) {
    guard numbers[message.sequence] == nil else { return }
    let content = Content(topic: message.topic, payload: message.payload)
    guard var waiting = unplaced[content], !waiting.isEmpty else { return }
    numbers[message.sequence] = waiting.removeFirst()
    unplaced[content] = waiting.isEmpty ? nil : waiting
  }

  /// Its number, once.
  mutating func delivered(_ sequence: UInt64) -> Int? { numbers.removeValue(forKey: sequence) }

  /// After a restart only what was stored is still under way, and sequences may be given anew.
  mutating func forget(keeping sequences: Set<UInt64>) {
    numbers = numbers.filter { sequences.contains($0.key) }
    unplaced = [:]
  }
}
