import Model
import Timebase

/// Lets the receiver rest between looks (`gpsDutyCycle`), in every mode but move, or for good (`batterySteps`):
///
///     awake ──settled: 50 m or better, or fixes for 10 s──▶ resting ──cycle over, or asked for a look──▶ awake
///     awake ──no fix for 60 s──▶ resting
struct ReceiverDuty {
  /// How the receiver may rest.
  enum Rest: Hashable {
    case never
    /// From one look to the next.
    case between(Span)
    /// Until somebody asks for a look.
    case untilAsked
  }

  /// Metres: a fix this accurate ends a look. The first ones after a rest jump about.
  static let goodEnough = 50.0
  static let settling = Span.seconds(10)
  /// Longest that a look takes: a rest follows, with a fix or without.
  static let timeout = Span.seconds(60)

  private(set) var isResting = false
  /// When the present look began, or the last one; zero: it has not rested.
  private(set) var woken = Instant.zero
  private var firstFix: Instant?
  /// The occasion of a look that somebody has asked for, during a rest that only ends so.
  private var asked: Occasion?

  /// `needed`: until when a better fix is wanted; nil: none is.
  mutating func fixArrived(
    accuracy: Double, rest: Rest, needed: Instant?, deadlines: inout Deadlines, at now: Instant
  ) {
    guard rest != .never, !isResting else { return }
    let began = firstFix ?? now
    assert(now >= began, "the first fix of this look is yet to come")
    firstFix = began
    if accuracy <= Self.goodEnough || now - began >= Self.settling {
      deadlines[.receiverRest] = max(now, needed ?? now)
    }
  }

  /// A person wants to know where the board is.
  mutating func ask(_ occasion: Occasion) { asked = occasion }

  /// The occasion to publish the look that somebody had asked for. Nil: there was none, or it found nothing.
  mutating func runDue(
    _ rest: Rest, deadlines: inout Deadlines, at now: Instant, into effects: inout [Effect]
  ) -> Occasion? {
    assert(isResting || deadlines[.receiverWake] == nil, "what is awake is not woken")
    assert(!isResting || deadlines[.receiverRest] == nil, "it rests already")
    if isResting, isOver(rest, deadlines: &deadlines, at: now) {
      isResting = false
      woken = now
      firstFix = nil
      deadlines[.receiverWake] = nil
      effects.append(.setReceiver(isAwake: true))
    }
    switch rest {
    case .never: deadlines[.receiverRest] = nil
    case .between, .untilAsked:
      guard !isResting else { return nil }
      if deadlines[.receiverRest] == nil { deadlines[.receiverRest] = now + Self.timeout }
      if rest == .untilAsked, asked == nil { deadlines[.receiverRest] = now }
      guard deadlines.takeIfDue(.receiverRest, at: now) else { return nil }
      isResting = true
      var known: Span?
      if case .between(let cycle) = rest {
        deadlines[.receiverWake] = now + cycle
        known = cycle
      }
      effects.append(.setReceiver(isAwake: false, rest: known))
    }
    defer { asked = nil }
    return firstFix == nil ? nil : asked
  }

  private func isOver(_ rest: Rest, deadlines: inout Deadlines, at now: Instant) -> Bool {
    switch rest {
    case .never: return true
    // One that was to rest for good has looked for too long.
    case .between: return deadlines[.receiverWake] == nil || deadlines.takeIfDue(.receiverWake, at: now)
    case .untilAsked:
      deadlines[.receiverWake] = nil
      return asked != nil
    }
  }
}
