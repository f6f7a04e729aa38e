import Model
import Storage

/// What the store has to hold, reckoned from what was written and from nothing that the store says. Kept by the world,
/// from one process to the next.
final class StoreTwin {
  /// Everything in a store.
  struct Contents {
    /// The counts in it stay as they are: they are made from what follows.
    var state = Snapshot()
    /// By sequence.
    var messages: [Message] = []
    var points: [HistoryPoint] = []
    /// Its number; nil: not known any more.
    var lastPoint: Int64? = 0
    /// A region whose row was hit keeps its place in the order though nobody sees it.
    var isOrderKnown = true
  }

  /// Of so many it is looked which of them a power cut has left.
  private static let mostOpen = 7

  /// With everything that the process has written.
  private var contents = Contents()
  /// What was synced, which no power cut takes, and the batches since.
  private var certain = Contents()
  private var unsynced: [[StoreWrite]] = []
  /// It went wrong: all of it may be on the card, or nothing.
  private var failed: [StoreWrite]?
  private var isPowerCut = false
  /// A write went wrong, or the card changed by itself: what it holds now is read back and believed.
  private(set) var isInDoubt = false
  private var lies: [String] = []

  func takeLies() -> [String] {
    defer { lies = [] }
    return lies
  }

  // MARK: What happens

  func doubt() { isInDoubt = true }
  func powerCut() { isPowerCut = true }

  /// The process asks no more, or asks again: what is on the card is known when it is read.
  func failed(_ writes: [StoreWrite]) {
    if failed != nil { doubt() }
    failed = writes
  }

  /// All of it is on the card.
  func applied(_ writes: [StoreWrite]) {
    if failed != nil { doubt() }
    guard !isInDoubt else { return }
    // Which ones go is said by their numbers.
    if contents.lastPoint == nil, writes.contains(where: \.isOfPoints) { return doubt() }
    contents.apply(writes)
    unsynced.append(writes)
    if !writes.allSatisfy(Self.mayWait) {
      for writes in unsynced { certain.apply(writes) }
      unsynced = []
    }
  }

  /// A process has opened it.
  func opened(_ file: StoreFile, _ snapshot: Snapshot) {
    defer { isPowerCut = false }
    if isInDoubt { return believe(file, snapshot) }
    // Counts alone may be those of several moments.
    guard let messages = try? Self.messages(in: file) else { return doubt() }
    if contents.fits(snapshot, messages, with: []) != nil { return settle(on: contents) }
    let lie =
      contents.lie(in: snapshot)
      ?? "queue: \(messages.map(\.sequence)) of \(contents.messages.map(\.sequence))"
    if let found = isPowerCut
      ? left(with: snapshot, messages) : failed.flatMap({ contents.fits(snapshot, messages, with: [$0]) })
    {
      return settle(on: found)
    }
    if !isLossUnclear { lies.append("a start finds another \(lie)") }
    believe(file, snapshot)
  }

  /// Of what is not synced a power cut takes any batch, the one under way among them.
  private func left(with snapshot: Snapshot, _ messages: [Message]) -> Contents? {
    let open = unsynced + (failed.map { [$0] } ?? [])
    guard !isLossUnclear else { return nil }
    for choice in 0..<(1 << open.count) {
      let kept = open.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
      if let found = certain.fits(snapshot, messages, with: kept) { return found }
    }
    return nil
  }

  private var isLossUnclear: Bool { isPowerCut && unsynced.count > Self.mostOpen }

  /// Nobody waits for it: it is not synced by itself.
  private static func mayWait(_ write: StoreWrite) -> Bool {
    switch write {
    case .remove, .position, .reference: true
    case .pruneHistory(let keep, _): keep != 0
    default: false
    }
  }

  private func settle(on left: Contents) {
    (contents, certain, unsynced, failed) = (left, left, [], nil)
  }

  private func believe(_ file: StoreFile, _ snapshot: Snapshot) {
    var found = Contents()
    found.state = snapshot
    do throws(StoreError) {
      found.messages = try Self.messages(in: file)
      found.points = try Self.points(in: file)
    } catch { return doubt() }
    // A row that a flipped bit has hit is counted, and cannot be read.
    guard found.messages.count == snapshot.queued, found.points.count == snapshot.historyCount else {
      return doubt()
    }
    // The number of a last one that is gone is the store's own.
    found.lastPoint = nil
    found.isOrderKnown = false
    isInDoubt = false
    settle(on: found)
  }

  /// What is in the queue, and what a power cut leaves in it for certain; none where that is not known.
  var queued: (now: Set<UInt64>, synced: Set<UInt64>) {
    if isInDoubt || failed != nil { return ([], []) }
    return (Set(contents.messages.map(\.sequence)), Set(certain.messages.map(\.sequence)))
  }

