import Model
import Timebase

/// Where the board is, and since when it has not moved.
///
///     known from the disk ──a fix is taken──▶ known from this life ──a newer, possible fix──▶ the same
///                ▲                                    │
///                └──a fix of long before: the clock was wrong, and with it every time that is known──┘
struct PositionEngine {
  /// The result for a fix.
  enum Verdict: Hashable {
    case refused(Reason)
    /// `isTimeCorrected`: the clock was wrong until now, and so were the times of everything known.
    /// `isFirstEver`: the disk knows of no position yet.
    case taken(isTimeCorrected: Bool, isFirstEver: Bool)
  }

  /// Metres beyond both accuracies.
  static let worthMoving = 100.0
  /// A parked board does not write the same place again and again, metres.
  static let worthStoring = 50.0

  /// The newest usable position; of an earlier life where `arrived` is nil.
  private(set) var position: Fix?
  /// When `position` came in; nil: not since the start.
  private(set) var arrived: Instant?
  /// When something last moved; the start counts.
  private(set) var lastMovement = Instant.zero
  /// The position on the disk.
  private var stored: Fix?
  /// From where movement by distance is measured.
  private var still: Fix?
  private var gate = PhysicsGate()
  private var standstill = Standstill()
  /// How regions may use `position`.
  private(set) var ground = Standstill.Verdict.arrived
  /// Whether it has come to rest somewhere.
  var stop = Stop()
  /// Whether the receiver has only begun to see.
  var settling = Settling()
  /// Whether it has lost its fix.
  var loss = FixLoss()
  /// Whether it reports anything at all.
  var silence = ReceiverSilence()

  /// `published`: the last published position. A ping may have dated it: the place was measured earlier.
  init(stored: Fix?, published: Fix?) {
    self.stored = stored
    position = stored ?? published
  }

  // MARK: Input

  mutating func start(deadlines: inout Deadlines, at now: Instant) {
    lastMovement = now
    silence.start(deadlines: &deadlines, at: now)
  }

  /// The time of day is this many seconds later than assumed, and so are the known times; unless a fix that much
  /// later is merely late.
  mutating func clockSet(by seconds: Double) {
    guard arrived != nil, seconds < 0 || seconds > ReceiverClock.tolerance else { return }
    position?.time.seconds += seconds
    gate = PhysicsGate()
  }

  /// `isGated`: a jump has to be possible, or to last.
  mutating func consider(_ fix: Fix, isGated: Bool, at now: Instant) -> Verdict {
    // Movement counts even of fixes that are refused below; a speed below its own error is none. The way
    // counts as well, see `hasMoved`.
    if let speed = fix.speed, speed > max(0.05, fix.speedError ?? 0) { lastMovement = now }
    var isTimeCorrected = false
    if let position, isWrong(position.time, beside: fix.time) {
      isTimeCorrected = true
      arrived = nil
      gate = PhysicsGate()
    }
    if arrived != nil, let position, fix.time <= position.time {
      return .refused(.notNewer(time: fix.time.seconds, last: position.time.seconds))
    }
    if isGated, let refusal = gate.refusal(of: fix) {
      assert(!isTimeCorrected, "a gate that knows of no fix refuses none")
      standstill.refused(fix)
      return .refused(refusal)
    }
    ground = standstill.consider(fix, isGated: isGated, isLeap: isGated && gate.hasProvenJump)
    stop.consider(fix, ground)
    assert(arrived.map { now >= $0 } ?? true, "a fix came before the one before it")
    position = fix
    arrived = now
    if hasMoved(to: fix) { lastMovement = now }
    let isFirstEver = stored == nil
    if isFirstEver { stored = fix }
    return .taken(isTimeCorrected: isTimeCorrected, isFirstEver: isFirstEver)
  }

  /// Whether a time before this one can only have been a wrong clock's.
  private func isWrong(_ before: WallTime, beside time: WallTime) -> Bool {
    let ahead = (before - time).seconds
    // Of an earlier life: nothing that is still under way.
    return ahead > (arrived == nil ? ReceiverClock.lead : ReceiverClock.tolerance)
  }

  /// For a plain NMEA receiver gpsd reports a speed error of 20 m/s, below which a whole town drives: a board that
  /// has come this far, whatever the accuracies, has moved.
  private mutating func hasMoved(to fix: Fix) -> Bool {
    guard let still else {
      self.still = fix
      return false
    }
    assert(still.accuracy >= 0 && fix.accuracy >= 0, "`FixFilter` lets no other fix through")
    let needed = Self.worthMoving + still.accuracy + fix.accuracy
    guard fix.coordinate.distance(to: still.coordinate) > needed else { return false }
    self.still = fix
    return true
  }

  /// No private beacon's region hides `position`, as is known since.
  mutating func show() { position?.isHidden = false }

  /// The position where it is worth writing, which then counts as written.
  mutating func takeUnstored() -> Fix? {
    guard let position else { return nil }
    if let stored, stored.isHidden == position.isHidden,
      stored.coordinate.distance(to: position.coordinate) <= Self.worthStoring
    {
      return nil
    }
    stored = position
    return position
  }

  /// Another tracker of this process knew this already, and does not report it again. Its `stored` position is not
  /// taken over: it is on another disk.
  mutating func goOn(from earlier: PositionEngine) {
    // Without a fix the one on the disk is the last that is known.
    (position, arrived, gate, standstill) = (
      earlier.position ?? position, earlier.arrived, earlier.gate, earlier.standstill
    )
    (settling, loss, stop) = (earlier.settling, earlier.loss, earlier.stop)
  }

  // MARK: Questions

  /// The position, if it was measured since the start.
  var present: Fix? { arrived == nil ? nil : position }

  /// Whether `position` is too old to be the present one.
  func isStale(after timeout: Span, at now: Instant) -> Bool {
    guard let arrived else { return true }
    assert(position != nil && now >= arrived, "the newest fix is yet to come")
    return now - arrived > timeout
  }

  /// Whether the vehicle stood when it was seen last.
  var isStanding: Bool {
    switch ground {
    case .held, .settled: true
    case .free, .arrived, .arriving, .leapt: position.map { StalePosition.stood($0) } ?? true
    }
  }

  /// When it set out, if it moves too slowly for a single speed to show it; nil: it does not.
  var onSlowWaySince: WallTime? { standstill.onSlowWaySince }

  /// Since the newest fix came; nil: none has since the start.
  func age(at now: Instant) -> Span? { arrived.map { now - $0 } }

  /// First violated invariant, or nil.
  var inconsistency: String? {
    arrived != nil && position == nil ? "a fix has come, and there is no position" : nil
  }
}
