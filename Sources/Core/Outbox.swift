import Model
import Timebase

/// What waits, what is under way, and what goes when there is no room.
///
/// What is lost when the queue is full: locations, every other one, oldest first (`Thinning`); events
/// (transitions, waypoints, what a person asked for) never. What is lost in a power cut: automatic
/// locations of the last second; events never, they are on the disk before they are sent.
///
///       oldest ──────────────────────────────────────────────▶ newest
///       head (memory)        disk only           tail (memory)
///       sent │ ready         not loaded          not yet durable
///
/// The head is what may be sent, in order. New messages join the head while nothing lies between;
/// otherwise they wait in the tail until they are durable and then live on the disk alone, so a
/// backlog of a million costs no memory. Only an acknowledgement removes a message.
struct Outbox {
  /// Most messages in the head: two full windows and a page.
  static let headLimit = 512
  /// Most that wait in memory while the disk takes nothing (D-65); 10,000 cost about 4 MB.
  static let memoryLimit = 10_000
  static let pageSize = 256
  static let indexPage = 1024
  static let firstWindow = 20
  /// Automatic locations that were not acknowledged are durable this long after their making.
  static let commitDelay = Span.milliseconds(900)
  static let retryDelay = Span.seconds(10)

  enum Disk: Hashable {
    case absent
    case writing(UInt64)
    case durable
  }

  struct Entry {
    var message: Message
    var disk: Disk
    var isSent = false
  }

  var limit: Int
  var byteLimit: Int
  var windowLimit: Int

  private(set) var head: [Entry] = []
  private(set) var tail: [Entry] = []
  /// Messages on the disk between head and tail.
  private(set) var unloaded: Int
  private var loadedThrough: UInt64
  private var nextSequence: UInt64
  private var isLoading = false
  private var isIndexing = false
  private(set) var count: Int
  private(set) var bytes: Int
  private(set) var inFlight = 0
  private(set) var window = Outbox.firstWindow
  /// What the window may grow to on this connection.
  private var widest = Outbox.firstWindow
  private var isConnected = false

  private var nextBatch: UInt64 = 1
  private var removals: [UInt64] = []
  private var urgent: [StoreWrite] = []
  private var lazy: [StoreWrite] = []
  private var batches: [UInt64: [StoreWrite]] = [:]
  private(set) var isStoreFailing = false
  private var thinning = Thinning()
  /// The queue holds nothing that may go (events only): no use in looking again before something new comes.
  private var isFutile = false
  private(set) var dropped: Int
  private(set) var resent = 0
  private(set) var refusedCount = 0

  init(snapshot: Snapshot, limit: Int, byteLimit: Int, windowLimit: Int) {
    self.limit = limit
    self.byteLimit = byteLimit
    self.windowLimit = windowLimit
    unloaded = snapshot.queued
    count = snapshot.queued
    bytes = snapshot.queuedBytes
    loadedThrough = snapshot.firstSequence == 0 ? 0 : snapshot.firstSequence - 1
    nextSequence = snapshot.lastSequence + 1
    dropped = snapshot.dropped
  }

  // MARK: What comes in

  mutating func enqueue(_ message: Message, deadlines: inout Deadlines, at now: Instant) {
    var message = message
    message.sequence = nextSequence
    nextSequence += 1
    count += 1
    bytes += message.size
    tail.append(Entry(message: message, disk: .absent))
    isFutile = false
    if !message.isEvent { deadlines.arm(.groupCommit, by: now + Self.commitDelay) }
    settle()
  }

  /// State that must be durable with whatever is written next: `isUrgent` writes now.
  mutating func remember(_ write: StoreWrite, isUrgent: Bool) {
    if isUrgent {
      urgent.append(write)
      return
    }
    // Only the newest of each kind is worth writing: an online board may collect for ten minutes.
    lazy.removeAll { Self.isSuperseded($0, by: write) }
    lazy.append(write)
  }

  /// What waited for company goes with the next effects.
  mutating func promoteLazyWrites() {
    urgent = lazy + urgent
    lazy = []
  }

  // MARK: What the broker says

  mutating func connected(receiveMaximum: Int?) {
    isConnected = true
    widest = max(1, min(windowLimit, receiveMaximum ?? windowLimit))
    window = min(Self.firstWindow, widest)
  }

  mutating func disconnected() { isConnected = false }

  mutating func acknowledged(_ sequences: [UInt64], deadlines: inout Deadlines, at now: Instant) {
    for sequence in sequences { take(sequence) }
    window = min(widest, window + sequences.count)
    // Removals wait a moment for company; lost ones only mean an identical message once more.
    if !removals.isEmpty { deadlines.arm(.groupCommit, by: now + .milliseconds(200)) }
    // Everything is delivered: a board that is online is not woken to write nothing.
    if head.isEmpty, tail.isEmpty, removals.isEmpty { deadlines[.groupCommit] = nil }
    settle()
  }