  // MARK: What the store answers

  func loaded(_ page: [Message], after sequence: UInt64, limit: Int) {
    guard !isInDoubt, failed == nil else { return }
    let expected = contents.messages(after: sequence, limit: limit)
    if !page.elementsEqual(expected) {
      lies.append("\(page.map(\.sequence)) are read after \(sequence), not \(expected.map(\.sequence))")
    }
  }

  func indexed(_ page: [QueueEntry], after sequence: UInt64, limit: Int) {
    guard !isInDoubt, failed == nil else { return }
    let expected = contents.messages(after: sequence, limit: limit).map {
      QueueEntry(sequence: $0.sequence, time: $0.time, isEvent: $0.isEvent, size: $0.size)
    }
    if page != expected {
      let wrong = zip(page, expected).first { $0 != $1 }
      lies.append(
        "the index after \(sequence): \(page.count) of \(expected.count), \(wrong.map { "\($0)" } ?? "")")
    }
  }

  /// After an order that went well.
  func counted(_ points: Int) {
    guard !isInDoubt, failed == nil, points != contents.points.count else { return }
    lies.append("\(points) points, not \(contents.points.count)")
  }

  /// At the end of the world.
  func compare(with file: StoreFile) {
    guard !isInDoubt, let points = try? Self.points(in: file) else { return }
    let isSame =
      contents.lastPoint == nil
      ? points.map(\.report) == contents.points.map(\.report) : points == contents.points
    if !isSame {
      lies.append("the history is another: \(points.count) points, \(contents.points.count) were written")
    }
  }

  /// As the tracker reads them: page by page, and a page that is not full is the last.
  static func messages(in file: StoreFile, by limit: Int = 256) throws(StoreError) -> [Message] {
    var messages: [Message] = []
    while true {
      let page = try file.load(after: messages.last?.sequence ?? 0, limit: limit)
      // Told twice it is wrong, and told without end nobody would know.
      let isNew = page.first.map { $0.sequence > messages.last?.sequence ?? 0 } ?? true
      messages += page
      if page.count < limit || !isNew { return messages }
    }
  }

  static func points(in file: StoreFile) throws(StoreError) -> [HistoryPoint] {
    var (points, query): ([HistoryPoint], HistoryQuery) = ([], HistoryQuery())
    query.limit = 40
    while case let page = try file.history(query), let last = page.last {
      let isNew = page[0].number > query.after
      points += page
      guard isNew else { break }
      query.after = last.number
    }
    return points
  }
}

extension StoreWrite {
  fileprivate var isOfPoints: Bool { if case .removePoints = self { true } else { false } }
}

extension StoreTwin.Contents {
  private func index(after sequence: UInt64) -> Int {
    var (low, high) = (0, messages.count)
    while low < high {
      let middle = (low + high) / 2
      if messages[middle].sequence > sequence { high = middle } else { low = middle + 1 }
    }
    return low
  }

  fileprivate func messages(after sequence: UInt64, limit: Int) -> ArraySlice<Message> {
    messages[index(after: sequence)...].prefix(limit)
  }

  mutating func apply(_ writes: [StoreWrite]) { for write in writes { apply(write) } }

  private mutating func apply(_ write: StoreWrite) {
    switch write {
    case .insert(let message): insert(message)
    case .remove(let sequences): for sequence in sequences { remove(sequence - 1, sequence) }
    case .removeRange(let after, let through): remove(after, through)
    case .region(let region, let presence): put(.init(region: region, presence: presence))
    case .regionRemoved(let rid): state.regions.removeAll { $0.region.rid == rid }
    case .mode(let mode): state.mode = mode
    case .position(let fix): state.position = fix
    case .reference(let fix): state.reference = fix
    case .history(let report):
      lastPoint = lastPoint.map { $0 + 1 }
      points.append(.init(number: lastPoint ?? 0, report: Self.stored(report)))
    case .pruneHistory(let keep, let since): prune(keep, since)
    case .removePoints(let part):
      points.removeAll { part.numbers.contains($0.number) && part.times.contains($0.report.time.seconds) }
    case .tag(let tag): state.tag = tag
    case .imported(let digest): state.imported = digest
    case .remoteSettings(let settings): state.remote = settings
    case .commandsSeen(let seen): state.commandsSeen = seen
    case .clientIDForm(let form): state.clientIDForm = form
    case .journey(let journey): state.journey = journey
    case .entered(let regions): state.entered = regions.map(Self.stored)
    case .announced(let topics): state.announced = topics
    case .volume(let volume): state.volume = volume
    case .sleep(let sleep): state.sleep = sleep
    case .batterySteps(let steps): state.batterySteps = steps
    case .dropped(let count): state.dropped = count
    }
  }

