import Model
import Timebase

/// Messages of a topic that the broker takes nothing on for now (`HeldTopics`) must not fill the head: what
/// may go would not be loaded any more. All but the first few of them give up their place and wait on the
/// disk alone, until their topic is open again.
///
///       head    ask ask ─ ─ ─ ─ ready ready      ─ set aside: on the disk, before `loadedThrough`
extension Outbox {
  /// Messages of a held topic that stay in the head and ask for it in turn, beside those that are resting.
  static let askers = 8

  struct Aside {
    var count = 0
    /// The oldest of each topic.
    var first: [String: UInt64] = [:]
  }

  /// For a head that is full.
  mutating func setAside(at now: Instant) {
    guard !holds.isEmpty else { return }
    var places: [String: Int] = [:]
    var stay: [Entry] = []
    for entry in head {
      let message = entry.message
      if entry.mayLeave, holds.isHeld(message.topic), !holds.isResting(message.sequence, at: now) {
        places[message.topic, default: 0] += 1
        if places[message.topic, default: 0] > Self.askers {
          giveUp(message)
          continue
        }
      }
      stay.append(entry)
    }
    guard stay.count < head.count else { return }
    head = stay
    settle()
  }

  private mutating func giveUp(_ message: Message) {
    // One that kept its place in `takeBack` is still to be read from there.
    if message.sequence > loadedThrough {
      unloaded += 1
      return
    }
    var aside = aside ?? Aside()
    aside.count += 1
    aside.first[message.topic] = min(aside.first[message.topic] ?? .max, message.sequence)
    self.aside = aside
  }

  /// Older ones of its topic are set aside: it must not overtake them.
  func isBehindAside(_ message: Message) -> Bool {
    if let first = aside?.first[message.topic] { first < message.sequence } else { false }
  }

  /// A topic is open again, or all have to be seen: what was set aside, and what was loaded after it, is read
  /// once more, so that the order of each topic stays. What is under way, or not on the disk, keeps its place.
  mutating func takeBack() {
    guard let aside, let first = aside.first.values.min() else { return }
    let before = head.count
    head.removeAll { $0.message.sequence >= first && $0.mayLeave }
    unloaded += before - head.count + aside.count
    loadedThrough = first - 1
    self.aside = nil
    forgetPage()
    settle()
  }

  /// The page under way begins behind what the head ended with when it was asked for.
  mutating func forgetPage() {
    if isLoading { stalePages += 1 }
    isLoading = false
  }

  /// In their order: what kept its place may be newer than what is read once more.
  mutating func join(_ entries: some Collection<Entry>) {
    guard let first = entries.first else { return }
    let isBehind = (head.last?.message.sequence ?? 0) < first.message.sequence
    head.append(contentsOf: entries)
    if !isBehind { head.sort { $0.message.sequence < $1.message.sequence } }
  }
}
