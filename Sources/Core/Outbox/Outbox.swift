import Model
import Timebase

/// The queue: the messages that wait, those in flight, and which ones are dropped when there is no room.
///
/// A full queue loses locations, every other one, oldest first (`Thinning`); events (transitions,
/// waypoints, messages a person asked for) never. A power cut loses automatic locations of the last
/// second; events never, they are on the disk before they are sent.
///
///       oldest ──────────────────────────────────────────────▶ newest
///       head (memory)        disk only           tail (memory)
///       sent │ ready         not loaded          not yet durable
///
/// The head holds the messages that may be sent, in order. New messages join the head while nothing lies
/// between; otherwise they wait in the tail until they are durable and then live on the disk alone, so a
/// backlog of a million costs no memory. Messages that the broker does not take for now may be set aside, from
/// the head to the disk (`OutboxSetAside.swift`). Only an acknowledgement removes a message, or a refusal for good once
/// the disk keeps it for a person (`UnkeptLetters`).
struct Outbox {
  private let anchor = Anchor()
  var head: [Entry] = []
  var tail: [Entry] = []
  /// The messages on the disk between head and tail.
  var backlog: DiskBacklog
  var size: QueueSize
  var window: SendWindow
  var record: QueueRecord
  var nextSequence: UInt64
  /// Effects that wait until the store has everything that came before them.
  var held: [(after: UInt64, effect: Effect)] = []

  var writes = PendingWrites()
  /// The messages of head and tail that no write has taken yet.
  private(set) var unwritten = UnwrittenMessages()
  var thinning = DiskThinning()
  var holds = HeldTopics()
  var suspects = SuspectMessages()
  var letters = UnkeptLetters()
  var lane = BatchLane()
  var old: OldLocations
  var memory = BrokerMemory(span: .zero, topics: [])
  var setAside: SetAside?
  /// When set-aside messages were last read once more.
  var reloadedAt: Instant?

  init(
    snapshot: Snapshot, limit: Int, byteLimit: Int, windowLimit: Int,
    policy: Configuration.Backlog = .always
  ) {
    size = QueueSize(
      count: snapshot.queued, bytes: snapshot.queuedBytes, limit: limit, byteLimit: byteLimit)
    let before = snapshot.firstSequence == 0 ? 0 : snapshot.firstSequence - 1
    backlog = DiskBacklog(unloaded: snapshot.queued, loadedThrough: before)
    window = SendWindow(limit: windowLimit)
    record = QueueRecord(dropped: snapshot.dropped)
    old = OldLocations(policy: policy, snapshot: snapshot)
    nextSequence = snapshot.lastSequence + 1
  }

  // MARK: What comes in

  /// `isPlace`: the message reports where the board is.
  mutating func enqueue(
    _ message: Message, isPlace: Bool = false, deadlines: inout Deadlines, at now: Instant
  ) {
    var message = message
    message.sequence = nextSequence
    nextSequence += 1
    old.made(message, isPlace: isPlace, at: now)
    size.add(bytes: message.size)
    if backlog.isEmpty, tail.isEmpty, head.count < Self.headLimit {
      head.append(Entry(message: message, disk: .absent))
      backlog.pass(message.sequence)
    } else {
      tail.append(Entry(message: message, disk: .absent))
    }
    unwritten.add(isEvent: message.isEvent)
    thinning.renew()
    if !message.isEvent { deadlines.arm(.groupCommit, by: now + Self.commitDelay) }
    if !tail.isEmpty { settle() }
  }

  /// State that must be durable with whatever is written next: `isUrgent` writes now.
  mutating func remember(_ write: StoreWrite, isUrgent: Bool) { writes.remember(write, isUrgent: isUrgent) }

  /// Writes that waited for another one go with the next effects.
  mutating func promoteLazyWrites() { writes.promote() }

  // MARK: What the broker says

  mutating func connected(receiveMaximum: Int?) {
    // The uplink itself sends the unanswered messages of the previous connection again.
    record.resend(window.inFlight)
    window.connected(receiveMaximum: receiveMaximum)
  }

