import OwnTracks

/// The queue of the tracker, for people.
enum QueueText {
  static func text(_ queue: StatusRecord.Queue) -> String {
    var table = Table()
    func number(_ count: Int?) -> String { count.map(String.init) ?? "-" }
    table.add("Waiting:", summary(queue))
    table.add("In flight:", "\(number(queue.inFlight)) of \(number(queue.window))")
    if let oldest = queue.oldest { table.add("Oldest:", Readable.time(Double(oldest))) }
    if let confirmed = confirmed(queue) { table.add("Confirmed:", confirmed) }
    let counts = [("Dropped:", queue.dropped), ("Sent again:", queue.resent), ("Refused:", queue.refused)]
    for case (let title, let count?) in counts where count > 0 { table.add(title, String(count)) }
    if let held = held(on: queue.held ?? []) { table.add("Held:", held) }
    if let passedBy = passedBy(queue) { table.add("Passed by:", passedBy) }
    if let old = old(queue) { table.add("Backlog:", old) }
    if queue.storeFailing == true { table.add("Store:", "writing fails; what comes now waits in memory") }
    return table.text
  }

  /// Topics that the broker has no right or room for; nil: there are none.
  static func held(on topics: [String]) -> String? {
    guard !topics.isEmpty else { return nil }
    return "\(Readable.few(topics)): nothing is taken there for now; it is asked again by itself"
  }

  /// Messages that the broker does not take while it takes others; nil: there are none.
  static func passedBy(_ queue: StatusRecord.Queue) -> String? {
    guard let topics = queue.passedBy, !topics.isEmpty else { return nil }
    return
      "\(Readable.count(topics.count, "message")) on \(Readable.few(Set(topics).sorted())): not taken by the broker, "
      + "which takes others there; tried again by itself"
  }

  /// Old locations that the key `backlog` keeps from being sent; nil: none.
  static func old(_ queue: StatusRecord.Queue) -> String? {
    if let count = queue.waitsForWifi, count > 0 {
      return "\(Readable.count(count, "old location")) waiting for WiFi, a cable or their time (backlog)"
    }
    guard let count = queue.notSent, count > 0 else { return nil }
    return "\(Readable.count(count, "old location")) not sent since the start (backlog)"
  }

  /// When the server last did; nil: not since the start.
  static func confirmed(_ queue: StatusRecord.Queue) -> String? {
    queue.lastConfirmed.map { "the last message \(Readable.span(Double($0))) ago" }
  }

  /// `12 messages (4096 bytes)`.
  static func summary(_ queue: StatusRecord.Queue) -> String {
    guard let count = queue.count, count > 0 else { return "nothing" }
    let all = Readable.count(count, "message") + (queue.bytes.map { " (\(Readable.bytes($0)))" } ?? "")
    guard let together = queue.waitsForBatch, together > 0 else { return all }
    return all + "; \(together == count ? "all" : "\(together)") to travel together (batchSeconds)"
  }
}
