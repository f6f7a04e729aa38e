import Model

/// Reading the store back.
extension StoreFile {
  /// Everything but the messages and the history.
  public func snapshot() throws(StoreError) -> Snapshot {
    try repairing { (tables) throws(StoreError) in
      var snapshot = Snapshot()
      try tables.records("SELECT record FROM region ORDER BY id", from: "region") { record in
        if let known = record.knownRegion { snapshot.regions.append(known) }
      }
      snapshot.mode = try tables.state(.mode)?.modeState
      snapshot.position = try tables.state(.position)?.fix
      snapshot.reference = try tables.state(.reference)?.fix
      snapshot.tag = try tables.state(.tag)?.tag
      snapshot.imported = try tables.state(.imported)?.tag
      snapshot.remote = try tables.state(.remoteSettings)?.remoteSettings ?? RemoteSettings()
      snapshot.commandsSeen = try tables.state(.commandsSeen)?.commandsSeen ?? []
      snapshot.clientIDForm = try tables.state(.clientIDForm)?.clientIDForm ?? .unsaid
      // A store that begins now has nothing in it; one of an earlier version does not know.
      snapshot.entered = try tables.state(.entered)?.entered
      snapshot.announced = try tables.state(.announced)?.announced ?? []
      snapshot.journey = try tables.state(.journey)?.journey ?? JourneyState()
      snapshot.volume = try tables.state(.volume)?.volume ?? DataVolume()
      snapshot.sleep = try tables.state(.sleep)?.sleep
      snapshot.batterySteps = try tables.state(.batterySteps)?.batterySteps ?? BatterySteps()
      snapshot.dropped = try tables.state(.dropped)?.dropped ?? 0
      try tables.refreshFirst()
      snapshot.queued = tables.counters.queued
      snapshot.queuedBytes = tables.counters.queuedBytes
      snapshot.firstSequence = tables.counters.queued == 0 ? 0 : tables.counters.firstSequence
      snapshot.lastSequence = tables.counters.lastSequence
      snapshot.historyCount = tables.counters.historyCount
      return snapshot
    }
  }

  /// The messages after a sequence number, oldest first: at most `limit`, and as many as fit `maxBytes`
  /// (but at least one). A damaged one is put in quarantine and left out.
  public func load(
    after sequence: UInt64, limit: Int, maxBytes: Int = .max
  ) throws(StoreError) -> [Message] {
    try repairing { (tables) throws(StoreError) in
      var messages: [Message] = []
      var damaged: [(key: UInt64, bytes: [UInt8])] = []
      var bytes = 0
      var after = sequence
      while messages.count < limit {
        var seen = 0
        try tables.messages(after: after, limit: limit - messages.count) { key, record in
          seen += 1
          after = key
          guard let message = StoreRecord(checking: record)?.message, message.sequence == key else {
            damaged.append((key, record))
            return true
          }
          bytes += message.size
          if messages.isEmpty || bytes <= maxBytes { messages.append(message) }
          return bytes <= maxBytes
        }
        // Damaged rows are made up for: a short page is taken for the end of the queue.
        if seen == 0 || bytes > maxBytes || damaged.isEmpty { break }
      }
      for row in damaged {
        try tables.quarantine(row.bytes, from: "message \(row.key)")
        try tables.remove(row.key...row.key)
      }
      // The outbox would believe the disk, and forget them.
      if sequence == 0, messages.isEmpty, tables.counters.queued > 0 {
        throw .damaged(path: paths.tables, cause: "\(tables.counters.queued) messages cannot be found")
      }
      return messages
    }
  }

  /// Index entries for thinning: the messages after a sequence number, oldest first.
  public func index(after sequence: UInt64, limit: Int) throws(StoreError) -> [QueueEntry] {
    try repairing { (tables) throws(StoreError) in try tables.heads(after: sequence, limit: limit) }
  }

  /// The newest `limit` published locations, oldest first; all when nil.
  public func history(limit: Int? = nil) throws(StoreError) -> [LocationReport] {
    let newest = limit.map { " ORDER BY id DESC LIMIT \(max(0, $0))" } ?? ""
    return try points("SELECT record FROM (SELECT id,record FROM history\(newest)) ORDER BY id")
  }

  /// The published locations with a time of at least `time` (Unix seconds), oldest first.
  public func history(since: Double) throws(StoreError) -> [LocationReport] {
    try points("SELECT record FROM history ORDER BY id").filter { $0.time.seconds >= since }
  }

  /// A page of the published locations, oldest first, each with its number.
  public func history(_ query: HistoryQuery) throws(StoreError) -> [HistoryPoint] {
    let bounds =
      (query.from.map { " AND time>=\($0)" } ?? "") + (query.to.map { " AND time<=\($0)" } ?? "")
    return try repairing { (tables) throws(StoreError) in
      var points: [HistoryPoint] = []
      let order = query.isFromEnd ? "ORDER BY id DESC" : "ORDER BY id"
      try tables.records(
        "SELECT record FROM history WHERE id>\(query.after)\(bounds) \(order) LIMIT \(max(0, query.limit))",
        from: "history"
      ) { record in
        if let point = record.historyPoint { points.append(.init(number: point.id, report: point.report)) }
      }
      return query.isFromEnd ? points.reversed() : points
    }
  }

  private func points(_ sql: String) throws(StoreError) -> [LocationReport] {
    try repairing { (tables) throws(StoreError) in
      var points: [LocationReport] = []
      try tables.records(sql, from: "history") { record in
        if let point = record.historyPoint { points.append(point.report) }
      }
      return points
    }
  }
}
