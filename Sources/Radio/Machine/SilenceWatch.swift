import Timebase

/// Whether what should be heard is heard: one look a minute.
///
/// ```
///             15 s without anybody            it answers, but heard somebody shortly before
///  trusted ──────────────────────▶ doubtful ────────────────────────────────────────────▶ suspected
///     ▲                               │ ▲                                                    │
///     └────── anybody is heard ───────┴─┼──────────────────────────────────────── 15 s later: deaf
///                                       └────────────────────────────────────────────────────┘
/// ```
struct SilenceWatch {
  private enum Trust: Hashable {
    case trusted
    case doubtful
    /// The scan was started anew, and has to hear a sender by then: a moment ago there was one.
    case suspected(until: Instant)
  }

  /// The finding of a look.
  enum Finding: Hashable {
    case nothing
    case sender
    case silence
    /// A new scan has not helped.
    case deafness
  }

  /// Between two looks.
  static let interval = Span.minutes(1)
  /// Silence that a look takes notice of.
  static let limit = Span.seconds(15)
  /// A look that finds such a silence, too short yet to mean anything, is followed by one as soon as it is
  /// long enough: the beacons of most places call more often.
  static let shortSilence = Span.seconds(3)
  /// In a quiet place the scan is started anew this often, in case it was switched off behind our back.
  static let restartInterval = Span.minutes(10)
  /// Senders that were heard so shortly before a silence cannot all have left, or so it is suspected.
  static let recently = Span.minutes(3)
  /// For the scan that was started anew to hear a sender.
  static let suspicion = Span.seconds(15)

  private var trust = Trust.trusted
  private var nextLook: Instant?
  /// An advertisement that could be read, or the begin of listening.
  private(set) var lastHeard = Instant.zero
  /// An advertisement that could be read; nil: none ever.
  private var lastReadable: Instant?
  private var emptyReports = 0
  /// When the scan was started anew in this silence.
  private var lastRestart: Instant?
  /// When the adapter was last switched off and on for nothing but its silence.
  private var lastCycle: Instant?

  var isDoubtful: Bool { trust != .trusted }
  var isSuspected: Bool { suspectedUntil != nil }
  /// An adapter that is ill reports advertisements without content.
  var hasOnlyEmptyReports: Bool { emptyReports > 0 }
  /// When `look` is due; nil: it does not listen.
  var deadline: Instant? { [nextLook, suspectedUntil].compactMap { $0 }.min() }

  /// No sender was heard since the adapter was switched off and on for the same reason.
  var isSilentAfterCycle: Bool {
    guard let lastCycle, isDoubtful else { return false }
    return lastReadable.map { $0 < lastCycle } ?? true
  }

  private var suspectedUntil: Instant? {
    if case .suspected(let until) = trust { return until }
    return nil
  }

  // MARK: Inputs

  /// An advertisement: the busy path.
  mutating func heard(isReadable: Bool, at now: Instant) {
    guard isReadable else {
      emptyReports &+= 1
      return
    }
    lastHeard = now
    lastReadable = now
  }

  /// It listens. `isNew`: it did not until now, and silence counts from here.
  mutating func listen(isNew: Bool, at now: Instant) {
    if nextLook == nil { nextLook = now + Self.interval }
    if isNew { lastHeard = max(lastHeard, now) }
  }

  /// Nobody wants to hear anything.
  mutating func rest() {
    nextLook = nil
    endSuspicion()
  }

  mutating func look(at now: Instant) -> Finding {
    if let suspectedUntil, suspectedUntil <= now {
      endSuspicion()
      return .deafness
    }
    guard let nextLook, nextLook <= now else { return .nothing }
    let silence = now - lastHeard
    let isShort = silence >= Self.shortSilence && silence < Self.limit
    self.nextLook = now + (isShort ? Self.limit - silence : Self.interval)
    guard silence >= Self.limit else { return .sender }
    // A suspicion runs on.
    if !isDoubtful { trust = .doubtful }
    emptyReports = 0
    return .silence
  }

  /// Somebody was heard in a doubt.
  mutating func believe() {
    trust = .trusted
    emptyReports = 0
    lastRestart = nil
  }

  /// Something is wrong for certain.
  mutating func distrust() { trust = .doubtful }
  /// Another adapter has nothing to do with the last one.
  mutating func forgetAdapter() { trust = .trusted }

  /// Whether a silence that nothing explains is a reason to start the scan anew.
  func isRestartDue(at now: Instant) -> Bool {
    lastRestart.map { now - $0 >= Self.restartInterval } ?? true
  }

  /// True: it has to hear a sender soon.
  mutating func restarted(at now: Instant) -> Bool {
    defer { lastRestart = now }
    // Only the first silence after a sender was heard: later ones are a quiet place's.
    guard lastRestart == nil, let lastReadable, now - lastReadable <= Self.recently else { return false }
    trust = .suspected(until: now + Self.suspicion)
    return true
  }

  func isCycleDue(at now: Instant) -> Bool { lastCycle.map { now - $0 >= Self.restartInterval } ?? true }
  mutating func cycled(at now: Instant) { lastCycle = now }

  private mutating func endSuspicion() {
    if isSuspected { trust = .doubtful }
  }
}
