import Model
import Timebase

/// The source of positions: whether it is there, and what its receiver says of jamming and spoofing (docs/behaviour.md,
/// "Jamming and spoofing").
extension Tracker {
  mutating func sourceReached(_ name: String, _ isReached: Bool, at now: Moment) {
    if isReached != surroundings.isSourceReached { note(.sourceReached(name, isReached), at: now) }
    surroundings.sourceReached(isReached)
    if !isReached { forgetInterference() }
  }

  mutating func interferenceSaid(_ found: Interference, at now: Moment, into effects: inout [Effect]) {
    // An answer that was under way.
    guard layers.inForce.receiver.watchesJamming, !duty.isResting else { return }
    let changes = journey.interference.said(
      found, place: positioning.position.map { TrackPoint($0) }, wall: clock.wall(at: now), at: now.instant)
    for change in changes {
      announcement.presenceDoubted()
      if journey.interference.isUntold(change.kind) {
        // Nor is anybody told that it is over, or worse than what they do not know of.
        if case .ended = change { journey.interference.toldLater(change.kind) }
        continue
      }
      let isTold = tell(change, at: now, into: &effects)
      if case .began = change, !isTold { journey.interference.beganUntold(change.kind) }
    }
    for state in journey.interference.untold where mayTellOfInterference {
      if tell(.began(state), at: now, into: &effects) { journey.interference.toldLater(state.kind) }
    }
  }

  /// Otherwise each answer would be withheld anew.
  private var mayTellOfInterference: Bool {
    modes.state.mode != .quiet
      && positioning.position.map { regions.hidingRegion(at: $0) == nil } ?? true
  }

  /// False: it was withheld.
  private mutating func tell(
    _ change: InterferenceWatch.Change, at now: Moment, into effects: inout [Effect]
  ) -> Bool {
    let (kind, reason) = alarm(change)
    let outcome = raise(kind, .journey(reason), positioning.position, at: now, into: &effects)
    if outcome == nil { note(reason, at: now) }
    return outcome?.isPublishedOrKept ?? true
  }

  private func alarm(_ change: InterferenceWatch.Change) -> (AlarmReport.Kind, Reason) {
    switch change {
    case .began(let state): (.disturbed(state, isWorse: false), .interference(state.kind, state.level))
    case .worsened(let state): (.disturbed(state, isWorse: true), .interference(state.kind, state.level))
    case .ended(let state, let span):
      (
        .undisturbed(state, seconds: span.seconds),
        .interferenceOver(state.kind, seconds: span.seconds)
      )
    }
  }

  /// A receiver that is not heard is not known to be disturbed; that is no end to tell of.
  mutating func forgetInterference() {
    if journey.interference.forget() { announcement.presenceDoubted() }
  }

  /// Off for good it will say nothing more.
  mutating func restInterference() {
    if receiverRest == .untilAsked { return forgetInterference() }
    if journey.interference.rest() { announcement.presenceDoubted() }
  }

  /// A receiver without a fix that has said why.
  func explained(_ reason: Reason) -> Reason {
    guard case .noFix = reason, let jammed = journey.interference.told(.jamming), jammed.level == .critical
    else { return reason }
    return .interference(.jamming, .critical)
  }
}
