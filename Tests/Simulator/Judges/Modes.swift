import Core
import Model
import Timebase

/// What is kept between two looks at the mode and at what it has to tell by itself. Kept by the world.
struct Upkeep {
  /// The mode that is in force, since when, and since when it is one that pings.
  fileprivate var mode: (MonitoringMode, since: Instant)?
  fileprivate var pingsSince: Instant?
  /// The mode as it was before the event that is being handled.
  fileprivate var before: ModeState?
  /// A location that was no ping was told in this event.
  fileprivate var hasToldPlace = false
  /// One came to nothing, as there is no broker to tell it to: it counts all the same.
  fileprivate var hasKeptPlace = false
  /// The settings that ping and interval were counted by.
  fileprivate var counted: (ping: Int, interval: Int)?

  /// As the tracker was told, which may be behind.
  fileprivate var battery: Battery?
  /// The newest entry of the journal then.
  fileprivate var entry: UInt64 = 0
  /// Whether the board has lowered the mode by itself since somebody chose it, over standstill and over a battery; nil:
  /// not known since the start.
  fileprivate var lowered: (byRest: Bool?, byBattery: Bool?)

  var inForce: (MonitoringMode, since: Instant)? { mode }
  func isMode(since: Instant) -> Bool { mode.map { $0.since < since } ?? false }

  mutating func begin(_ event: Event, _ tracker: LivingTracker?) {
    if case .batteryChanged(let now) = event { battery = now }
    (before, hasToldPlace, hasKeptPlace) = (tracker?.mode, false, false)
    entry = tracker?.journal.entries.last?.number ?? 0
  }

  /// The mode is that of the store.
  mutating func tookUp() { lowered = (nil, nil) }

  /// What the board has lowered by itself it may raise again, until somebody says what is to be.
  fileprivate mutating func changed(by cause: ModeCause) {
    switch cause {
    case .still: lowered.byRest = true
    case .moved: lowered.byRest = false
    case .batteryLow, .vehicleBatteryLow: lowered.byBattery = true
    case .batteryWell: lowered.byBattery = false
    case .people, .command, .file, .region, .ignition: lowered = (false, false)
    }
  }

  /// That a fix is lost tells of no place.
  mutating func told(_ report: Report, because reason: Reason?) {
    guard case .location(let location) = report, location.trigger != .ping else { return }
    if case .fixLost = reason { return }
    hasToldPlace = true
  }

  mutating func withheld(_ reason: Reason) { if case .offline = reason { hasKeptPlace = true } }
}

extension World {
  /// Seconds that a sign of life, or a location of the move timer, may come later than it is due.
  private static let slack = 40.0
  /// Somebody who has looked after everything is done with it, seconds.
  private static let settled = 180.0

  // MARK: Each event

  /// Battery and standstill move the mode with each location that is told, and nothing else of the two does.
  func judgeMode(after event: Event) {
    guard let state = tracker?.mode, let before = upkeep.before else { return }
    if state != before { intervals.begin() }
    guard state != before || upkeep.hasToldPlace else {
      return noteChosen(event, from: before, to: state)
    }
    let isOurs = judgeCauses()
    noteChosen(event, from: before, to: state)
    guard isOurs, upkeep.hasToldPlace, !judging.hasSwitched else { return }
    switch event {
    case .control, .commanded, .configured: return
    default: break
    }
    guard let battery = upkeep.battery else { return }
    let threshold = configuration.reports.downgrade
    let isLow = threshold > 0 && !battery.isCharging && battery.level < threshold
    // What is adapted is brought back first, and lowered with the next.
    if isLow, state.mode == .move, !before.adapted {
      ledger.complain(.modes, "still in move mode at \(battery.level) %, below \(threshold)", at: now)
    }
    if sag.isLow, state.mode == .move, !before.adapted {
      ledger.complain(.modes, "still in move mode, and the vehicle's battery is low", at: now)
    }
    if !isLow, !sag.mayBeLow, state.downgraded {
      ledger.complain(
        .modes, "still lowered at \(battery.level) % \(battery.state), \(threshold) is the limit", at: now)
    }
    if before.adapted, state.adapted {
      ledger.complain(.modes, "a location was told, and the mode is still adapted", at: now)
    }
    judgeAdapting(from: before, to: state)
  }

  /// What the journal says of the change. False: it has to do with more than battery and standstill.
  private func judgeCauses() -> Bool {
    var isOurs = true
    let entries = tracker?.journal.entries.reversed().prefix { $0.number > upkeep.entry } ?? []
    for entry in entries.reversed() {
      switch entry.reason {
      case .modeChanged(_, let mode, let cause):
        if let lie = lie(mode, because: cause) {
          ledger.complain(.modes, "\(entry.reason.sentence): \(lie)", at: now)
        }
        upkeep.changed(by: cause)
        switch cause {
        case .vehicleBatteryLow: sag.lowered(isByPlace: upkeep.hasToldPlace || upkeep.hasKeptPlace)
        case .batteryLow, .batteryWell, .still, .moved: break
        default:
          isOurs = false
          sag.raised()
        }
      case .modeByNetwork, .modeByTime:
        isOurs = false
        upkeep.lowered = (false, false)
        sag.raised()
      default: break
      }
    }
    return isOurs
  }

