import Core
import Model
import Timebase

/// What has to hold of regions after each event. Kept by the world, one for each life of the process.
struct RegionWatch {
  /// Within this of a beacon the radio listens in full, metres: it wakes 700 m before.
  fileprivate static let listening = 400.0
  /// As they were before somebody changed some of them.
  fileprivate var before: [Snapshot.KnownRegion] = []
  /// The fix that was told last in this event.
  fileprivate var told: Fix?
  /// A crossing was told in this event.
  fileprivate var crossed: Reason?
  fileprivate var hasPlace = false
  fileprivate var isPlaceWithheld = false
  /// For how long the radio could have heard the beacons of regions of which nothing is known, by rid, seconds.
  fileprivate var unknown: [String: Double] = [:]

  /// So long a beacon that is there lets itself be heard, or it is not there, seconds of listening.
  fileprivate static let patience = 10.0

  mutating func begin(_ event: Event, _ tracker: LivingTracker?) {
    (told, crossed, hasPlace, isPlaceWithheld) = (nil, nil, false, false)
    switch event {
    case .control, .configured, .commanded: before = tracker?.knownRegions ?? []
    default: before = []
    }
  }

  /// `isPlaceKnown`: there is one that could be told beside what only a radio has heard.
  mutating func told(_ report: Report, because reason: Reason?, isPlaceKnown: Bool) {
    switch (report, reason) {
    case (.location, .fixLost): (told, hasPlace) = (nil, true)
    case (.location(let location), _): (told, hasPlace) = (location.fix, true)
    case (.transition, .crossed), (.transition, .dwelt): crossed = reason
    case (.transition, .beaconHeard), (.transition, .beaconLost), (.transition, .beaconFar):
      if isPlaceKnown { crossed = reason }
    default: break
    }
  }

  mutating func withheld(_ reason: Reason) {
    switch reason {
    // It comes in a second that is free.
    case .sameTime: isPlaceWithheld = true
    case .inaccurate, .neverAnyFix, .noIdentity, .insidePrivateRegion, .offline: isPlaceWithheld = true
    default: break
    }
  }

  // MARK: What is said of it

  /// The crossing that was told without its place.
  var lonely: Reason? { hasPlace || isPlaceWithheld ? nil : crossed }

  /// `rids`: of beacons' regions of which nothing is known. The first of which that is so for too long.
  mutating func wait(for rids: [String], listened seconds: Double) -> String? {
    unknown = Dictionary(rids.map { ($0, (unknown[$0] ?? 0) + seconds) }) { first, _ in first }
    return rids.first { unknown[$0] ?? 0 > Self.patience }
  }

  /// A circle that goes along lies around each place that is told, so wide that it lasts for the seconds of its name.
  static func lie(_ region: Region, around fix: Fix) -> String? {
    let away = region.coordinate.distance(to: fix.coordinate)
    if away > 0.5 { return "\(region.name) is \(away) m from the place that was told" }
    let number = region.name.dropFirst().prefix { $0.isNumber || $0 == "." }
    let seconds = Double(number).flatMap { $0 > 0 ? $0 : nil } ?? 30
    let wanted = max(50, fix.speed.map { $0 * seconds } ?? fix.accuracy)
    return (region.radius - wanted).magnitude > 0.5
      ? "\(region.name) reaches \(region.radius) m, not \(wanted)" : nil
  }

  /// Who changes the name of a region, or whether it is told, changes nothing of where the board is.
  static func lie(_ before: [Snapshot.KnownRegion], _ after: [Snapshot.KnownRegion]) -> String? {
    let now = Dictionary(after.map { ($0.region.rid, $0) }) { first, _ in first }
    for one in before {
      guard let other = now[one.region.rid] else { continue }
      var renamed = other.region
      (renamed.name, renamed.isShared) = (one.region.name, one.region.isShared)
      if renamed == one.region, !renamed.isFollow, other.presence != one.presence {
        return "\(one.region.name) was \(one.presence), and as \(other.region.name) it is \(other.presence)"
      }
    }
    return nil
  }
}

extension World {
  func judgeRegions(after event: Event) {
    // A crossing publishes a transition, and then one location for all of them.
    if let lonely = regionWatch.lonely {
      ledger.complain(.picture, "no place was told beside: \(lonely)", at: now)
    }
    guard let tracker else { return }
    if !regionWatch.before.isEmpty, let lie = RegionWatch.lie(regionWatch.before, tracker.knownRegions) {
      ledger.complain(.agreement, lie, at: now)
    }
    // An old place, which says nothing of its speed, is told with another accuracy.
    guard let fix = regionWatch.told, fix.speed != nil || !receiver.ground.tellsSpeed, !judging.isOfOrder,
      tracker.status(at: clock.moment(at: now)).fixAge.map({ $0 < .seconds(25) }) ?? false
    else { return }
    for known in tracker.knownRegions where known.region.isFollow && known.region.radius > 0 {
      if let lie = RegionWatch.lie(known.region, around: fix) { ledger.complain(.truth, lie, at: now) }
    }
  }

  /// Once a second.
  func judgeDuty() {
    guard isRunning, !isStopping, takingUp == nil, tracker != nil, desk != nil else { return }
    let usual = radio.duty(beside: wire.isUp ? way.network : .none)
    if ![0, 1, usual].contains(radio.plan.duty) {
      ledger.complain(.limits, "the radio listens to \(radio.plan.duty) %, not \(usual)", at: now)
    }
  }

  /// Once a second: a beacon that is heard again and again is here, and who comes near one listens.
  func judgeNearBeacons(_ truth: Point) {
    guard isRunning, !isStopping, takingUp == nil, let tracker, configuration.beacons.enterRssi == 0,
      !wanderers.mayBeElsewhere, ledger.jumps.isEmpty, !ledger.isMisled
    else { return }
    for known in tracker.knownRegions where known.region.kind == .beacon && known.presence == .outside {
      guard let beacon = known.region.beacon else { continue }
      if lastHeard.isHeardAgain(beacon, of: known.region.rid, within: 9, at: now) {
        ledger.complain(.truth, "\(known.region.name) is not entered, and was heard three times", at: now)
      }
      let metres = known.region.coordinate.distance(to: truth.coordinate)
      if radio.plan.duty == 1, known.region.radius >= 0, metres < RegionWatch.listening {
        ledger.complain(.truth, "the radio rests \(Int(metres)) m from \(known.region.name)", at: now)
      }
    }
  }

  /// Once a second.
  func judgeUnknownBeacons() {
    guard isRunning, !isStopping, takingUp == nil, let tracker, !radio.isHung, radio.plan.duty > 0,
      configuration.beacons.enterRssi == 0
    else {
      return
    }
    let unknown = tracker.knownRegions.filter { $0.region.kind == .beacon && $0.presence == .unknown }
    let late = regionWatch.wait(for: unknown.map(\.region.rid), listened: Double(radio.plan.duty) / 100)
    if let late {
      ledger.complain(
        .picture, "of region \(late) nothing is known, and no beacon was heard for long", at: now)
    }
  }
}