  mutating func refused(_ sequence: UInt64) {
    refusedCount += 1
    take(sequence)
    settle()
  }

  mutating func sendFailed(_ sequence: UInt64) {
    guard let position = position(of: sequence), head[position].isSent else { return }
    head[position].isSent = false
    inFlight -= 1
    resent += 1
  }

  // MARK: What the store says

  mutating func stored(_ batch: UInt64) {
    isStoreFailing = false
    batches[batch] = nil
    for position in head.indices where head[position].disk == .writing(batch) {
      head[position].disk = .durable
    }
    for position in tail.indices where tail[position].disk == .writing(batch) {
      tail[position].disk = .durable
    }
    settle()
  }

  /// Nothing of the batch is on the disk: its state is remembered for the next, its messages wait in memory.
  mutating func storeFailed(_ batch: UInt64, deadlines: inout Deadlines, at now: Instant) {
    isStoreFailing = true
    for write in batches.removeValue(forKey: batch) ?? [] {
      switch write {
      case .insert: break
      case .remove(let sequences): removals.append(contentsOf: sequences)
      default: lazy.append(write)
      }
    }
    for position in head.indices where head[position].disk == .writing(batch) {
      head[position].disk = .absent
    }
    for position in tail.indices where tail[position].disk == .writing(batch) {
      tail[position].disk = .absent
    }
    deadlines.arm(.storeRetry, by: now + Self.retryDelay)
  }

  mutating func loaded(_ messages: [Message]) {
    isLoading = false
    let border = tail.first?.message.sequence ?? .max
    let fresh = messages.filter { $0.sequence > loadedThrough && $0.sequence < border }
    head.append(contentsOf: fresh.map { Entry(message: $0, disk: .durable) })
    if let last = fresh.last { loadedThrough = last.sequence }
    unloaded = max(0, unloaded - fresh.count)
    if messages.count < Self.pageSize, unloaded > 0 {
      // The disk holds less than was counted (a damaged row was set aside): believe the disk.
      count -= unloaded
      unloaded = 0
    }
    settle()
  }

  mutating func indexed(_ page: [QueueEntry]) {
    isIndexing = false
    let border = tail.first?.message.sequence ?? .max
    let usable = page.filter { $0.sequence > loadedThrough && $0.sequence < border }
    let victims = thinning.victims(in: usable, wanted: excess)
    if usable.count < Self.indexPage, victims.count < excess { isFutile = !thinning.restart() }
    let doomed = Set(victims)
    for entry in usable where doomed.contains(entry.sequence) {
      bytes -= entry.size
      count -= 1
      unloaded -= 1
    }
    drop(victims)
  }

  /// A person's explicit wish: forgets everything that is not under way; says how many.
  mutating func clear() -> Int {
    let before = count
    let doomed = head.filter { !$0.isSent } + tail
    removals += doomed.filter { $0.disk != .absent }.map(\.message.sequence)
    head.removeAll { !$0.isSent }
    tail = []
    if unloaded > 0 { urgent.append(.removeRange(after: loadedThrough, through: nextSequence - 1)) }
    (unloaded, isLoading) = (0, false)
    loadedThrough = nextSequence - 1
    count = head.count
    bytes = head.reduce(0) { $0 + $1.message.size }
    return before - count
  }

  // MARK: What goes out

  /// Everything that has become due: writes first, then sends, then reads.
  mutating func effects(deadlines: inout Deadlines, at now: Instant, isStopping: Bool = false) -> [Effect] {
    var effects: [Effect] = []
    thinInMemory()
    if let batch = write(deadlines: &deadlines, at: now, isStopping: isStopping) { effects.append(batch) }
    if isConnected, !isStopping { send(into: &effects) }
    if isConnected, unloaded > 0, !isLoading, head.count <= Self.headLimit - Self.pageSize {
      isLoading = true
      effects.append(.load(after: loadedThrough, limit: Self.pageSize))
    }
    if excess > 0, unloaded > 0, !isIndexing, !isFutile {
      isIndexing = true
      effects.append(.loadIndex(after: max(thinning.cursor, loadedThrough), limit: Self.indexPage))
    }
    return effects
  }

  private mutating func send(into effects: inout [Effect]) {
    for position in head.indices where inFlight < window && !head[position].isSent {
      // In order: what has to be durable first holds back what was made after it.
      if head[position].message.isEvent, head[position].disk != .durable, !isStoreFailing { break }
      head[position].isSent = true
      inFlight += 1
      effects.append(.send(head[position].message))
    }
  }

