import Model
import Timebase

/// Which locations of the queue are *old*, and how they are treated (key `backlog`).
///
/// A location is old if it had waited for a minute when a connection came up, or was left by an earlier start. The
/// newest location is never old, nor is an event. An old location stays old until it is delivered:
///
///     left by an earlier start   waited a minute │ younger   newest
///     ──────────── old ───────────────▶ through  │ ───────── goes at once ─────▶
///
/// Newer locations pass the old ones that wait. Old ones are not sent retained: the broker would keep the oldest place
/// of a drive as the present one.
struct OldLocations {
  /// A location that has waited this long is old.
  static let age = Span.seconds(60)

  enum Fate {
    case goes
    /// Until the network is unmetered (WiFi or a cable), or one of `backlogTimes` begins.
    case waits
    case isDropped
  }

  /// Everything up to this sequence was old when a connection came up.
  private(set) var through: UInt64
  var policy: Configuration.Backlog
  /// The network is WiFi or a cable.
  var isNetworkFree = false
  /// It is one of `backlogTimes`.
  var isTimeFree = false
  /// The newest message that reports a place; 0: none since the start.
  private(set) var newest: UInt64 = 0
  /// `tst` of the newest place that an earlier start has published; nil: none.
  private let lastPublished: Int?
  /// Everything up to this sequence has waited for a minute.
  private var aged: UInt64
  /// The last location of each second of the last minute.
  private var marks: [(sequence: UInt64, at: Instant)] = []
  /// Old locations dropped since the start.
  private(set) var dropped = 0
  /// How many of these have not been reported yet.
  private var unreported = 0
  /// Dropped locations are still to be removed from the disk.
  private var isCommitOwed = false
  /// How many were reported as waiting, on this connection.
  private var reportedWaiting = 0

  init(policy: Configuration.Backlog, snapshot: Snapshot) {
    self.policy = policy
    aged = snapshot.lastSequence
    through = policy == .always ? 0 : snapshot.lastSequence
    lastPublished = snapshot.reference?.time.wholeSeconds
  }

  // MARK: What happens

  /// `isPlace`: the message reports where the board is, asked for or not.
  mutating func made(_ message: Message, isPlace: Bool, at now: Instant) {
    if isPlace { newest = message.sequence }
    guard !message.isEvent else { return }
    age(at: now)
    if let last = marks.last, now - last.at < .seconds(1) {
      marks[marks.count - 1].sequence = message.sequence
    } else {
      marks.append((message.sequence, now))
    }
  }

  /// A connection has come up, or the policy or the network has changed.
  mutating func look(at now: Instant) {
    age(at: now)
    if policy != .always { through = max(through, aged) }
    reportedWaiting = 0
  }

  /// Locations wait to travel together: over a way that is paid for they age meanwhile.
  mutating func waitTogether(at now: Instant) {
    guard isWaiting else { return }
    age(at: now)
    through = max(through, aged)
  }

  mutating func drop(_ count: Int) {
    dropped += count
    unreported += count
    isCommitOwed = true
  }

  /// True once after some were dropped.
  mutating func takeCommit() -> Bool {
    defer { isCommitOwed = false }
    return isCommitOwed
  }

  /// The reason to report, once; nil: none. `waiting`: how many wait.
  mutating func news(waiting: Int) -> Reason? {
    if unreported > 0 {
      defer { unreported = 0 }
      return .backlogDropped(count: unreported)
    }
    guard waiting > reportedWaiting else { return nil }
    reportedWaiting = waiting
    return .backlogWaits(count: waiting)
  }

  private mutating func age(at now: Instant) {
    while let first = marks.first, now - first.at >= Self.age {
      aged = first.sequence
      marks.removeFirst()
    }
  }

  // MARK: Questions

  var isWayFree: Bool { isNetworkFree || isTimeFree }

  /// True while old locations are held back, and may go later.
  var isWaiting: Bool { policy == .wifi && !isWayFree }

  func fate(of message: Message) -> Fate {
    guard policy != .always, isOld(message) else { return .goes }
    switch policy {
    case .always: return .goes
    case .wifi: return isWayFree ? .goes : .waits
    case .never: return .isDropped
    }
  }

  /// The message as it is given to the broker.
  func asSent(_ message: Message) -> Message {
    guard message.isRetained, isOld(message) else { return message }
    var message = message
    message.isRetained = false
    return message
  }

  private func isOld(_ message: Message) -> Bool {
    guard message.sequence <= through, !message.isEvent else { return false }
    if newest > 0 { return message.sequence != newest }
    return lastPublished.map { message.time < $0 } ?? true
  }
}
