import Model
import Timebase

/// Harsh driving (docs/behaviour.md, "Harsh driving").
extension Tracker {
  mutating func watchDriving(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let rules = layers.inForce.journey.harsh
    switch journey.harsh.consider(fix, rules: rules) {
    case .manoeuvre(let manoeuvre):
      let reason = Reason.harsh(
        manoeuvre.kind, force: manoeuvre.force, limit: rules.limit(of: manoeuvre.kind))
      alarm(.harsh(manoeuvre), because: reason, fix, at: now, into: &effects)
    case .tooSlow(let rate): withhold(.rateTooLow(rate: rate), at: now, into: &effects)
    case nil: break
    }
  }
}
