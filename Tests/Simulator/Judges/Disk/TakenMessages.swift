import Timebase

/// What the broker has taken leaves the card soon: nothing of it is sent again after the next power cut.
struct TakenMessages: Judge {
  /// Seconds: removals wait a moment for company, and for the disk.
  private static let soon = 20.0

  private var taken: [UInt64: Instant] = [:]

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .line(.renewed): self = Self()
    case .line(.gathered(let sequences)): for sequence in sequences { taken[sequence] = world.now }
    case .minute: if world.working != nil, world.isSettled { look(world) }
    default: break
    }
  }

  private mutating func look(_ world: World) {
    let due = taken.keys.filter { world.seconds(since: taken[$0]) > Self.soon }
    // They are not looked at again.
    for sequence in due { taken[sequence] = nil }
    guard !due.isEmpty, !world.hasFlipped, let file = world.process.desk?.file,
      let kept = world.asking({ try? StoreTwin.messages(in: file).map(\.sequence) })
    else { return }
    // Of a write that failed nobody knows what the card has.
    let left = Set(due).intersection(kept).filter { world.process.writing.doubtful[$0] == nil }
    if let first = left.min() {
      world.complain(
        .limits, "\(left.count) messages that the broker has taken stay on the card, \(first) for one")
    }
  }
}
