import Core
import Model
import Timebase

/// What is needed to hold a reason against the world: what the process was just told, and what it
/// published before. Kept by the world, one for each life of the process.
struct Reasons {
  /// The event that is being handled.
  private(set) var event: Event?
  private(set) var reading: Reading?
  private(set) var modeBefore = MonitoringMode.significant
  private var coming: [Reason] = []
  /// The last published location that was no ping.
  private(set) var reference: (fix: Fix, at: Instant)?
  private(set) var lastPublish: Instant?
  /// Where the fix was lost, as it was told last, and when; the place is known until another one is told.
  private(set) var lost: Fix?
  private(set) var lostAt: Instant?
  /// The receiver had only begun to see when the broker was reached.
  private(set) var isConnectionOwed = false
  /// Somebody says what is to be: places and regions may be others after it.
  var isOfOrder: Bool {
    switch event {
    case .control, .configured, .commanded: true
    default: false
    }
  }
  /// The `tst` of every location.
  private(set) var times: Set<Int> = []
  /// The tracker has found out that its clock was wrong: its track begins anew.
  private(set) var isClockSet = false
  private(set) var isTrackLost = false
  /// Of the last reading, seconds.
  private var latest: Double?
  /// Something crossed in this event: its name may have switched the mode.
  private(set) var hasSwitched = false

  mutating func heard(_ event: Event, _ tracker: LivingTracker?) {
    self.event = event
    hasSwitched = false
    reading = if case .reading(let reading) = event { reading } else { nil }
    // What was heard before it and claims to be later may have been taken back, with nothing told of it.
    if let time = reading?.time?.seconds {
      if let latest, time < latest { isClockSet = true }
      latest = time
    }
    if let tracker { modeBefore = tracker.mode.mode }
  }

  /// The reasons of the publishes among these, in order.
  mutating func decided(_ effects: [Effect], _ tracker: LivingTracker?) {
    hasSwitched =
      hasSwitched || effects.contains { if case .published(.transition, _) = $0 { true } else { false } }
    let count = effects.count {
      switch $0 {
      // Distances come every second: the journal counts them in one entry.
      case .published(.beacon, _): false
      case .published: true
      default: false
      }
    }
    guard count > 0, let tracker else { return }
    coming += tracker.journal.entries.filter { $0.isPublished && !$0.reason.isRanging }.suffix(count).map(
      \.reason)
  }

  mutating func nextReason() -> Reason? { coming.isEmpty ? nil : coming.removeFirst() }

  /// A publish that went nowhere moved what distances are measured from.
  mutating func lostTrack() {
    (reference, lost, lastPublish, times, isTrackLost) = (nil, nil, nil, [], true)
  }

  mutating func clockSet() { isClockSet = true }

  mutating func noteSettling() {
    if case .brokerConnected = event { isConnectionOwed = true }
  }

  mutating func told(_ report: LocationReport, because reason: Reason, at now: Instant) {
    lastPublish = now
    times.insert(report.time.wholeSeconds)
    isConnectionOwed = false
    if case .fixLost = reason {
      (lost, lostAt) = (report.fix, now)
    } else if report.trigger != .ping {
      (isTrackLost, isClockSet) = (false, false)
      (reference, lost) = ((report.fix, now), nil)
    }
  }
}

extension World {
  func judge(published report: Report, because reason: Reason?) {
    if case .beacon = report { return }
    guard let reason else {
      return ledger.complain(.reasons, "published without a reason: \(report)", at: now)
    }
    if let lie = lie(reason, of: report) {
      ledger.complain(.reasons, "\(reason): \(lie)", at: now)
    }
    if case .location(let location) = report { judging.told(location, because: reason, at: now) }
  }

