import Model
import Timebase

/// Which locations of the queue are *old*, and what becomes of them (key `backlog`).
///
/// Old is what had waited for a minute when a connection came up, and what an earlier start left. The newest location
/// is never old, nor is an event. What is old once stays so until it is delivered:
///
///     left by an earlier start   waited a minute │ younger   newest
///     ──────────── old ───────────────▶ through  │ ───────── goes at once ─────▶
///
/// Those that wait are passed by newer ones. They are not given to a broker to keep, which would show the oldest place
/// of a drive as the present one.
struct OldLocations {
  /// What waited for so long is old.
  static let age = Span.seconds(60)

  enum Fate {
    case goes
    /// Until the way out is one that nobody counts.
    case waits
    case isDropped
  }

  /// Everything up to it was old when a connection came up.
  private(set) var through: UInt64
  var policy: Configuration.Backlog
  /// WiFi or a cable.
  var isWayFree = false
  /// The newest message that tells a place; 0: none since the start.
  private(set) var newest: UInt64 = 0
  /// `tst` of the newest place that an earlier start has told.
  private let lastTold: Int?
  /// Everything up to it has waited for a minute.
  private var aged: UInt64
  /// The last location of each second of the last minute.
  private var marks: [(sequence: UInt64, at: Instant)] = []
  /// Since the start.
  private(set) var dropped = 0
  /// Of these, how many nobody was told of.
  private var untold = 0
  /// They are to leave the disk.
  private var isCommitOwed = false
  /// How many were said to wait, on this connection.
  private var toldWaiting = 0

  init(policy: Configuration.Backlog, snapshot: Snapshot) {
    self.policy = policy
    aged = snapshot.lastSequence
    through = policy == .always ? 0 : snapshot.lastSequence
    lastTold = snapshot.reference?.time.wholeSeconds
  }

  // MARK: What happens

  /// `isPlace`: it tells where the board is, asked for or not.
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

  /// A connection has come up, or something else decides anew what may go.
  mutating func look(at now: Instant) {
    age(at: now)
    if policy != .always { through = max(through, aged) }
    toldWaiting = 0
  }

  mutating func drop(_ count: Int) {
    dropped += count
    untold += count
    isCommitOwed = true
  }

  /// True once after some were dropped.
  mutating func takeCommit() -> Bool {
    defer { isCommitOwed = false }
    return isCommitOwed
  }

  /// What people are to be told, once; `waiting`: how many wait.
  mutating func news(waiting: Int) -> Reason? {
    if untold > 0 {
      defer { untold = 0 }
      return .backlogDropped(count: untold)
    }
    guard waiting > toldWaiting else { return nil }
    toldWaiting = waiting
    return .backlogWaits(count: waiting)
  }

  private mutating func age(at now: Instant) {
    while let first = marks.first, now - first.at >= Self.age {
      aged = first.sequence
      marks.removeFirst()
    }
  }

  // MARK: Questions

  /// Whether anything is held back, and may go later.
  var isWaiting: Bool { policy == .wifi && !isWayFree }

  func fate(of message: Message) -> Fate {
    guard policy != .always, isOld(message) else { return .goes }
    switch policy {
    case .always: return .goes
    case .wifi: return isWayFree ? .goes : .waits
    case .never: return .isDropped
    }
  }

  /// As it is given to the broker.
  func asSent(_ message: Message) -> Message {
    guard message.isRetained, isOld(message) else { return message }
    var message = message
    message.isRetained = false
    return message
  }

  private func isOld(_ message: Message) -> Bool {
    guard message.sequence <= through, !message.isEvent else { return false }
    if newest > 0 { return message.sequence != newest }
    return lastTold.map { message.time < $0 } ?? true
  }
}
