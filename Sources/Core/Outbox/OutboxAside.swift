import Model
import Timebase

/// Messages of a topic that the broker takes nothing on for now (`HeldTopics`) must not fill the head: what
/// may go would not be loaded any more. All but the first of them give up their place and wait on the
/// disk alone, until their topic is open again.
///
///       head    ask ask ─ ─ ─ ─ ready ready      ─ set aside: on the disk, before `loadedThrough`
extension Outbox {
  /// Places in the head for what asks, shared by the topics that are held; those that are resting have others.
  static let askers = 192
  static let betweenReadings = Span.minutes(5)

  struct Aside {
    var count = 0
    /// The oldest of each topic.
    var first: [String: UInt64] = [:]
  }

  /// Most of the head may be resting, or have kept its place beyond what was read: that takes no room.
  func hasRoomForPage(at now: Instant) -> Bool {
    let room = Self.headLimit - Self.pageSize
    if head.count <= room { return true }
    let newest = head.last?.message.sequence ?? 0
    if newest <= backlog.loadedThrough, holds.isQuiet { return false }
    let taken = head.count {
      $0.message.sequence <= backlog.loadedThrough && !holds.isResting($0.message.sequence, at: now)
    }
    return taken <= room
  }

  /// For a head that is full.
  mutating func setAside(at now: Instant) {
    guard !holds.isEmpty else { return }
    let share = max(1, Self.askers / holds.count)
    var places: [String: Int] = [:]
    var stay: [Entry] = []
    for entry in head {
      let message = entry.message
      if entry.mayLeave, holds.isHeld(message.topic), !holds.isResting(message.sequence, at: now) {
        places[message.topic, default: 0] += 1
        if places[message.topic, default: 0] > share {
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
    if message.sequence > backlog.loadedThrough {
      backlog.leave(1)
      return
    }
    // Its topic is held: nothing that was opened before has to do with it.
    if aside == nil { holds.hasOpened = false }
    var aside = aside ?? Aside()
    aside.count += 1
    aside.first[message.topic] = min(aside.first[message.topic] ?? .max, message.sequence)
    self.aside = aside
  }

  /// Older ones of its topic are set aside: it must not overtake them.
  func isBehindAside(_ message: Message) -> Bool {
    if let first = aside?.first[message.topic] { first < message.sequence } else { false }
  }

  /// Reads it once more where that is of use: a topic was opened, or may be asked for and nothing did (all that
  /// stayed to ask are resting, or are gone). Not often: a broker that takes something every few seconds is
  /// not worth reading the whole queue each time. And not from a disk that takes nothing: what is in memory
  /// goes without it.
  mutating func considerTakingBack(isWithoutAskers: Bool, _ deadlines: inout Deadlines, at now: Instant) {
    guard holds.hasOpened || isWithoutAskers, !isStoreFailing else { return }
    if let again = takenBack.map({ $0 + Self.betweenReadings }), now < again {
      deadlines.arm(.askAgain, by: again)
      return
    }
    takenBack = now
    takeBack()
  }

  /// Whether a topic of it may be asked for, and nothing asks.
  func isWithoutAskers(at now: Instant) -> Bool {
    aside?.first.keys.contains { holds.isWaitingForAsker($0, at: now) } ?? false
  }

  func nextQuestion(after now: Instant) -> Instant? {
    let reading = aside == nil ? nil : takenBack.map { $0 + Self.betweenReadings }
    return [holds.next(after: now), reading].compactMap(\.self).filter { $0 > now }.min()
  }

  /// A topic is open again, or all have to be seen: what was set aside, and what was loaded after it, is read
  /// once more, so that the order of each topic stays. What is under way, or not on the disk, keeps its place.
  mutating func takeBack() {
    guard let aside, let first = aside.first.values.min() else { return }
    let before = head.count
    head.removeAll { $0.message.sequence >= first && $0.mayLeave }
    backlog.readAgain(before - head.count + aside.count, from: first)
    self.aside = nil
    settle()
  }

  /// In their order: what kept its place may be newer than what is read once more.
  mutating func join(_ entries: some Collection<Entry>) {
    guard let first = entries.first else { return }
    let isBehind = (head.last?.message.sequence ?? 0) < first.message.sequence
    head.append(contentsOf: entries)
    if !isBehind { head.sort { $0.message.sequence < $1.message.sequence } }
  }
}
