import Model
import Timebase

/// Old locations (`OldLocations`) in the queue: those that wait stay in the head, or on the disk alone if the head is
/// full, and newer messages pass them; those that are to be dropped leave the queue.
extension Outbox {
  /// A connection has come up, and all messages that it called for are in the queue.
  mutating func lookAtOld(at now: Instant) {
    old.look(at: now)
    dropOld()
    settle()
  }

  /// `isFree`: WiFi or a cable.
  mutating func networkChanged(isFree: Bool, deadlines: inout Deadlines, at now: Instant) {
    wayChanged(deadlines: &deadlines, at: now) { $0.isNetworkFree = isFree }
  }

  /// `isFree`: a time of `backlogTimes` has begun, or is over.
  mutating func timeChanged(isFree: Bool, deadlines: inout Deadlines, at now: Instant) {
    wayChanged(deadlines: &deadlines, at: now) { $0.isTimeFree = isFree }
  }

  private mutating func wayChanged(
    deadlines: inout Deadlines, at now: Instant, _ change: (inout OldLocations) -> Void
  ) {
    let wasFree = old.isWayFree
    change(&old)
    guard old.isWayFree != wasFree else { return }
    if old.policy == .wifi {
      // No connection comes up with a time, nor over HTTP with a network.
      old.look(at: now)
      // The free way may soon be gone again.
      if old.isWayFree { lane.hurry(&deadlines, at: now) }
    }
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

  /// The messages, of those read, that may go; the others are set aside, or dropped.
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

  /// The reason to report about them, once all are known; nil: none.
  mutating func newsOfOld() -> Reason? {
    guard old.policy != .always, isConnected, backlog.isEmpty else { return nil }
    return old.news(waiting: waitingOld)
  }

  // MARK: Questions

  /// Old locations that wait for WiFi, a cable or their time, as far as known.
  var waitingOld: Int {
    guard old.isWaiting else { return 0 }
    return head.count { waits($0) } + (setAside?.old?.count ?? 0)
  }

  /// Whether it is an old location that waits; these take no room in the head from others.
  func waits(_ entry: Entry) -> Bool { !entry.isSent && old.fate(of: entry.message) == .waits }

  /// How many messages of the tail the head has room for, where old locations that wait take none.
  var joinable: Int {
    var room = Self.headLimit - head.count { !waits($0) }
    for (index, entry) in tail.enumerated() where !waits(entry) {
      if room <= 0 { return index }
      room -= 1
    }
    return tail.count
  }

  /// Messages that may still be delivered over the present network.
  var pending: Int { size.count - waitingOld }
}