  /// The odometer, the vehicle's words, the channel of a WiFi and a picture are not kept.
  static func stored(_ report: LocationReport) -> LocationReport {
    var network = report.network
    if case .wifi(let ssid, let bssid, _) = network { network = .wifi(ssid: ssid, bssid: bssid) }
    return LocationReport(
      fix: report.fix, time: report.time, created: report.created, trigger: report.trigger, mode: report.mode,
      battery: report.battery, network: network, pressure: report.pressure, inside: report.inside,
      poi: report.poi, tag: report.tag)
  }

  private static func stored(_ entered: EnteredRegion) -> EnteredRegion {
    let region = entered.region
    return EnteredRegion(
      region: Region(
        rid: region.rid, name: region.name, coordinate: region.coordinate, radius: region.radius,
        beacon: region.beacon, created: region.created, isPrivate: region.isPrivate),
      isChanged: entered.isChanged)
  }

  /// With these as well; nil: something else is there.
  fileprivate func fits(_ snapshot: Snapshot, _ messages: [Message], with more: [[StoreWrite]]) -> Self? {
    var other = self
    for writes in more { other.apply(writes) }
    return other.lie(in: snapshot) == nil && other.messages == messages ? other : nil
  }

  private mutating func insert(_ message: Message) {
    let index = index(after: message.sequence)
    if index > 0, messages[index - 1].sequence == message.sequence { return }
    messages.insert(message, at: index)
    state.lastSequence = max(state.lastSequence, message.sequence)
  }

  private mutating func remove(_ after: UInt64, _ through: UInt64) {
    guard after < through else { return }
    messages.removeSubrange(index(after: after)..<index(after: through))
  }

  private mutating func put(_ known: Snapshot.KnownRegion) {
    if let index = state.regions.firstIndex(where: { $0.region.rid == known.region.rid }) {
      state.regions[index] = known
    } else {
      state.regions.append(known)
    }
  }

  private mutating func prune(_ keep: Int?, _ since: Double?) {
    if let keep, points.count > keep { points.removeFirst(points.count - max(0, keep)) }
    if let since { points.removeFirst(points.prefix { $0.report.time.seconds < since }.count) }
  }

  /// What does not agree, in a word; nil: all does.
  func lie(in other: Snapshot) -> String? {
    var (mine, other) = (state, other)
    if !isOrderKnown {
      mine.regions.sort { $0.region.rid < $1.region.rid }
      other.regions.sort { $0.region.rid < $1.region.rid }
    }
    mine.queued = messages.count
    mine.queuedBytes = messages.reduce(0) { $0 + $1.size }
    mine.firstSequence = messages.first?.sequence ?? 0
    mine.historyCount = points.count
    if mine == other { return nil }
    let words: [(String, Bool)] = [
      ("regions: \(other.regions), not \(mine.regions)", mine.regions == other.regions),
      ("mode", mine.mode == other.mode), ("position", mine.position == other.position),
      ("reference", mine.reference == other.reference), ("tag", mine.tag == other.tag),
      ("import", mine.imported == other.imported), ("settings", mine.remote == other.remote),
      ("commands", mine.commandsSeen == other.commandsSeen),
      ("client id", mine.clientIDForm == other.clientIDForm),
      ("journey: \(other.journey), not \(mine.journey)", mine.journey == other.journey),
      ("list of entered regions", mine.entered == other.entered),
      ("volume", mine.volume == other.volume), ("sleep", mine.sleep == other.sleep),
      ("battery steps", mine.batterySteps == other.batterySteps),
      ("list of topics", mine.announced == other.announced),
      ("count of dropped messages: \(other.dropped), not \(mine.dropped)", mine.dropped == other.dropped),
      ("queue: \(other.queued), not \(mine.queued)", mine.queued == other.queued),
      (
        "bytes of the queue: \(other.queuedBytes), not \(mine.queuedBytes)",
        mine.queuedBytes == other.queuedBytes
      ),
      (
        "first message: \(other.firstSequence), not \(mine.firstSequence)",
        mine.firstSequence == other.firstSequence
      ),
      (
        "last message: \(other.lastSequence), not \(mine.lastSequence)",
        mine.lastSequence == other.lastSequence
      ),
    ]
    return words.first { !$0.1 }?.0 ?? "history: \(other.historyCount) points, not \(mine.historyCount)"
  }
}
