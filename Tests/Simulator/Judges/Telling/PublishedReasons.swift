import Core
import Model
import Timebase

/// Every reason of a publish is true.
struct PublishedReasons: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .told(let report, because: let reason) = what else { return }
    if case .beacon = report { return }
    guard let reason else { return world.complain(.reasons, "published without a reason: \(report)") }
    if let lie = Claim(world: world).lie(reason, of: report) {
      world.complain(.reasons, "\(reason): \(lie)")
    }
  }
}

/// What the tracker says of why something is told or not, held against the world.
struct Claim {
  unowned let world: World
  var telling: Telling { world.evidence.telling }
  var now: Instant { world.now }
  var configuration: Configuration { world.configuration }

  /// Regions may switch the mode in the middle of an event.
  func isMode(_ mode: MonitoringMode) -> Bool {
    telling.modeBefore == mode || world.tracker?.mode.mode == mode || telling.hasSwitched
      || telling.hasPassed(mode, world.tracker)
  }

  /// After which a point is due in move mode, whatever the way does.
  var moveDistance: Double {
    Double(
      configuration.adaptive.isOn
        ? configuration.adaptive.distance : configuration.reports.locatorDisplacement)
  }

  /// Nil: it is true.
  func lie(_ reason: Reason, of report: Report) -> String? {
    if telling.isTrackLost, reason.isMeasured { return nil }
    switch (reason, report) {
    case (.firstFix, .location(let location)):
      guard let before = telling.reference else { return nil }
      // A clock that is set right begins the track anew.
      return telling.isClockSet || location.fix.time.seconds < before.fix.time.seconds
        ? nil : "there was one before"
    case (.moved(let metres, let needed), .location(let location)):
      return lie(metres, needed, moveDistance, location.fix)
    case (.turned(let degrees, let metres), .location(let location)):
      return lie(turned: degrees, metres, location.fix)
    case (.speedChanged(let before, let now), .location(let location)):
      return lie(paceFrom: before, to: now, location.fix)
    case (.movedAndWaited(let metres, let seconds), .location(let location)):
      return lie(metres, movedFor: seconds, location.fix)
    case (.stopped(let metres), .location(let location)): return lie(stopped: metres, location)
    case (.intervalElapsed(let seconds), .location):
      let waited = telling.reference.map { (now - $0.at).seconds } ?? 0
      if seconds == 0, telling.isClockSet { return nil }
      return (waited - seconds).magnitude > 0.1 ? "it was \(waited) s" : nil
    case (.pingDue(let isOld), .location(let location)):
      if isOld, location.fix.speed != nil || location.fix.course != nil { return "an old place moves" }
      if location.time < location.fix.time, location.time.wholeSeconds != location.fix.time.wholeSeconds {
        return "of \(location.time.seconds), fix of \(location.fix.time.seconds)"
      }
      guard let before = telling.lastPublish else { return nil }
      let waited = (now - before).seconds
      return waited < Double(min(configuration.reports.ping, world.evidence.choosing.ping ?? .max)) * 60 - 1
        ? "only \(waited) s after the last publish" : nil
    case (.leftSince(let region, _), .transition(let transition)):
      return lie(leftSince: region, transition)
    case (.fixLost(let seconds), .location(let location)): return lie(lostFor: seconds, location)
    case (.fixBack(let metres), .location(let location)):
      guard let lost = telling.lost else { return telling.isTrackLost ? nil : "it was not lost" }
      if configuration.reports.significantWindow > 0 { return nil }
      let truly = lost.coordinate.distance(to: location.fix.coordinate)
      return (truly - metres).magnitude > 0.5 || metres < 100 ? "it was \(truly) m" : nil
    case (.crossed(let region, let crossing, _), .transition(let transition)):
      return transition.region.eventName == region && transition.crossing == crossing ? nil : "not this one"
    case (.dwelt(let region, let seconds), .transition(let transition)):
      let isOurs =
        transition.region.eventName == region && transition.region.dwell.map(Double.init) == seconds
      return isOurs && transition.crossing == .enter ? nil : "not this one"
    case (.crossed, .location(let location)), (.dwelt, .location(let location)):
      return location.trigger == .circular ? nil : "the trigger is \(location.trigger)"
    case (.leftFollow, .location(let location)):
      return location.trigger == .follow ? nil : "the trigger is \(location.trigger)"
    case (.asked, _), (.askedRemotely, _), (.commandAnswered, _), (.powerFailing, _), (.haltingSoon, _),
      (.tripBegan, _), (.tripEnded, _):
      return lie(ofPeople: reason, report)
    case (.towed, _), (.tooFast, _), (.slowAgain, .alarm), (.ignitionTurned, .location),
      (.supplyTurned, .location), (.batteryLow, .location), (.batteryStep, .location):
      return lie(ofTheVehicle: reason, report)
    case (.connected, .location(let location)):
      if telling.times.contains(location.fix.time.wholeSeconds) { return "this place was told already" }
      if case .brokerConnected = telling.event { return nil }
      return telling.isConnectionOwed ? nil : "nothing was connected"
    case (.regionChanged(let name), .waypoint(let region)):
      return region.name == name ? nil : "it is \(region.name)"
    case (.sos, .location(let location)):
      return location.trigger == .sos ? nil : "the trigger is \(location.trigger)"
    case (.sos, .alarm(let alarm)), (.sosAcknowledged, .alarm(let alarm)):
      return alarm.kind.isOfSOS ? nil : "it is another alarm"
    case (.beaconHeard, _), (.beaconLost, _), (.beaconFar, _), (.ranged, _): return nil
    default: return "no reason for this"
    }
  }