  /// Returns what the uplink has to do with the messages in flight; nil: nothing.
  mutating func disconnected(
    _ end: ConnectionEnd, deadlines: inout Deadlines, at now: Instant
  ) -> Effect? {
    let hasStood = window.isConnected
    window.disconnected()
    memory.disconnected(deadlines: &deadlines)
    // A connection that was never reported carried nothing.
    guard hasStood else { return nil }
    let unanswered = head.filter { $0.isSent && $0.message.qos > 0 }.map(\.message)
    switch suspects.ended(end, unanswered: unanswered, at: now) {
    // The next connection would send them over whatever network there is then.
    case .nothing: return old.policy != .always && !unanswered.isEmpty ? .takeBack(over: nil) : nil
    case .narrowed: return .takeBack(over: nil)
    case .over(let message):
      if let index = index(of: message.sequence) {
        turnedAway(index, letsOthersPass: true, deadlines: &deadlines, at: now)
      }
      return .takeBack(over: message)
    }
  }

  mutating func acknowledged(_ sequences: [UInt64], deadlines: inout Deadlines, at now: Instant) {
    for sequence in sequences { take(sequence, isTaken: true, at: now) }
    record.confirmed(at: now)
    window.confirmed(sequences.count)
    // Removals wait a moment for others; a lost one only means that an identical message is sent again.
    if !writes.removals.isEmpty { deadlines.arm(.groupCommit, by: now + .milliseconds(200)) }
    // Everything is delivered: a board that is online is not woken to write nothing.
    if head.isEmpty, tail.isEmpty, writes.removals.isEmpty { deadlines[.groupCommit] = nil }
    settle()
  }

  /// Returns the message that will never be taken, to be kept for a person; nil: no longer known, or tried again later for
  /// want of room.
  mutating func refused(_ sequence: UInt64, deadlines: inout Deadlines, at now: Instant) -> Message? {
    guard let index = index(of: sequence), !takeApart(sequence, isTurnedAway: true) else { return nil }
    let entry = head[index]
    guard letters.hasRoom(for: entry.message) else {
      if entry.isSent {
        turnedAway(index, letsOthersPass: true, asksMore: true, deadlines: &deadlines, at: now)
      }
      return nil
    }
    record.refuse()
    letters.add(entry.message, isStored: entry.disk != .absent)
    take(at: index, isTaken: false, staysStored: true, at: now)
    settle()
    return entry.message
  }

  /// The disk has it for a person.
  mutating func kept(_ sequence: UInt64, deadlines: inout Deadlines, at now: Instant) {
    guard letters.kept(sequence) else { return }
    writes.remove([sequence])
    deadlines.arm(.groupCommit, by: now + .milliseconds(200))
  }

  /// The message is not taken for now. It is sent again later; messages of other topics need not wait for it.
  mutating func postponed(
    _ sequence: UInt64, letsOthersPass: Bool = false, deadlines: inout Deadlines, at now: Instant
  ) {
    guard let index = index(of: sequence), head[index].isSent, !takeApart(sequence, isTurnedAway: true) else {
      return
    }
    suspects.answered(head[index].message, isTaken: false)
    turnedAway(
      index, letsOthersPass: letsOthersPass, asksMore: letsOthersPass, deadlines: &deadlines, at: now)
  }

  /// `asksMore`: a refusal costs no connection.
  private mutating func turnedAway(
    _ index: Int, letsOthersPass: Bool, asksMore: Bool = false, deadlines: inout Deadlines, at now: Instant
  ) {
    takeFromBroker(index)
    let due = holds.postponed(
      head[index].message, letsOthersPass: letsOthersPass, asksMore: asksMore, at: now)
    deadlines.arm(.askAgain, by: due)
  }

  /// The message is sent again, but not at once: a connection that takes nothing now would be tried without end.
  mutating func sendFailed(_ sequence: UInt64, deadlines: inout Deadlines, at now: Instant) {
    guard let index = index(of: sequence), head[index].isSent else { return }
    window.holdBack()
    deadlines.arm(.sendAgain, by: now + Self.sendDelay)
    if takeApart(sequence, isTurnedAway: false) { return lane.hurry(&deadlines, at: now) }
    takeFromBroker(index)
    holds.returned(head[index].message)
    suspects.returned(sequence)
  }

  // MARK: What the store says