  /// Nil: it is true.
  private func lie(_ reason: Reason, of report: Report) -> String? {
    if judging.isTrackLost, reason.isMeasured { return nil }
    switch (reason, report) {
    case (.firstFix, .location(let location)):
      guard let before = judging.reference else { return nil }
      // A clock that is set right begins the track anew.
      return judging.isClockSet || location.fix.time.seconds < before.fix.time.seconds
        ? nil : "there was one before"
    case (.moved(let metres, let needed), .location(let location)):
      return lie(metres, needed, moveDistance, location.fix)
    case (.turned(let degrees, let metres), .location(let location)):
      return lie(turned: degrees, metres, location.fix)
    case (.speedChanged(let before, let now), .location(let location)):
      return lie(paceFrom: before, to: now, location.fix)
    case (.movedAndWaited(let metres, let seconds), .location(let location)):
      return lie(metres, movedFor: seconds, location.fix)
    case (.intervalElapsed(let seconds), .location):
      let waited = judging.reference.map { (now - $0.at).seconds } ?? 0
      if seconds == 0, judging.isClockSet { return nil }
      return (waited - seconds).magnitude > 0.1 ? "it was \(waited) s" : nil
    case (.pingDue(let isOld), .location(let location)):
      if isOld, location.fix.speed != nil || location.fix.course != nil { return "an old place moves" }
      if location.time < location.fix.time, location.time.wholeSeconds != location.fix.time.wholeSeconds {
        return "of \(location.time.seconds), fix of \(location.fix.time.seconds)"
      }
      guard let before = judging.lastPublish else { return nil }
      let waited = (now - before).seconds
      return waited < Double(min(configuration.reports.ping, choice.ping ?? .max)) * 60 - 1
        ? "only \(waited) s after the last publish" : nil
    case (.leftSince(let region, _), .transition(let transition)):
      return lie(leftSince: region, transition)
    case (.fixLost(let seconds), .location(let location)): return lie(lostFor: seconds, location)
    case (.fixBack(let metres), .location(let location)):
      guard let lost = judging.lost else { return judging.isTrackLost ? nil : "it was not lost" }
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
      (.supplyTurned, .location):
      return lie(ofTheVehicle: reason, report)
    case (.connected, .location(let location)):
      if judging.times.contains(location.fix.time.wholeSeconds) { return "this place was told already" }
      if case .brokerConnected = judging.event { return nil }
      return judging.isConnectionOwed ? nil : "nothing was connected"
    case (.regionChanged(let name), .waypoint(let region)):
      return region.name == name ? nil : "it is \(region.name)"
    case (.beaconHeard, _), (.beaconLost, _), (.beaconFar, _), (.ranged, _): return nil
    default: return "no reason for this"
    }
  }

  private func lie(_ metres: Double, movedFor seconds: Double, _ fix: Fix) -> String? {
    guard let before = judging.reference else { return "there is nothing to measure from" }
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

  /// What somebody has asked for or set.
  private func lie(ofPeople reason: Reason, _ report: Report) -> String? {
    switch (reason, report) {
    case (.asked, .location):
      if case .control(.publish, _, _) = judging.event { return nil }
      return "nobody asked"
    case (.powerFailing, .location):
      return "nobody cuts the power slowly here"
    case (.haltingSoon(.batteryLow), .location):
      return sag.mayBeEmpty ? nil : "the vehicle's battery is not empty"
    case (.haltingSoon, .location):
      return configuration.power.parkedShutdown == 0 ? "nobody is to switch it off" : nil
    case (.askedRemotely, .location), (.commandAnswered, _):
      if case .commanded = judging.event { return nil }
      return "nobody ordered it"
    case (.tripBegan, .trip), (.tripEnded, .trip):
      if case .tripEnded(_, _, .switchedOff) = reason { return nil }
      return configuration.journey.trips ? nil : "there are no trips"
    default: return "no reason for this"
    }
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
      if ignition != isOn { return "the ignition says something else" }
      return told.flatMap { lie($0, .ignition(isOn: isOn)) }
    case .supplyTurned(let isOn):
      return isWired || sag.isKnown ? told.flatMap { lie($0, .power(isOn: isOn)) } : "no vehicle is known"
    default: return nil
    }
  }

  private func lie(_ location: LocationReport, _ trigger: Trigger) -> String? {
    if location.trigger != trigger { return "the trigger is \(location.trigger)" }
    let isAlarm = trigger == .tow || trigger == .overspeed
    if !isMode(.move), !isMode(.significant), !(isAlarm && isMode(.manual)) { return "it is not to be told" }
    return isWired && location.vehicle.ignition != ignition ? "the ignition is told wrong" : nil
  }

