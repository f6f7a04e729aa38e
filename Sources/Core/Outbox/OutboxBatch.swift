import Model
import Timebase

/// Locations that leave the queue together (`BatchLane`). In the queue they are messages like all others: only while it
/// is in flight does a batch exist, under the number of its first message.
extension Outbox {
  /// The messages that the one at `index` leaves with, itself first: those of the lane that follow. None: it waits for
  /// others.
  func companions(of index: Int, isDue: Bool) -> [Int] {
    let isRetained = old.asSent(head[index].message).isRetained
    var found: [Int] = []
    var bytes = 0
    for other in index..<head.count where !head[other].isSent {
      let message = head[other].message
      if backlog.isBeforeUnread(message.sequence) { break }
      // An event must not wait, and nothing of the topic overtakes those that do.
      if message.isEvent || overtakes(head[other]) { return found }
      guard isForLane(head[other]) else { continue }
      if isBehindSetAside(message) { return found }
      bytes += message.size
      if old.asSent(message).isRetained != isRetained || bytes > BatchLimits.bytes { return found }
      found.append(other)
      if found.count == BatchLimits.most { return found }
    }
    // Those that are still on the disk, or on their way there, follow.
    return isDue || !backlog.isEmpty || !tail.isEmpty ? found : []
  }

  /// A place that is too large for a batch goes by itself, behind those before it.
  private func overtakes(_ entry: Entry) -> Bool {
    entry.message.topic == memory.placeTopic && !BatchLane.takes(entry.message, topic: memory.placeTopic)
      && old.fate(of: entry.message) != .waits
  }

  /// Messages that wait for others, to leave with them.
  var waitingTogether: Int {
    guard isConnected, lane.isOpen else { return 0 }
    return head.count { !$0.isSent && isForLane($0) }
  }

  /// While anything is held, or suspected of ending connections, each goes by itself: it has to be found.
  func isForLane(_ entry: Entry) -> Bool {
    BatchLane.takes(entry.message, topic: memory.placeTopic) && holds.isQuiet && suspects.isIdle
      && old.fate(of: entry.message) != .waits
  }

  /// The one message that they become.
  mutating func together(_ indices: [Int], packedBy encoder: any ReportEncoder) -> Message {
    let lead = head[indices[0]].message.sequence
    for index in indices {
      head[index].isSent = true
      head[index].lead = lead
    }
    return encoder.batch(of: indices.map { old.asSent(head[$0].message) })
  }

  /// As it is remembered once the broker has it: a place of a batch is retained by the program that takes it apart, and may be
  /// late.
  func asKept(_ entry: Entry) -> Message {
    var message = old.asSent(entry.message)
    guard entry.lead != nil else { return message }
    message.isRetained = false
    return message
  }

  /// The broker has the batch whose first message is at `index`.
  mutating func takeTogether(_ index: Int, at now: Instant) {
    let lead = head[index].message.sequence
    var place = index
    while place < head.count {
      if head[place].lead == lead { take(at: place, isTaken: true, at: now) } else { place += 1 }
    }
  }

  /// The batch is no longer in flight, and not decided. False: it is none.
  mutating func takeApart(_ sequence: UInt64, isTurnedAway: Bool) -> Bool {
    guard let index = index(of: sequence), head[index].lead == sequence else { return false }
    for other in head.indices where head[other].lead == sequence {
      head[other].isSent = false
      head[other].lead = nil
    }
    window.returned()
    record.resend()
    if isTurnedAway { lane.close() }
    return true
  }
}