  private func lie(_ metres: Double, movedFor seconds: Double, _ fix: Fix) -> String? {
    guard let before = telling.reference else { return "there is nothing to measure from" }
    let waited = (now - before.at).seconds
    // The best of a window is told at its end, and is another fix than the one that was due.
    let window = Double(configuration.reports.significantWindow)
    if waited < seconds - 0.1 || waited > seconds + window + 0.1
      || seconds < Double(configuration.reports.significantInterval) - 1
    {
      return "it was \(waited) s"
    }
    return window > 0 ? nil : lie(metres, 0, 0, fix)
  }

  private func lie(stopped metres: Double, _ location: LocationReport) -> String? {
    guard let before = telling.reference else { return "there is nothing to measure from" }
    if !(isMode(.move) || isMode(.significant)) { return "it is not to be told" }
    if let speed = location.fix.speed, speed >= 0.5 { return "it goes at \(speed) m/s" }
    if configuration.reports.significantWindow > 0 { return nil }
    let truly = before.fix.coordinate.distance(to: location.fix.coordinate)
    if (truly - metres).magnitude > 0.5 { return "it was \(truly) m" }
    // An old place is told without the speed that it had.
    let mayHaveMoved = before.fix.speed.map { $0 >= 0.5 } ?? world.receiver.ground.tellsSpeed
    return metres > 10 || mayHaveMoved ? nil : "that was known"
  }

  /// What somebody has asked for or set.
  private func lie(ofPeople reason: Reason, _ report: Report) -> String? {
    switch (reason, report) {
    case (.asked, .location):
      if case .control(.publish, _, _) = telling.event { return nil }
      return isLook ? nil : "nobody asked"
    case (.powerFailing, .location):
      return "nobody cuts the power slowly here"
    case (.haltingSoon(.batteryLow), .location):
      return world.evidence.battery.mayBeEmpty ? nil : "the vehicle's battery is not empty"
    case (.haltingSoon(.batteryStep), .location):
      return world.mayStepDown ? nil : "there are no steps"
    case (.haltingSoon(.ordered), .location):
      if case .commanded(let received) = telling.event, received.command == .park { return nil }
      return "nobody has ordered it"
    case (.haltingSoon, .location):
      return configuration.power.parkedShutdown == 0 ? "nobody is to switch it off" : nil
    case (.askedRemotely, .location), (.commandAnswered, _):
      if case .commanded = telling.event { return nil }
      return isTrial(reason) || isLook ? nil : "nobody ordered it"
    case (.tripBegan, .trip), (.tripEnded, .trip):
      if case .tripEnded(_, _, .switchedOff) = reason { return nil }
      return configuration.journey.trips ? nil : "there are no trips"
    default: return "no reason for this"
    }
  }

  /// A receiver that is off was woken for it, and has found something since.
  private var isLook: Bool {
    guard world.mayStepDown else { return false }
    switch telling.event {
    case .reading?, .tick?: return true
    default: return false
    }
  }

  /// What was changed of the way to the broker is tried with an answer over the new connection.
  private func isTrial(_ reason: Reason) -> Bool {
    guard case .commandAnswered("setConfiguration") = reason, case .brokerConnected = telling.event else {
      return false
    }
    return world.tracker?.status(at: world.moment).isOnTrial == true
  }

  /// A line of the vehicle has turned, or it is towed or too fast: as an alarm, and as a location.
  private func lie(ofTheVehicle reason: Reason, _ report: Report) -> String? {
    let told: LocationReport? = if case .location(let location) = report { location } else { nil }
    switch reason {
    case .towed:
      if configuration.journey.towAlarm == 0 { return "nothing is guarded" }
      return told.flatMap { lie($0, .tow) }
    case .tooFast(let speed, let limit, _):
      if Int(speed.rounded(.up)) <= limit { return "that is allowed" }
      return told.flatMap { lie($0, .overspeed) }
    case .ignitionTurned(let isOn):
      if world.board.ignition != isOn { return "the ignition says something else" }
      return told.flatMap { lie($0, .ignition(isOn: isOn)) }
    case .batteryLow(let level, let limit):
      return level < limit ? told.flatMap { lie($0, .lowBattery) } : "it is not below"
    case .batteryStep(let news):
      let isDown = (news.step?.rawValue ?? 0) > (news.before?.rawValue ?? 0)
      return told.flatMap { lie($0, isDown ? .lowBattery : .batteryWell) }
    case .supplyTurned(let isOn):
      return world.isWired || world.evidence.battery.isKnown
        ? told.flatMap { lie($0, .power(isOn: isOn)) } : "no vehicle is known"
    default: return nil
    }
  }