  private func lie(lostFor seconds: Double, _ location: LocationReport) -> String? {
    if location.fix.speed != nil || location.fix.course != nil { return "an old place moves" }
    if seconds < 20 || !(isMode(.move) || isMode(.significant)) { return "it is not to be told" }
    let pause = judging.lostAt.map { (now - $0).seconds } ?? .infinity
    return pause < 44 ? "it was lost \(pause) s before" : nil
  }

  /// It was announced as entered, and can be told now.
  private func lie(leftSince region: String, _ transition: TransitionReport) -> String? {
    if transition.region.eventName != region || transition.crossing != .leave { return "not this one" }
    // A crossing of the same event may bring quiet behind it.
    if judging.modeBefore == .quiet, tracker?.mode.mode == .quiet { return "the mode is quiet" }
    if !transition.region.isShared { return "nobody was told the name" }
    let last = ledger.made.last {
      guard case .transition(let before) = $0.report else { return false }
      // A leave that no disk took is told again; an enter in a write that was cut may be on it.
      return before.region.rid == transition.region.rid && before.region.eventName == region
        && ($0.isStored || before.crossing == .enter)
    }
    // What a damaged store does not know any more, it takes for announced.
    guard case .transition(let before)? = last?.report else {
      return ledger.flippedAway > 0 || ledger.blindStarts > 0 ? nil : "it was never announced"
    }
    let isForgotten = ledger.announcedAgain.contains(transition.region.rid)
    return before.crossing == .enter || isForgotten ? nil : "it was left before"
  }

  /// From the last published location on, metres.
  private var expectedDistances: [Double] {
    [
      (MonitoringMode.move, moveDistance),
      (.significant, Double(configuration.reports.significantDisplacement)),
    ]
    .filter { isMode($0.0) }.map(\.1)
  }

  /// As they are written, `HH:MM-HH:MM`.
  private func lie(_ times: String, isBegun: Bool) -> String? {
    let numbers = times.split { $0 == ":" || $0 == "-" }.compactMap { Int($0) }
    guard numbers.count == 4 else { return "those are no times" }
    let minute = Int(BoardClock.truth(now).seconds / 60) % 1440
    let isSo = (numbers[0] * 60 + numbers[1]..<numbers[2] * 60 + numbers[3]).contains(minute)
    return isSo == isBegun ? nil : "it is minute \(minute)"
  }

  /// After which a point is due in move mode, whatever the way does.
  private var moveDistance: Double {
    Double(
      configuration.adaptive.isOn
        ? configuration.adaptive.distance : configuration.reports.locatorDisplacement)
  }

  private func lie(_ metres: Double, _ needed: Double, _ expected: Double, _ fix: Fix) -> String? {
    guard let before = judging.reference else { return "there is nothing to measure from" }
    let truly = before.fix.coordinate.distance(to: fix.coordinate)
    if (truly - metres).magnitude > 0.5 { return "it was \(truly) m" }
    if needed != expected { return "\(expected) m were asked for" }
    return metres < needed ? "that is less" : nil
  }

  /// Nothing was told of what was crossed meanwhile.
  func noteEndOfQuiet() {
    if judging.modeBefore == .quiet, tracker?.mode.mode != .quiet { ledger.note(breakOf: nil, at: now) }
  }

  func judge(withheld reason: Reason) {
    if let lie = lie(withheld: reason) { ledger.complain(.reasons, "withheld \(reason): \(lie)", at: now) }
    if case .offline = reason { judging.lostTrack() }
    if case .clockWasWrong = reason { judging.clockSet() }
    if case .settling = reason { judging.noteSettling() }
    switch reason {
    // Crossings that nobody was told of.
    case .modeIsQuiet, .clockUntrusted, .offline, .noIdentity: ledger.note(breakOf: nil, at: now)
    case .insidePrivateRegion: ledger.hidden(at: now)
    default: break
    }
  }

