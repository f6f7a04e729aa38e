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
/// backlog of a million costs no memory. What the broker does not take for now may be set aside, from the
/// head to the disk (`OutboxAside.swift`). Only an acknowledgement removes a message.
struct Outbox {
  private let anchor = Anchor()
  var limit: Int
  var byteLimit: Int
  var windowLimit: Int

  var head: [Entry] = []
  var tail: [Entry] = []
  /// Messages on the disk between head and tail.
  var unloaded: Int
  var loadedThrough: UInt64
  var nextSequence: UInt64
  var isLoading = false
  /// Pages that the store was asked for and nobody wants any more. It answers in order.
  var stalePages = 0
  var isIndexing = false
  var count: Int
  var bytes: Int
  private(set) var inFlight = 0
  private(set) var window = Outbox.firstWindow
  /// What the window may grow to on this connection.
  private var widest = Outbox.firstWindow
  private(set) var isConnected = false
  private(set) var lastConfirmed: Instant?
  /// What may happen only when the store has everything that came before it.
  var held: [(after: UInt64, effect: Effect)] = []
  private var isHeldBack = false

  var writes = PendingWrites()
  /// A commit came due while another was under way.
  private var isCommitOwed = false
  /// Messages in head and tail that no write has taken yet, and how many of them are events.
  private(set) var unwritten = (messages: 0, events: 0)
  var sweep = Sweep()
  /// The queue holds nothing that may go (events only): no use in looking again before something new comes.
  var isFutile = false
  var dropped: Int
  private(set) var resent = 0
  private(set) var refusedCount = 0
  var holds = HeldTopics()
  var aside: Aside?
  /// When it was read once more.
  var takenBack: Instant?

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
    if unloaded == 0, tail.isEmpty, head.count < Self.headLimit {
      head.append(Entry(message: message, disk: .absent))
      loadedThrough = message.sequence
    } else {
      tail.append(Entry(message: message, disk: .absent))
    }
    unwritten.messages += 1
    if message.isEvent { unwritten.events += 1 }
    isFutile = false
    if !message.isEvent { deadlines.arm(.groupCommit, by: now + Self.commitDelay) }
    if !tail.isEmpty { settle() }
  }

  /// State that must be durable with whatever is written next: `isUrgent` writes now.
  mutating func remember(_ write: StoreWrite, isUrgent: Bool) { writes.remember(write, isUrgent: isUrgent) }

  /// What waited for company goes with the next effects.
  mutating func promoteLazyWrites() { writes.promote() }

  // MARK: What the broker says

  mutating func connected(receiveMaximum: Int?) {
    isConnected = true
    isHeldBack = false
    widest = max(1, min(windowLimit, receiveMaximum ?? windowLimit))
    window = min(Self.firstWindow, widest)
  }

  mutating func disconnected() { isConnected = false }

  mutating func acknowledged(_ sequences: [UInt64], deadlines: inout Deadlines, at now: Instant) {
    for sequence in sequences { take(sequence) }
    lastConfirmed = now
    window = min(widest, window + sequences.count)
    // Removals wait a moment for company; lost ones only mean an identical message once more.
    if !writes.removals.isEmpty { deadlines.arm(.groupCommit, by: now + .milliseconds(200)) }
    // Everything is delivered: a board that is online is not woken to write nothing.
    if head.isEmpty, tail.isEmpty, writes.removals.isEmpty { deadlines[.groupCommit] = nil }
    settle()
  }

  /// The message that will never be taken; nil: nobody knows it any more.
  mutating func refused(_ sequence: UInt64, deadlines: inout Deadlines, at now: Instant) -> Message? {
    guard let position = position(of: sequence) else { return nil }
    let message = head[position].message
    refusedCount += 1
    take(sequence)
    if !writes.removals.isEmpty { deadlines.arm(.groupCommit, by: now + .milliseconds(200)) }
    settle()
    return message
  }

  /// Not taken for now. It goes again later; what has another topic need not wait for it.
  mutating func postponed(_ sequence: UInt64, deadlines: inout Deadlines, at now: Instant) {
    guard let position = position(of: sequence), head[position].isSent else { return }
    head[position].isSent = false
    inFlight -= 1
    resent += 1
    deadlines.arm(.askAgain, by: holds.postponed(head[position].message, at: now))
  }

  /// It is sent again, but not at once: a connection that takes nothing now would be asked without end.
  mutating func sendFailed(_ sequence: UInt64, deadlines: inout Deadlines, at now: Instant) {
    guard let position = position(of: sequence), head[position].isSent else { return }
    isHeldBack = true
    deadlines.arm(.sendAgain, by: now + Self.sendDelay)
    head[position].isSent = false
    inFlight -= 1
    resent += 1
    holds.returned(head[position].message)
  }

  // MARK: What the store says

  mutating func stored(_ batch: UInt64) {
    writes.stored(batch)
    mark(batch, as: .durable)
    settle()
  }

  /// Nothing of the batch is on the disk: its state is remembered for the next, its messages wait in memory.
  mutating func storeFailed(_ batch: UInt64, deadlines: inout Deadlines, at now: Instant) {
    writes.failed(batch)
    mark(batch, as: .absent)
    deadlines.arm(.storeRetry, by: now + Self.retryDelay)
  }

  mutating func loaded(_ messages: [Message]) {
    if stalePages > 0 {
      stalePages -= 1
      return
    }
    isLoading = false
    let border = tail.first?.message.sequence ?? .max
    let page = messages.filter { $0.sequence > loadedThrough && $0.sequence < border }
    let uncounted = uncounted
    let fresh = page.filter { !uncounted($0.sequence) }
    join(fresh.map { Entry(message: $0, disk: .durable) })
    if let last = page.last { loadedThrough = last.sequence }
    unloaded = max(0, unloaded - fresh.count)
    if messages.count < Self.pageSize, unloaded > 0 {
      // The disk holds less than was counted (a damaged row was set aside): believe the disk.
      count -= unloaded
      unloaded = 0
    }
    settle()
  }

  // MARK: What goes out

  /// Everything that has become due: writes first, then sends, then reads.
  mutating func act(
    deadlines: inout Deadlines, at now: Instant, isStopping: Bool = false, into effects: inout [Effect]
  ) {
    if aside != nil { considerTakingBack(isWithoutAskers: false, &deadlines, at: now) }
    makeRoom()
    if head.count > Self.headLimit - Self.pageSize { setAside(at: now) }
    if let batch = write(deadlines: &deadlines, at: now, isStopping: isStopping) { effects.append(batch) }
    release(into: &effects, isStopping: isStopping)
    if deadlines.takeIfDue(.sendAgain, at: now) { isHeldBack = false }
    if deadlines.takeIfDue(.askAgain, at: now) { deadlines[.askAgain] = nextQuestion(after: now) }
    if isConnected, !isHeldBack, !isStopping, send(into: &effects, at: now), aside != nil {
      considerTakingBack(isWithoutAskers: isWithoutAskers(at: now), &deadlines, at: now)
    }
    if isConnected, unloaded > 0, !isLoading, hasRoomForPage(at: now) {
      isLoading = true
      effects.append(.load(after: loadedThrough, limit: Self.pageSize))
    }
    if excess > 0, unloaded > 0, !isIndexing, !isFutile {
      isIndexing = true
      effects.append(.loadIndex(after: max(sweep.cursor, loadedThrough), limit: Self.indexPage))
    }
  }

  /// False: something more waits for the window, the disk or what is still to be read.
  private mutating func send(into effects: inout [Effect], at now: Instant) -> Bool {
    for position in head.indices where !head[position].isSent {
      guard inFlight < window else { return false }
      // In order: what has to be durable first holds back what was made after it,
      if head[position].message.isEvent, head[position].disk != .durable, !isStoreFailing { return false }
      // and so does what is still to be read.
      if unloaded > 0, head[position].message.sequence > loadedThrough { return false }
      guard holds.lets(head[position].message, pass: now) else { continue }
      if aside != nil, isBehindAside(head[position].message) { continue }
      holds.asks(head[position].message)
      head[position].isSent = true
      inFlight += 1
      effects.append(.send(head[position].message))
    }
    return true
  }

  private mutating func write(deadlines: inout Deadlines, at now: Instant, isStopping: Bool) -> Effect? {
    let isRetry = deadlines.takeIfDue(.storeRetry, at: now)
    if deadlines.takeIfDue(.groupCommit, at: now) { isCommitOwed = true }
    guard isStopping || (!writes.isUnderway && (!writes.isFailing || isRetry)) else { return nil }
    let takesLocations = isCommitOwed || isRetry || isStopping
    guard takesLocations || unwritten.events > 0 || writes.isUrgent else { return nil }
    isCommitOwed = false
    let inserts = claim(takesLocations: takesLocations)
    guard let batch = writes.take(inserts: inserts, evenLazy: isStopping || isRetry) else {
      // All that failed was wanted no more: whether the disk takes anything shows with what comes next.
      if isRetry { writes.forgiven() }
      return nil
    }
    return .store(batch: batch.batch, batch.writes)
  }

  /// Marks what the coming batch takes. From the newest back: what is unwritten is at the end.
  private mutating func claim(takesLocations: Bool) -> [StoreWrite] {
    var inserts: [StoreWrite] = []
    func take(_ entry: inout Entry) {
      guard entry.disk == .absent, takesLocations || entry.message.isEvent else { return }
      entry.disk = .writing(writes.coming)
      inserts.append(.insert(entry.message))
    }
    var left = takesLocations ? unwritten.messages : unwritten.events
    for position in tail.indices.reversed() where inserts.count < left { take(&tail[position]) }
    for position in head.indices.reversed() where inserts.count < left { take(&head[position]) }
    left = inserts.count
    unwritten.events = 0
    unwritten.messages -= left
    return inserts.reversed()
  }

  // MARK: Questions

  var oldest: Int? { head.first?.message.time ?? (unloaded == 0 ? tail.first?.message.time : nil) }
  // MARK: Helpers

  /// Keeps head and tail in their roles: see the picture above.
  mutating func settle() {
    guard !tail.isEmpty else { return }
    if unloaded == 0 {
      let moving = tail.prefix(max(0, Self.headLimit - head.count))
      join(moving)
      if let last = moving.last { loadedThrough = max(loadedThrough, last.message.sequence) }
      tail.removeFirst(moving.count)
    }
    // Only the durable beginning of the tail may leave memory: a gap in it would be read in wrong order.
    let durable = tail.prefix { $0.disk == .durable }.count
    if durable > 0 {
      tail.removeFirst(durable)
      unloaded += durable
      // They may be thinned from now on.
      isFutile = false
    }
  }

  private mutating func mark(_ batch: UInt64, as disk: Disk) {
    for position in head.indices where head[position].disk == .writing(batch) { head[position].disk = disk }
    for position in tail.indices where tail[position].disk == .writing(batch) { tail[position].disk = disk }
    recount()
  }

  mutating func recount() {
    unwritten = (0, 0)
    for entry in head where entry.disk == .absent { note(entry) }
    for entry in tail where entry.disk == .absent { note(entry) }
  }

  private mutating func note(_ entry: Entry) {
    unwritten.messages += 1
    if entry.message.isEvent { unwritten.events += 1 }
  }

  func position(of sequence: UInt64) -> Int? {
    var (low, high) = (0, head.count)
    while low < high {
      let middle = (low + high) / 2
      if head[middle].message.sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low < head.count && head[low].message.sequence == sequence ? low : nil
  }

  private mutating func take(_ sequence: UInt64) {
    guard let position = position(of: sequence) else { return }
    let entry = position == head.count - 1 ? head.removeLast() : head.remove(at: position)
    holds.decided(entry.message)
    if entry.isSent { inFlight -= 1 }
    if entry.disk == .absent {
      unwritten.messages -= 1
      if entry.message.isEvent { unwritten.events -= 1 }
    } else {
      writes.remove([sequence])
    }
    count -= 1
    bytes -= entry.message.size
  }

  var isStoreFailing: Bool { writes.isFailing }
}
