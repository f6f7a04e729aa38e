import Model

/// The invariants of the outbox. Debug builds check them after each event, and so does the simulator.
extension Outbox {
  /// First violated invariant, or nil.
  var inconsistency: String? {
    if let wrong = Self.disorder(head, "head") ?? Self.disorder(tail, "tail") { return wrong }
    if let last = head.last?.message.sequence, let first = tail.first?.message.sequence,
      last >= first
    {
      return "the head ends with \(last), behind the tail's first \(first)"
    }
    let sent = head.count { $0.isSent && !$0.isFollower }
    if sent != window.inFlight { return "\(window.inFlight) in flight, \(sent) of the head are" }
    if head.contains(where: { $0.lead != nil && !$0.isSent }) {
      return "a message of a batch is not in flight"
    }
    let led = head.compactMap(\.lead)
    if led.contains(where: { index(of: $0) == nil }) { return "a batch without its first message" }
    if tail.contains(where: \.isSent) { return "a message of the tail is in flight" }
    let inMemory = head.count + tail.count
    let (unloaded, setAsideCount) = (backlog.unloaded, setAside?.count ?? 0)
    if unloaded < 0 || size.count != inMemory + unloaded + setAsideCount {
      return
        "\(size.count) messages, but \(inMemory) in memory, \(unloaded) unloaded, \(setAsideCount) set aside"
    }
    let bytes = (head + tail).reduce(0) { $0 + $1.message.size }
    if size.bytes < bytes { return "\(size.bytes) bytes, but \(bytes) in memory alone" }
    let absent = (head + tail).filter { $0.disk == .absent }
    let events = absent.count { $0.message.isEvent }
    if unwritten.count != absent.count || unwritten.events != events {
      return "\(unwritten.count) unwritten, \(unwritten.events) events; but \(absent.count) and \(events) are"
    }
    if let last = (head + tail).map(\.message.sequence).max(), last >= nextSequence {
      return "message \(last), though the next is \(nextSequence)"
    }
    return nil
  }

  private static func disorder(_ entries: [Entry], _ name: String) -> String? {
    for (one, next) in zip(entries, entries.dropFirst()) where one.message.sequence >= next.message.sequence {
      return "\(name): \(next.message.sequence) behind \(one.message.sequence)"
    }
    return nil
  }
}