  /// History points that the store has not been given yet.
  var waitingPoints: Int { writes.waitingPoints }

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
    guard backlog.takePage() else { return }
    let border = tail.first?.message.sequence ?? .max
    let page = messages.filter { $0.sequence > backlog.loadedThrough && $0.sequence < border }
    let uncounted = uncounted
    let fresh = page.filter { !uncounted($0.sequence) }
    join(withoutOld(fresh).map { Entry(message: $0, disk: .durable) })
    let isEnd = messages.count < Self.pageSize
    size.miss(backlog.joined(fresh.count, through: page.last?.sequence, isEnd: isEnd))
    settle()
  }

  // MARK: What goes out

  /// Everything that has become due: writes first, then sends, then reads. Without an encoder nothing travels in a batch.
  mutating func act(
    deadlines: inout Deadlines, at now: Instant, isStopping: Bool = false,
    packedBy encoder: (any ReportEncoder)? = nil,
    into effects: inout [Effect]
  ) {
    if setAside != nil { considerReloading(isWithoutProbe: false, &deadlines, at: now) }
    makeRoom()
    if old.takeCommit() { deadlines.arm(.groupCommit, by: now + .milliseconds(200)) }
    if head.count > Self.headLimit - Self.pageSize { makeHeadroom(at: now) }
    if let batch = write(deadlines: &deadlines, at: now, isStopping: isStopping) { effects.append(batch) }
    release(into: &effects, isStopping: isStopping)
    if deadlines.takeIfDue(.sendAgain, at: now) { window.letGo() }
    if deadlines.takeIfDue(.askAgain, at: now) { deadlines[.askAgain] = nextProbe(after: now) }
    if window.isOpen, !isStopping, send(into: &effects, packedBy: encoder, deadlines: &deadlines, at: now),
      setAside != nil
    {
      considerReloading(isWithoutProbe: isWithoutProbe(at: now), &deadlines, at: now)
    }
    if isConnected, backlog.wantsPage, hasRoomForPage(at: now) {
      effects.append(backlog.askForPage(of: Self.pageSize))
    }
    if size.isOver, !backlog.isEmpty, let order = thinning.askForPage(after: backlog.loadedThrough) {
      effects.append(order)
    }
  }

  /// False: more messages wait for the window, the disk or messages still to be read.
  private mutating func send(
    into effects: inout [Effect], packedBy encoder: (any ReportEncoder)?, deadlines: inout Deadlines,
    at now: Instant
  ) -> Bool {
    let isDue = lane.isDue(at: now)
    if lane.isOpen { old.waitTogether(at: now) }
    var isWaiting = false
    for index in head.indices where !head[index].isSent {
      guard window.hasRoom else { return false }
      let message = head[index].message
      // In order: a message that has to be durable first holds back those made after it,
      if message.isEvent, head[index].disk != .durable, !writes.isFailing { return false }
      // and so do messages still to be read.
      if backlog.isBeforeUnread(message.sequence) { return false }
      guard holds.maySend(message, at: now), old.fate(of: message) != .waits else { continue }
      if isBehindSetAside(message) { continue }
      guard suspects.hasRoom(for: message, whileInFlight: window.inFlight) else { return false }
      if lane.isOpen, let encoder, isForLane(head[index]) {
        // Those that do not go now are the end of the queue.
        let batch = isWaiting ? [] : companions(of: index, isDue: isDue)
        isWaiting = isWaiting || batch.isEmpty
        if batch.isEmpty { continue }
        if batch.count > 1 {
          window.sent()
          effects.append(.send(together(batch, packedBy: encoder)))
          continue
        }
      }
      holds.sent(message, at: now)
      suspects.sent(message)
      head[index].isSent = true
      window.sent()
      effects.append(.send(old.asSent(message)))
    }
    if lane.span > .zero { lane.looked(isWaiting: isWaiting, deadlines: &deadlines, at: now) }
    return true
  }

  private mutating func write(deadlines: inout Deadlines, at now: Instant, isStopping: Bool) -> Effect? {
    let isRetry = deadlines.takeIfDue(.storeRetry, at: now)
    if deadlines.takeIfDue(.groupCommit, at: now) { unwritten.oweCommit() }
    guard isStopping || (!writes.isUnderway && (!writes.isFailing || isRetry)) else { return nil }
    let takesLocations = unwritten.isCommitOwed || isRetry || isStopping
    guard takesLocations || unwritten.events > 0 || writes.isUrgent else { return nil }
    let inserts = claim(takesLocations: takesLocations)
    guard let batch = writes.take(inserts: inserts, evenLazy: isStopping || isRetry) else {
      // Nothing that failed is wanted any more: the next write will show whether the disk takes anything.
      if isRetry { writes.forgiven() }
      return nil
    }
    deadlines[.history] = nil
    return .store(batch: batch.batch, batch.writes)
  }

  /// Marks the messages that the coming batch takes. From the newest back: the unwritten ones are at the end.
  private mutating func claim(takesLocations: Bool) -> [StoreWrite] {
    var inserts: [StoreWrite] = []
    func take(_ entry: inout Entry) {
      guard entry.disk == .absent, takesLocations || entry.message.isEvent else { return }
      entry.disk = .writing(writes.coming)
      inserts.append(.insert(entry.message))
    }
    let wanted = unwritten.claim(all: takesLocations)
    for index in tail.indices.reversed() where inserts.count < wanted { take(&tail[index]) }
    for index in head.indices.reversed() where inserts.count < wanted { take(&head[index]) }
    releaseAssert(inserts.count == wanted, "\(wanted) unwritten messages, found \(inserts.count)")
    return inserts.reversed()
  }

  // MARK: Questions

  /// The newest location has not been acknowledged yet; or messages of an earlier start remain, which may end with one.
  var isPlaceWaiting: Bool {
    if !backlog.isEmpty { return true }
    let newest = old.newest
    return newest > 0 && (index(of: newest) != nil || tail.contains { $0.message.sequence == newest })
  }

  var oldest: Int? { head.first?.message.time ?? (backlog.isEmpty ? tail.first?.message.time : nil) }
  // MARK: Helpers

  /// Keeps head and tail in their roles: see the picture above.
  mutating func settle() {
    guard !tail.isEmpty else { return }
    if backlog.isEmpty {
      let moving = tail.prefix(old.isWaiting ? joinable : max(0, Self.headLimit - head.count))
      join(moving)
      if let last = moving.last { backlog.pass(last.message.sequence) }
      tail.removeFirst(moving.count)
    }
    // Only the durable beginning of the tail may leave memory: a gap in it would be read in wrong order.
    let durable = tail.prefix { $0.disk == .durable }.count
    if durable > 0 {
      tail.removeFirst(durable)
      backlog.leave(durable)
      // They may be thinned from now on.
      thinning.renew()
    }
  }

  private mutating func mark(_ batch: UInt64, as disk: Disk) {
    for index in head.indices where head[index].disk == .writing(batch) { head[index].disk = disk }
    for index in tail.indices where tail[index].disk == .writing(batch) { tail[index].disk = disk }
    recount()
  }

  mutating func recount() {
    unwritten.forget()
    for entry in head where entry.disk == .absent { unwritten.add(isEvent: entry.message.isEvent) }
    for entry in tail where entry.disk == .absent { unwritten.add(isEvent: entry.message.isEvent) }
  }

  /// The message is no longer in flight, and not decided: it is sent again.
  private mutating func takeFromBroker(_ index: Int) {
    head[index].isSent = false
    window.returned()
    record.resend()
  }

  func index(of sequence: UInt64) -> Int? {
    var (low, high) = (0, head.count)
    while low < high {
      let middle = (low + high) / 2
      if head[middle].message.sequence < sequence { low = middle + 1 } else { high = middle }
    }
    return low < head.count && head[low].message.sequence == sequence ? low : nil
  }

  private mutating func take(_ sequence: UInt64, isTaken: Bool, at now: Instant) {
    guard let index = index(of: sequence) else { return }
    guard head[index].lead != sequence else { return takeTogether(index, at: now) }
    take(at: index, isTaken: isTaken, at: now)
  }

  mutating func take(at index: Int, isTaken: Bool, staysStored: Bool = false, at now: Instant) {
    let entry = index == head.count - 1 ? head.removeLast() : head.remove(at: index)
    holds.decided(entry.message, isTaken: isTaken, at: now)
    suspects.answered(entry.message, isTaken: isTaken)
    if isTaken { memory.acknowledged(asKept(entry), at: now) }
    if entry.isSent, !entry.isFollower { window.returned() }
    if entry.disk == .absent {
      unwritten.remove(isEvent: entry.message.isEvent)
    } else if !staysStored {
      writes.remove([entry.message.sequence])
    }
    size.remove(bytes: entry.message.size)
  }

  var isStoreFailing: Bool { writes.isFailing }
}