  /// Who names the mode that is in force already has chosen it, and the board may have two reasons at once to leave it as
  /// it is: the journal is silent of both.
  private func noteChosen(_ event: Event, from before: ModeState, to state: ModeState) {
    if case .control(.mode(let mode), _, _) = event, state.mode == mode { upkeep.lowered = (false, false) }
    if state.adapted, !before.adapted { upkeep.lowered.byRest = true }
    if state.downgraded, !before.downgraded { upkeep.lowered.byBattery = true }
  }

  private func lie(_ mode: MonitoringMode, because cause: ModeCause) -> String? {
    if case .region(let name, let crossing) = cause {
      return lie(mode: mode, namedBy: name, crossing)
    }
    if cause == .vehicleBatteryLow { return sag.mayBeLow ? nil : "the vehicle's battery is not" }
    switch cause {
    case .moved where upkeep.lowered.byRest == false, .batteryWell where upkeep.lowered.byBattery == false:
      return "it is as somebody has chosen"
    default: break
    }
    guard let battery = upkeep.battery else { return nil }
    let threshold = configuration.reports.downgrade
    switch cause {
    case .batteryLow(let level):
      return level < threshold && level == battery.level && !battery.isCharging ? nil : "it is not low"
    case .batteryWell:
      return battery.isCharging || battery.level >= threshold ? nil : "it is low"
    case .still(let seconds):
      return seconds > Double(configuration.reports.adapt) * 60 ? nil : "it has to be still for longer"
    default: return nil
    }
  }

  private func judgeAdapting(from before: ModeState, to state: ModeState) {
    let minutes = Double(configuration.reports.adapt)
    let isFollowed = tracker?.knownRegions.contains { $0.region.isFollow && $0.presence == .inside } ?? false
    if state.adapted, configuration.reports.adaptRequiresFollow, !isFollowed, !before.adapted {
      ledger.complain(.modes, "adapted outside of every follow region", at: now)
    }
    guard configuration.receiver.dutyCycle == 0, let sound = receiver.soundSince,
      receiver.ground.reach.standing == 0, let began = ledger.lifeBegan(life)
    else { return }
    let known = min((now - sound).seconds, (now - began).seconds)
    if state.adapted, !before.adapted, let drives = watch.drivesSince, known > 120,
      (now - drives).seconds > 60
    {
      ledger.complain(.modes, "adapted after \((now - drives).seconds) s of driving", at: now)
    }
    guard minutes > 0, state.mode == .move, isFollowed || !configuration.reports.adaptRequiresFollow,
      let stands = watch.standsSince
    else { return }
    let still = min(known, (now - stands).seconds)
    if still > minutes * 60 + 120, let mode = upkeep.mode, mode.0 == .move,
      (now - mode.since).seconds > minutes * 60 + 120
    {
      ledger.complain(
        .modes, "still for \(Int(still)) s, \(minutes) min are asked for, and in move mode", at: now)
    }
  }

  // MARK: Once a second

  /// What is told by itself comes in time, when the faults are over and the receiver is well.
  func judgeTimers() {
    guard let tracker, isRunning, !isStopping, !isVeiled else {
      upkeep.mode = nil
      upkeep.pingsSince = nil
      return
    }
    let (mode, reports) = (tracker.mode.mode, configuration.reports)
    if upkeep.mode?.0 != mode { upkeep.mode = (mode, now) }
    let isPinging = mode == .move || mode == .significant
    if upkeep.counted.map({ $0 != (reports.ping, reports.locatorInterval) }) ?? true || !isPinging {
      upkeep.counted = (reports.ping, reports.locatorInterval)
      upkeep.pingsSince = nil
    }
    if isPinging { upkeep.pingsSince = upkeep.pingsSince ?? now }
    guard let calm = ledger.calmSince, (now - calm).seconds > Self.settled, clock.isSynchronised,
      configuration.broker.port != 0, now < rest, let pings = upkeep.pingsSince
    else { return }
    if reports.ping > 0 {
      // What was kept and not told, while there was no broker to tell it to, counted as well.
      let waited = (now - max(judging.lastPublish ?? pings, pings, calm)).seconds
      if waited > Double(reports.ping * 60 + reports.significantWindow) + Self.slack {
        ledger.complain(.prompt, "no sign of life for \(Int(waited)) s, ping is \(reports.ping) min", at: now)
      }
    }
    guard mode == .move, let since = upkeep.mode?.since, reports.locatorInterval > 0,
      configuration.receiver.dutyCycle == 0, let sound = receiver.soundSince,
      receiver.ground.reach.standing == 0
    else { return }
    let waited = (now - max(judging.reference?.at ?? since, since, sound, calm)).seconds
    if waited > Double(reports.locatorInterval) + Self.slack {
      let wanted = reports.locatorInterval
      ledger.complain(.prompt, "nothing told for \(Int(waited)) s, locatorInterval is \(wanted) s", at: now)
    }
  }
}
