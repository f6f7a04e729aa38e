import Core
import Model
import Timebase

/// Circles that go along: who leaves one is told where that is, as soon as there is a fix good enough to tell. Kept by
/// the world.
struct FollowWatch {
  /// Metres beyond the edge where every fix is outside.
  fileprivate static let beyond = 60.0
  /// Seconds in which some fix is good enough: about every second one is.
  fileprivate static let patience = 60.0

  /// A place was told in this life, around which the circles lie, and nothing but vague fixes holds back the next.
  private var life: Int?
  private var isToldNow = false
  /// Since when it surely is outside of each, by rid.
  private var outside: [String: Instant] = [:]

  mutating func told(_ report: Report) {
    if case .location = report { (isToldNow, outside) = (true, [:]) }
  }

  mutating func forget() { (life, isToldNow, outside) = (nil, false, [:]) }

  /// Nothing is known before a place was told.
  fileprivate mutating func looks(in life: Int) -> Bool {
    if isToldNow { (self.life, isToldNow) = (life, false) }
    return self.life == life
  }

  /// Seconds.
  fileprivate mutating func isOutside(_ rid: String, _ isOutside: Bool, at now: Instant) -> Double {
    let since = isOutside ? outside[rid] ?? now : nil
    outside[rid] = since
    return since.map { (now - $0).seconds } ?? 0
  }
}

extension World {
  /// Once a second.
  func judgeFollows(_ truth: Road.Position) {
    guard isRunning, !isStopping, takingUp == nil, let tracker, !isVeiled,
      [.significant, .manual].contains(tracker.mode.mode), configuration.receiver.dutyCycle == 0,
      clock.isSynchronised
    else { return follows.forget() }
    guard follows.looks(in: life) else { return }
    let limit = Double(configuration.reports.ignoreInaccurateLocations)
    let isPlain = receiver.ground.tellsAccuracy || limit == 0
    // A receiver that stands in noise may claim to be too vague for hours.
    let isAnyGood = approach.heard.count { limit == 0 || $0.accuracy <= limit } > 1
    let sound = receiver.soundSince.map { (now - $0).seconds } ?? 0
    let isKnown = isPlain && isAnyGood && sound > FollowWatch.patience && !receiver.haze.isNear(now)
    let far = FollowWatch.beyond + receiver.ground.reach.standing
    for known in tracker.knownRegions where known.region.isFollow && known.region.radius > 0 {
      guard known.region.kind == .circular else { continue }
      let metres = known.region.coordinate.distance(to: truth.point.coordinate) - known.region.radius
      let seconds = follows.isOutside(known.region.rid, isKnown && metres > far, at: now)
      guard seconds > FollowWatch.patience else { continue }
      ledger.complain(
        .prompt, "\(known.region.name) was left \(Int(seconds)) s ago, \(Int(metres)) m, and nothing is told",
        at: now)
      follows.forget()
    }
  }
}

extension Reason {
  /// It was not to be told, and is not told later.
  var isNobodysToBeTold: Bool {
    switch self {
    case .modeIsQuiet, .followInMove, .insidePrivateRegion, .offline, .noIdentity, .clockUntrusted: true
    default: false
    }
  }
}