  private func lie(withheld reason: Reason) -> String? {
    let isBlind = (judging.reading?.mode ?? 3) < 2
    switch reason {
    case .noFix(let mode): return judging.reading?.mode == mode ? nil : "the receiver said another"
    case .noTime, .noCoordinates, .noAccuracy, .nullIsland: return isBlind ? nil : "all of it was there"
    case .dateRefused(let time):
      let isRight = (time - BoardClock.truth(now).seconds).magnitude < 200
      let known = tracker?.wall(at: clock.moment(at: now))
      let isSure = known.map { ($0 - BoardClock.truth(now)).seconds.magnitude < 60 } ?? true
      return isRight && isSure ? "the date was right" : nil
    case .receiverClockOff(let seconds):
      guard seconds > 0, let known = tracker?.wall(at: clock.moment(at: now)),
        let time = judging.reading?.time,
        (known - BoardClock.truth(now)).seconds.magnitude < 1
      else { return nil }
      let rollover = 1024.0 * 7 * 86_400
      let lead = (time - BoardClock.truth(now)).seconds.remainder(dividingBy: rollover)
      return lead > 1 ? nil : "it is not ahead"
    case .clockUntrusted:
      return tracker?.wall(at: clock.moment(at: now)) == nil ? nil : "there is a trusted clock"
    case .notNewer(let time, let last): return time <= last ? nil : "it is newer"
    case .tooNear(let metres, let needed):
      if judging.reading != nil, !expectedDistances.contains(needed) {
        return "\(expectedDistances) m are asked for"
      }
      return metres < needed ? nil : "it is not"
    case .choosing(let seconds):
      return seconds == Double(configuration.reports.significantWindow) ? nil : "people want another window"
    case .modeByNetwork(_, _, isJoined: true):
      return wire.isUp && way.network == .wifi(ssid: Way.wifi, bssid: nil)
        ? nil : "the board is in another one"
    case .modeByTime(_, let times, let isBegun): return lie(times, isBegun: isBegun)
    case .dwelling(_, let seconds, let needed): return seconds < needed ? nil : "that is long enough"
    case .settling(let metres, let needed): return metres > needed ? nil : "it is good"
    case .tooSoon(let seconds, let needed):
      let asked = Double(configuration.reports.significantInterval)
      return seconds < needed && needed == asked ? nil : "\(asked) s are asked for"
    case .notConfirmed(_, let seen, let needed):
      let asked = configuration.regions.confirm
      return seen < needed && needed == asked ? nil : "\(asked) are asked for"
    case .inaccurate(let metres, let limit):
      let isAsked = limit == Double(configuration.reports.ignoreInaccurateLocations)
      return metres > limit && isAsked ? nil : "it is accurate enough"
    case .implausibleJump(let metres, let possible): return metres > possible ? nil : "it is possible"
    case .modeIsQuiet: return isMode(.quiet) ? nil : "it is not"
    case .modeIsManual: return isMode(.manual) ? nil : "it is not"
    case .offline: return configuration.broker.port == 0 ? nil : "it is not"
    case .noIdentity: return configuration.identity.username.isEmpty ? nil : "it is set"
    case .followInMove: return isMode(.move) ? nil : "it is not"
    case .neverAnyFix: return judging.lastPublish == nil ? nil : "a position was published"
    case .sameTime(let time):
      if judging.times.isEmpty || judging.times.contains(time) { return nil }
      let isOfAnotherLife = ledger.made.contains {
        if case .location(let location) = $0.report { location.time.wholeSeconds == time } else { false }
      }
      return isOfAnotherLife ? nil : "none was of that second"
    default: return nil
    }
  }
}

extension World {
  /// Regions may switch the mode in the middle of an event.
  fileprivate func isMode(_ mode: MonitoringMode) -> Bool {
    judging.modeBefore == mode || tracker?.mode.mode == mode || judging.hasSwitched
  }
}

extension Reason {
  fileprivate var isRanging: Bool {
    if case .ranged = self { true } else { false }
  }

  /// It says something of the publish before.
  fileprivate var isMeasured: Bool {
    switch self {
    case .moved, .movedAndWaited, .intervalElapsed, .turned, .speedChanged: true
    default: false
    }
  }
}
