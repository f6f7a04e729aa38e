import OwnTracks

/// The queue of the tracker, for people.
enum QueueText {
  static func text(_ queue: JSON) -> String {
    var table = Table()
    table.add("Waiting:", summary(queue))
    table.add("In flight:", "\(Readable.value(queue["inFlight"])) of \(Readable.value(queue["window"]))")
    if let oldest = queue["oldest"]?.double { table.add("Oldest:", Readable.time(oldest)) }
    if let confirmed = confirmed(queue) { table.add("Confirmed:", confirmed) }
    for (title, key) in [("Dropped:", "dropped"), ("Sent again:", "resent"), ("Refused:", "refused")] {
      if let count = queue[key]?.int, count > 0 { table.add(title, String(count)) }
    }
    if let held = held(queue) { table.add("Held:", held) }
    if let passedBy = passedBy(queue) { table.add("Passed by:", passedBy) }
    if let old = old(queue) { table.add("Backlog:", old) }
    if queue["storeFailing"]?.flag == true {
      table.add("Store:", "writing fails; what comes now waits in memory")
    }
    return table.text
  }

  /// What the broker has no right or room for; nil: there is nothing of the kind.
  static func held(_ queue: JSON) -> String? { held(on: queue["held"]?.elements ?? []) }

  static func held(on topics: [JSON]) -> String? {
    guard !topics.isEmpty else { return nil }
    return "\(Readable.few(topics)): nothing is taken there for now; it is asked again by itself"
  }

  /// Messages that the broker does not take while it takes others; nil: there are none.
  static func passedBy(_ queue: JSON) -> String? {
    guard let topics = queue["passedBy"]?.elements, !topics.isEmpty else { return nil }
    let names = Set(topics.compactMap(\.text)).sorted().map { JSON.string($0) }
    return "\(Readable.count(topics.count, "message")) on \(Readable.few(names)): not taken by the broker, "
      + "which takes others there; tried again by itself"
  }

  /// What the key `backlog` keeps from being sent; nil: nothing.
  static func old(_ queue: JSON) -> String? {
    if let count = queue["waitsForWifi"]?.int, count > 0 {
      return "\(Readable.count(count, "old location")) waiting for WiFi or a cable (backlog)"
    }
    guard let count = queue["notSent"]?.int, count > 0 else { return nil }
    return "\(Readable.count(count, "old location")) not sent since the start (backlog)"
  }

  /// When the server last did; nil: not since the start.
  static func confirmed(_ queue: JSON) -> String? {
    queue["lastConfirmed"]?.double.map { "the last message \(Readable.span($0)) ago" }
  }

  /// `12 messages (4096 bytes)`.
  static func summary(_ queue: JSON) -> String {
    let count = queue["count"]?.int ?? 0
    guard count > 0 else { return "nothing" }
    let size = queue["bytes"]?.int.map { " (\(Readable.bytes($0)))" } ?? ""
    return Readable.count(count, "message") + size
  }
}
