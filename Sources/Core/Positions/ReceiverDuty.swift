import Model
import Timebase

/// Lets the receiver rest between looks (`gpsDutyCycle`), in every mode but move:
///
///     awake ──settled: 50 m or better, or fixes for 10 s──▶ resting ──cycle over──▶ awake
///     awake ──no fix for 60 s──▶ resting
struct ReceiverDuty {
  /// Metres: a fix this accurate ends a look. The first ones after a rest jump about.
  static let goodEnough = 50.0
  static let settling = Span.seconds(10)
  /// Longest that a look takes: a rest follows, with a fix or without.
  static let timeout = Span.seconds(60)

  private(set) var isResting = false
  private var firstFix: Instant?

  /// `needed`: until when a better fix is wanted; nil: none is.
  mutating func fixArrived(
    accuracy: Double, mode: MonitoringMode, cycle: Span, needed: Instant?, deadlines: inout Deadlines,
    at now: Instant
  ) {
    guard cycle > .zero, mode != .move, !isResting else { return }
    let began = firstFix ?? now
    assert(now >= began, "the first fix of this look is yet to come")
    firstFix = began
    if accuracy <= Self.goodEnough || now - began >= Self.settling {
      deadlines[.receiverRest] = max(now, needed ?? now)
    }
  }

  mutating func runDue(
    mode: MonitoringMode, cycle: Span, deadlines: inout Deadlines, at now: Instant,
    into effects: inout [Effect]
  ) {
    assert(isResting == (deadlines[.receiverWake] != nil), "what rests is woken, and nothing else")
    assert(!isResting || deadlines[.receiverRest] == nil, "it rests already")
    let mayRest = cycle > .zero && mode != .move
    if isResting, !mayRest || deadlines.takeIfDue(.receiverWake, at: now) {
      isResting = false
      firstFix = nil
      deadlines[.receiverWake] = nil
      effects.append(.setReceiver(isAwake: true))
    }
    guard mayRest else {
      deadlines[.receiverRest] = nil
      return
    }
    if !isResting, deadlines[.receiverRest] == nil { deadlines[.receiverRest] = now + Self.timeout }
    if !isResting, deadlines.takeIfDue(.receiverRest, at: now) {
      isResting = true
      deadlines[.receiverWake] = now + cycle
      effects.append(.setReceiver(isAwake: false))
    }
  }
}