  private mutating func write(deadlines: inout Deadlines, at now: Instant, isStopping: Bool) -> Effect? {
    let isCommitDue = deadlines.takeIfDue(.groupCommit, at: now)
    let isRetry = deadlines.takeIfDue(.storeRetry, at: now)
    if isStoreFailing, !isRetry, !isStopping { return nil }
    let hasEvent = Self.hasUnwrittenEvent(head) || Self.hasUnwrittenEvent(tail)
    guard isCommitDue || isRetry || isStopping || hasEvent || !urgent.isEmpty else { return nil }
    let takesLocations = isCommitDue || isRetry || isStopping
    var writes: [StoreWrite] = []
    for position in head.indices where takesLocations || head[position].message.isEvent {
      claim(&head[position], into: &writes)
    }
    for position in tail.indices where takesLocations || tail[position].message.isEvent {
      claim(&tail[position], into: &writes)
    }
    if !removals.isEmpty { writes.append(.remove(removals)) }
    // What may wait goes along only where the disk is written anyway.
    if !writes.isEmpty || !urgent.isEmpty || isStopping { writes += lazy + urgent }
    guard !writes.isEmpty else { return nil }
    (removals, lazy, urgent) = ([], [], [])
    batches[nextBatch] = writes
    nextBatch += 1
    return .store(batch: nextBatch - 1, writes)
  }

  private func claim(_ entry: inout Entry, into writes: inout [StoreWrite]) {
    guard entry.disk == .absent else { return }
    entry.disk = .writing(nextBatch)
    writes.append(.insert(entry.message))
  }

  // MARK: Questions

  var oldest: Int? { head.first?.message.time ?? (unloaded == 0 ? tail.first?.message.time : nil) }
  private var excess: Int {
    guard count > limit || bytes > byteLimit else { return 0 }
    // A little more than needed, so that not every message of a long outage asks for a sweep.
    return max(count - limit, 1) + limit / 32
  }

  // MARK: Helpers

  /// Keeps head and tail in their roles: see the picture above.
  private mutating func settle() {
    if unloaded == 0, !tail.isEmpty {
      let moving = min(max(0, Self.headLimit - head.count), tail.count)
      head.append(contentsOf: tail.prefix(moving))
      tail.removeFirst(moving)
      if let last = head.last { loadedThrough = max(loadedThrough, last.message.sequence) }
    }
    // Only the durable beginning of the tail may leave memory: a gap in it would be read in wrong order.
    let durable = tail.prefix { $0.disk == .durable }.count
    if durable > 0 {
      tail.removeFirst(durable)
      unloaded += durable
    }
  }

  private static func hasUnwrittenEvent(_ entries: [Entry]) -> Bool {
    entries.contains { $0.message.isEvent && $0.disk == .absent }
  }

  private static func isSuperseded(_ old: StoreWrite, by new: StoreWrite) -> Bool {
    switch (old, new) {
    case (.position, .position), (.reference, .reference), (.tag, .tag), (.dropped, .dropped): true
    default: false
    }
  }

  private func position(of sequence: UInt64) -> Int? {
    var (low, high) = (0, head.count)
    while low < high {
      let middle = (low + high) / 2
      if head[middle].message.sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low < head.count && head[low].message.sequence == sequence ? low : nil
  }

  private mutating func take(_ sequence: UInt64) {
    guard let position = position(of: sequence) else { return }
    let entry = head.remove(at: position)
    if entry.isSent { inFlight -= 1 }
    if entry.disk != .absent { removals.append(sequence) }
    count -= 1
    bytes -= entry.message.size
  }

  /// While everything is in memory, or the disk takes nothing, victims are found here.
  private mutating func thinInMemory() {
    let waiting = head.count + tail.count - inFlight
    let wanted = max(unloaded == 0 ? excess : 0, isStoreFailing ? waiting - Self.memoryLimit : 0)
    guard wanted > 0 else { return }
    var left = wanted
    for _ in 0..<64 where left > 0 {
      let page = (head + tail).filter { !$0.isSent && $0.message.sequence > thinning.cursor }.map {
        QueueEntry(
          sequence: $0.message.sequence, time: $0.message.time, isEvent: $0.message.isEvent,
          size: $0.message.size)
      }
      let victims = thinning.victims(in: page, wanted: left)
      let canGoOn = victims.count >= left || thinning.restart()
      left -= victims.count
      let doomed = Set(victims)
      for entry in head + tail where doomed.contains(entry.message.sequence) {
        bytes -= entry.message.size
        count -= 1
      }
      let onDisk = (head + tail).filter { doomed.contains($0.message.sequence) && $0.disk != .absent }
      head.removeAll { doomed.contains($0.message.sequence) }
      tail.removeAll { doomed.contains($0.message.sequence) }
      dropped += victims.count
      removals += onDisk.map(\.message.sequence)
      if !canGoOn { break }
    }
    if left < wanted { lazy.append(.dropped(dropped)) }
  }

  private mutating func drop(_ victims: [UInt64]) {
    guard !victims.isEmpty else { return }
    dropped += victims.count
    removals += victims
    urgent.append(.dropped(dropped))
  }
}
