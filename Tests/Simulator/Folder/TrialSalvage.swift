import Model

/// What a start has to make of what lies in the folder.
extension StoreTrial {
  /// With what the log says beyond what the tables have.
  func taking(_ batches: [StoreSight.Batch], into contents: inout Contents) {
    for batch in batches { take(self.batches[batch.revision] ?? [], into: &contents) }
  }

  /// Twice does no harm, not even to the numbers of points.
  private func take(_ entries: [Entry], into contents: inout Contents) {
    for entry in entries {
      guard case .history = entry.write else {
        contents.apply([entry.write])
        continue
      }
      let index = contents.points.firstIndex { $0.number >= entry.number } ?? contents.points.count
      if index < contents.points.count, contents.points[index].number == entry.number { continue }
      let last = contents.lastPoint ?? 0
      contents.lastPoint = entry.number - 1
      contents.apply([entry.write])
      contents.points.insert(contents.points.removeLast(), at: index)
      contents.lastPoint = max(last, entry.number)
    }
  }

  /// Nothing is wrong with the tables, and the log has what they have not.
  func sound(_ base: Contents, at checkpointed: UInt32, quarantined: Int) -> Expectation {
    let log = StoreSight.batches(in: folder.bytes("store.log"))
    var rest = StoreSight.cycle(log, after: checkpointed)
    var newest = max(log.map(\.revision).max() ?? 0, checkpointed)
    if let last = rest.last, !last.isWhole {
      // Nobody was told of it.
      rest.removeLast()
      newest = last.revision - 1
    }
    var contents = base
    taking(rest, into: &contents)
    return Expectation(contents: contents, revision: newest, quarantined: quarantined)
  }

  /// The tables are no store any more: what stands for itself in their pages has to be in the new ones, and nothing
  /// else.
  func salvaged() -> Expectation {
    let tables = folder.bytes("store.sqlite")
    let records = StoreSight.records(in: tables)
    let counters = StoreSight.counters(in: tables, records)
    let log = StoreSight.batches(in: folder.bytes("store.log"))
    let logFirst = log.max { $0.revision < $1.revision }?.first ?? 0
    let first = max(logFirst, counters?.first ?? 0)
    var base = Contents()
    base.isOrderKnown = false
    gatherMessages(records, from: first, into: &base)
    gatherPoints(records, into: &base)
    gatherState(records, into: &base)
    base.state.lastSequence = max(counters?.last ?? 0, base.messages.last?.sequence ?? 0)
    base.lastPoint = max(counters?.lastPoint ?? 0, base.points.last?.number ?? 0)

    if let counters, let before = past[counters.revision] { tellReturned(base, before) }
    let found = base.messages.count
    let lost = max(0, (counters?.queued ?? found) - found)
    let regions = base.state.regions.count
    var expected = sound(
      base, at: counters?.revision ?? 0, quarantined: (counters?.quarantined ?? 0) + lost)
    damagedStores += 1
    let aside = "store.damaged-\(damagedStores)"
    let bytes = (1...damagedStores).reduce(0) {
      $0 + ($1 == damagedStores ? tables.count : folder.size("store.damaged-\($1)"))
    }
    expected.notices = [
      "; it was set aside as \(folder.at(aside)) and a new one begun with \(found)"
        + "\(counters.map { " of \($0.queued)" } ?? "") messages and \(regions) regions saved; "
        + "\(damagedStores) set aside so far, \(bytes / 1024) kB"
    ]
    if expected.revision < records.map(\.revision).max() ?? 0 { isLost = true }
    return expected
  }

  /// What was removed and lies on a page that was freed, or in what is free of a page, may come back.
  private func tellReturned(_ base: Contents, _ before: Contents) {
    let (messages, points) = (Set(before.messages.map(\.sequence)), Set(before.points.map(\.number)))
    let regions = Set(before.state.regions.map(\.region.rid))
    let back =
      base.messages.map(\.sequence).filter { !messages.contains($0) }.map { "message \($0)" }
      + base.points.map(\.number).filter { !points.contains($0) }.map { "point \($0)" }
      + base.state.regions.map(\.region.rid).filter { !regions.contains($0) }
    if !back.isEmpty { tell("back again: \(back.joined(separator: " and "))") }
  }

  // MARK: Records

  private func gatherMessages(_ records: [StoreSight.Record], from first: UInt64, into base: inout Contents) {
    var found: [UInt64: Message] = [:]
    for record in records where record.kind == 1 {
      guard let message = message(record.number, of: record.revision) else {
        lie("message \(record.number) of batch \(record.revision) was never written")
        continue
      }
      found[record.number] = message
    }
    let long = past.values.flatMap(\.messages).filter { $0.size > 3900 && found[$0.sequence] == nil }
    for sequence in OtherProgram.whole(
      Set(long.map(\.sequence)).sorted(), in: folder.at("store.sqlite"))
    {
      found[sequence] = long.first { $0.sequence == sequence }
    }
    base.messages = found.values.filter { $0.sequence >= first }.sorted { $0.sequence < $1.sequence }
  }

  private func message(_ sequence: UInt64, of revision: UInt32) -> Message? {
    for entry in batches[revision] ?? [] {
      if case .insert(let message) = entry.write, message.sequence == sequence { return message }
    }
    return nil
  }

  private func gatherPoints(_ records: [StoreSight.Record], into base: inout Contents) {
    let found = records.filter { $0.kind == 8 }.sorted { $0.number < $1.number }
    for record in found where base.points.last?.number != Int64(record.number) {
      let number = Int64(record.number)
      guard let entry = batches[record.revision]?.first(where: { $0.number == number && $0.write.isPoint })
      else {
        lie("point \(number) of batch \(record.revision) was never written")
        continue
      }
      take([entry], into: &base)
    }
  }

  /// Of two about the same thing the newer counts, and of two of one batch the one that is met first.
  private func gatherState(_ records: [StoreSight.Record], into base: inout Contents) {
    var newest: [String: StoreSight.Record] = [:]
    for record in records where ![1, 2, 4, 8, 9, 12, 64].contains(record.kind) {
      let key = "\(record.kind) \(record.rid)"
      if newest[key].map({ $0.revision < record.revision }) ?? true { newest[key] = record }
      // Which of them is meant cannot be told from the outside.
      if let known = newest[key], known.revision == record.revision, known.sum != record.sum { isLost = true }
    }
    for record in newest.values where record.revision > 0 {
      let entries = batches[record.revision] ?? []
      guard let entry = entries.last(where: { $0.write.kind == record.kind && $0.write.rid == record.rid })
      else {
        lie("a record of kind \(record.kind) of batch \(record.revision) was never written")
        continue
      }
      base.apply([entry.write])
    }
  }
}

extension StoreWrite {
  fileprivate var isPoint: Bool { if case .history = self { true } else { false } }

  fileprivate var rid: String { if case .region(let region, _) = self { region.rid } else { "" } }

  /// The number of a record on the disk that says it; nil: none stays there.
  fileprivate var kind: UInt8? {
    switch self {
    case .region: 3
    case .mode: 5
    case .position: 6
    case .reference: 7
    case .tag: 10
    case .dropped: 11
    case .imported: 13
    case .remoteSettings: 14
    case .commandsSeen: 15
    case .journey: 32
    case .clientIDForm: 40
    case .entered: 48
    case .announced: 56
    case .volume: 72
    case .sleep: 80
    case .batterySteps: 88
    case .insert, .remove, .removeRange, .regionRemoved, .history, .pruneHistory, .removePoints: nil
    }
  }
}
