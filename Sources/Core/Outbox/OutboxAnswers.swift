import Model
import Timebase

/// The limits and entries of the queue, effects that wait for the disk, settings, and what `homeward queue` shows.
extension Outbox {
  /// Most messages in the head: two full windows of usual width.
  static let headLimit = 512
  /// Most messages that wait in memory while the disk takes nothing; 10,000 cost about 4 MB.
  static let memoryLimit = 10_000
  static let pageSize = 256
  /// Unacknowledged automatic locations are written this long after they were made.
  static let commitDelay = Span.milliseconds(900)
  static let retryDelay = Span.seconds(10)
  static let sendDelay = Span.seconds(1)

  enum Disk: Hashable {
    case absent
    case writing(UInt64)
    case durable
  }

  struct Entry {
    var message: Message
    var disk: Disk
    var isSent = false
    /// In flight in a batch, under the number of its first message.
    var lead: UInt64?

    /// Its batch is counted with its first message.
    var isFollower: Bool { lead.map { $0 != message.sequence } ?? false }
    /// Whether the message may be on the disk alone.
    var mayLeave: Bool { !isSent && disk == .durable }
  }

  /// Releases the effect when everything urgent so far is on the disk: a person who reads "done" may pull the plug.
  /// If the disk takes nothing it is released at once, and an answer says so.
  mutating func whenDurable(_ effect: Effect) {
    held.append((writes.horizon(hasEvents: unwritten.events > 0) ?? 0, effect))
  }

  mutating func remember(position fix: Fix) { writes.remember(position: fix) }
  mutating func remember(reference fix: Fix) { writes.remember(reference: fix) }

  /// A location for the history: with the next batch, or within a minute.
  mutating func remember(point report: Report, deadlines: inout Deadlines, at now: Instant) {
    writes.remember(point: report)
    deadlines.arm(.history, by: now + PendingHistory.delay)
  }

  mutating func oweHistory() { writes.oweHistory() }

  /// Releases the effects that need not wait any longer.
  mutating func release(into effects: inout [Effect], isStopping: Bool) {
    while let first = held.first, writes.isOver(first.after) || isStopping {
      let isInMemoryOnly = writes.isFailing && first.after > 0
      held.removeFirst()
      if case .forgetRefused = first.effect, isInMemoryOnly || !writes.isOver(first.after) { continue }
      effects.append(isInMemoryOnly ? first.effect.inMemoryOnly : first.effect)
    }
  }

  /// Nil: the message is not among those that may be in flight.
  func topic(of sequence: UInt64) -> String? {
    guard let index = index(of: sequence) else { return nil }
    return head[index].message.topic + (head[index].lead == sequence ? "/batch" : "")
  }

  // MARK: Settings

  var limit: Int {
    get { size.limit }
    set { size.limit = newValue }
  }

  var byteLimit: Int {
    get { size.byteLimit }
    set { size.byteLimit = newValue }
  }

  /// In force from the next connection on.
  var windowLimit: Int {
    get { window.limit }
    set { window.limit = newValue }
  }

  // MARK: Questions

  var count: Int { size.count }
  var isConnected: Bool { window.isConnected }

  /// The topics of messages that are passed by; these stay in the head, however many topics are held.
  private var passedBy: [String] {
    guard !holds.isQuiet else { return [] }
    return head.map(\.message).filter { holds.isPassedBy($0.sequence) }.map(\.topic)
  }

  func status(at now: Instant) -> QueueStatus {
    QueueStatus(
      count: size.count, bytes: size.bytes, inFlight: window.inFlight, window: window.width, oldest: oldest,
      dropped: record.dropped, resent: record.resent,
      lastConfirmed: record.lastConfirmed.map { Int((now - $0).seconds) }, refused: record.refused,
      isStoreFailing: isStoreFailing, held: holds.names, passedBy: passedBy, waitingOld: waitingOld,
      waitingTogether: waitingTogether,
      droppedOld: old.dropped)
  }
}

extension Effect {
  /// The same, with a "done" that does not claim to survive a power cut.
  fileprivate var inMemoryOnly: Effect {
    guard case .answer(.done(let text), let sender) = self else { return self }
    return .answer(
      .done(text + " (in memory only: the disk takes nothing, see `homeward doctor`)"), to: sender)
  }
}
