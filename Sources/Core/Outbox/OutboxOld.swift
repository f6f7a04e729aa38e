import Model
import Timebase

/// Old locations (`OldLocations`) in the queue: those that wait stay in the head, or on the disk alone where the head is
/// full, and what is newer passes them; those that nobody wants leave the queue.
extension Outbox {
  /// A connection has come up, and everything that was to be told of it is in the queue.
  mutating func lookAtOld(at now: Instant) {
    old.look(at: now)
    dropOld()
    settle()
  }

  /// `isFree`: WiFi or a cable.
  mutating func wayChanged(isFree: Bool, at now: Instant) {
    guard isFree != old.isWayFree else { return }
    old.isWayFree = isFree
    // Over HTTP no connection comes up with it.
    if old.policy == .wifi { old.look(at: now) }
    settle()
  }

  mutating func keepOld(_ policy: Configuration.Backlog, at now: Instant) {
    guard policy != old.policy else { return }
    old.policy = policy
    if isConnected { lookAtOld(at: now) }
  }

  private mutating func dropOld() {
    guard old.policy == .never else { return }
    let doomed = (head + tail).filter { !$0.isSent && old.fate(of: $0.message) == .isDropped }
    guard !doomed.isEmpty else { return }
    discard(Set(doomed.map(\.message.sequence)))
    old.drop(doomed.count)
  }

  /// What was read and may go; the rest is set aside, or dropped.
  mutating func withoutOld(_ messages: [Message]) -> [Message] {
    guard old.policy != .always else { return messages }
    return messages.filter { message in
      switch old.fate(of: message) {
      case .goes: return true
      case .waits: setOldAside(message)
      case .isDropped:
        size.remove(bytes: message.size)
        writes.remove([message.sequence])
        old.drop(1)
      }
      return false
    }
  }

  /// What is said of them, once all are known.
  mutating func newsOfOld() -> Reason? {
    guard old.policy != .always, isConnected, backlog.isEmpty else { return nil }
    return old.news(waiting: waitingOld)
  }

  // MARK: Questions

  /// Those that wait for another way out, as far as they are known.
  var waitingOld: Int {
    guard old.isWaiting else { return 0 }
    return head.count { waits($0) } + (setAside?.old?.count ?? 0)
  }

  /// Those that take no room in the head from others.
  func waits(_ entry: Entry) -> Bool { !entry.isSent && old.fate(of: entry.message) == .waits }

  /// How many of the tail the head has room for, where those that wait take none.
  var joinable: Int {
    var room = Self.headLimit - head.count { !waits($0) }
    for (index, entry) in tail.enumerated() where !waits(entry) {
      if room <= 0 { return index }
      room -= 1
    }
    return tail.count
  }

  /// What may still be delivered on this way out.
  var pending: Int { size.count - waitingOld }
}