  private func lie(_ location: LocationReport, _ trigger: Trigger) -> String? {
    if location.trigger != trigger { return "the trigger is \(location.trigger)" }
    if !isMode(.move), !isMode(.significant), !(trigger.isAlarm && isMode(.manual)) {
      return "it is not to be told"
    }
    return world.isWired && location.vehicle.ignition != world.board.ignition
      ? "the ignition is told wrong" : nil
  }

  private func lie(lostFor seconds: Double, _ location: LocationReport) -> String? {
    if location.fix.speed != nil || location.fix.course != nil { return "an old place moves" }
    if seconds < 20 || !(isMode(.move) || isMode(.significant)) { return "it is not to be told" }
    let pause = telling.lostAt.map { (now - $0).seconds } ?? .infinity
    return pause < 44 ? "it was lost \(pause) s before" : nil
  }

  /// It was announced as entered, and can be told now.
  private func lie(leftSince region: String, _ transition: TransitionReport) -> String? {
    if transition.region.eventName != region || transition.crossing != .leave { return "not this one" }
    // A crossing of the same event may bring quiet behind it.
    if telling.modeBefore == .quiet, world.tracker?.mode.mode == .quiet { return "the mode is quiet" }
    if !transition.region.isShared { return "nobody was told the name" }
    let last = world.ledger.made.last {
      guard case .transition(let before) = $0.report else { return false }
      // A leave that no disk took is told again; an enter in a write that was cut may be on it.
      return before.region.rid == transition.region.rid && before.region.eventName == region
        && ($0.isStored || before.crossing == .enter)
    }
    // What a damaged store does not know any more, it takes for announced.
    guard case .transition(let before)? = last?.report else {
      return world.ledger.losses.flippedAway > 0 || world.ledger.lives.blindStarts > 0
        ? nil : "it was never announced"
    }
    let isForgotten = world.ledger.losses.announcedAgain.contains(transition.region.rid)
    return before.crossing == .enter || isForgotten ? nil : "it was left before"
  }

  private func lie(_ metres: Double, _ needed: Double, _ expected: Double, _ fix: Fix) -> String? {
    guard let before = telling.reference else { return "there is nothing to measure from" }
    let truly = before.fix.coordinate.distance(to: fix.coordinate)
    if (truly - metres).magnitude > 0.5 { return "it was \(truly) m" }
    if needed != expected { return "\(expected) m were asked for" }
    return metres < needed ? "that is less" : nil
  }

  // MARK: Where the way turns or the speed changes

  /// As `AdaptiveRecording` promises, metres: with a turn that is worth a point, and without.
  private static let deviation = (turning: 4.0, straight: 5.5)

  private func lie(turned degrees: Double, _ metres: Double, _ fix: Fix) -> String? {
    guard let before = telling.reference else { return "there is nothing to measure from" }
    guard configuration.adaptive.isOn else { return "points lie at fixed distances" }
    let truly = before.fix.coordinate.distance(to: fix.coordinate)
    if (truly - metres).magnitude > 0.5 { return "it was \(truly) m" }
    let deviation = metres * degrees * .pi / 180 / 8
    let isTurn = degrees >= Double(configuration.adaptive.heading) && deviation >= Self.deviation.turning
    return isTurn || deviation >= Self.deviation.straight ? nil : "that is \(deviation) m off the line"
  }

  private func lie(paceFrom before: Double, to now: Double, _ fix: Fix) -> String? {
    guard let reference = telling.reference else { return "there is nothing to measure from" }
    let truly = (reference.fix.speed.map { $0 * 3.6 }, fix.speed.map { $0 * 3.6 })
    guard configuration.adaptive.isOn else { return "points lie at fixed distances" }
    // An old place is told without its speed.
    guard let one = truly.0, let other = truly.1 else { return nil }
    if (one - before).magnitude > 0.01 || (other - now).magnitude > 0.01 { return "from \(one) to \(other)" }
    return (now - before).magnitude < Double(configuration.adaptive.speed) - 0.01 ? "that is no change" : nil
  }
}

extension Reason {
  /// It says something of the publish before.
  fileprivate var isMeasured: Bool {
    switch self {
    case .moved, .movedAndWaited, .stopped, .intervalElapsed, .turned, .speedChanged: true
    default: false
    }
  }
}
