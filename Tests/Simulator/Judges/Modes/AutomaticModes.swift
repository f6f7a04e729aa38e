import Core
import Model

/// Battery and standstill move the mode with each location that is told, and nothing else of the two does.
struct AutomaticModes: Judge {
  /// The mode as it was before the event that is being handled.
  private var before: ModeState?
  /// Locations that were no pings and were told in this event.
  private var toldPlaces = 0
  /// One came to nothing, as there is no broker to tell it to: it counts all the same.
  private var hasKeptPlace = false
  /// As the tracker was told, which may be behind.
  private var battery: Battery?
  /// The newest entry of the journal then.
  private var entry: UInt64 = 0
  private struct Lowered {
    static let neither = Lowered(byRest: false, byBattery: false)
    var byRest: Bool?
    var byBattery: Bool?
  }

  /// Whether the board has lowered the mode by itself since somebody chose it, over standstill and over a battery; nil:
  /// not known since the start.
  private var lowered = Lowered()

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    // The mode is that of the store.
    case .tookUp: lowered = Lowered()
    case .event(let event):
      if case .batteryChanged(let now) = event { battery = now }
      (before, toldPlaces, hasKeptPlace) = (world.tracker?.mode, 0, false)
      entry = world.tracker?.journal.entries.last?.number ?? 0
    // That a fix is lost tells of no place.
    case .told(.location, because: .fixLost): break
    case .told(.location(let told), because: _): if told.trigger != .ping { toldPlaces += 1 }
    case .withheld(.offline): hasKeptPlace = true
    case .handled(let event): judge(event, world)
    default: break
    }
  }

  private var hasToldPlace: Bool { toldPlaces > 0 }

  /// After the first of two locations standstill may have taken over from a battery that is well: the mode is the same.
  private var mayHaveAdapted: Bool { toldPlaces > 1 && before?.downgraded == true }

  private mutating func judge(_ event: Event, _ world: World) {
    guard let state = world.tracker?.mode, let before else { return }
    guard state != before || hasToldPlace else { return noteChosen(event, from: before, to: state) }
    let isOurs = judgeCauses(world)
    noteChosen(event, from: before, to: state)
    guard isOurs, hasToldPlace, !world.evidence.telling.hasSwitched, !event.isOfOrder, let battery else {
      return
    }
    let (threshold, vehicle) = (world.configuration.reports.downgrade, world.evidence.battery)
    let isLow = threshold > 0 && !battery.isCharging && battery.level < threshold
    // What is adapted is brought back first, and lowered with the next.
    if isLow, state.mode == .move, !before.adapted {
      world.complain(.modes, "still in move mode at \(battery.level) %, below \(threshold)")
    }
    if vehicle.isLow, state.mode == .move, !before.adapted {
      world.complain(.modes, "still in move mode, and the vehicle's battery is low")
    }
    if !isLow, !vehicle.mayBeLow, state.downgraded {
      world.complain(
        .modes, "still lowered at \(battery.level) % \(battery.state), \(threshold) is the limit")
    }
    // The second of two lowers it again.
    if before.adapted, state.adapted, toldPlaces == 1 {
      world.complain(.modes, "a location was told, and the mode is still adapted")
    }
    judgeAdapting(from: before, to: state, world)
  }

  /// What the journal says of the change. False: it has to do with more than battery and standstill.
  private mutating func judgeCauses(_ world: World) -> Bool {
    var isOurs = true
    func isOthers() { (isOurs, world.evidence.battery.timesLowered) = (false, 0) }
    let entries = world.tracker?.journal.entries.reversed().prefix { $0.number > entry } ?? []
    for entry in entries.reversed() {
      switch entry.reason {
      case .modeChanged(_, let mode, let cause):
        if let lie = lie(mode, because: cause, world) {
          world.complain(.modes, "\(entry.reason.sentence): \(lie)")
        }
        changed(by: cause)
        switch cause {
        // With a location that was told, after somebody had raised it, it is no other time.
        case .vehicleBatteryLow:
          if !hasToldPlace, !hasKeptPlace { world.evidence.battery.timesLowered += 1 }
        case .batteryLow, .batteryWell, .still, .moved: break
        default: isOthers()
        }
      case .modeByNetwork, .modeByTime:
        isOthers()
        lowered = .neither
      default: break
      }
    }
    return isOurs
  }

  /// What the board has lowered by itself it may raise again, until somebody says what is to be.
  private mutating func changed(by cause: ModeCause) {
    switch cause {
    case .still: lowered.byRest = true
    case .moved: lowered.byRest = false
    case .batteryLow, .vehicleBatteryLow: lowered.byBattery = true
    case .batteryWell: lowered.byBattery = false
    case .people, .command, .file, .region, .ignition: lowered = .neither
    }
  }

  /// Who names the mode that is in force already has chosen it, and the board may have two reasons at once to leave it as
  /// it is: the journal is silent of both.
  private mutating func noteChosen(_ event: Event, from before: ModeState, to state: ModeState) {
    if case .control(.mode(let mode), _, _) = event, state.mode == mode { lowered = .neither }
    if state.adapted, !before.adapted { lowered.byRest = true }
    if state.downgraded, !before.downgraded { lowered.byBattery = true }
  }

  private func lie(_ mode: MonitoringMode, because cause: ModeCause, _ world: World) -> String? {
    let reports = world.configuration.reports
    switch cause {
    case .region(let name, let crossing): return Self.lie(mode, namedBy: name, crossing, world)
    case .vehicleBatteryLow:
      return world.evidence.battery.mayBeLow ? nil : "the vehicle's battery is not"
    case .moved where lowered.byRest == false && !mayHaveAdapted,
      .batteryWell where lowered.byBattery == false:
      return "it is as somebody has chosen"
    default: break
    }
    guard let battery else { return nil }
    switch cause {
    case .batteryLow(let level):
      let isLow = level < reports.downgrade && level == battery.level && !battery.isCharging
      return isLow ? nil : "it is not low"
    case .batteryWell: return battery.isCharging || battery.level >= reports.downgrade ? nil : "it is low"
    case .still(let seconds):
      return seconds > Double(reports.adapt) * 60 ? nil : "it has to be still for longer"
    default: return nil
    }
  }

  private func judgeAdapting(from before: ModeState, to state: ModeState, _ world: World) {
    let reports = world.configuration.reports
    let isFollowed =
      world.tracker?.knownRegions.contains { $0.region.isFollow && $0.presence == .inside } ?? false
    if state.adapted, reports.adaptRequiresFollow, !isFollowed, !before.adapted {
      world.complain(.modes, "adapted outside of every follow region")
    }
    guard world.isReceiverOn, world.noise == 0 else { return }
    let known = min(world.sound, world.age)
    if state.adapted, !before.adapted, known > 120, world.drives > 60 {
      world.complain(.modes, "adapted after \(world.drives) s of driving")
    }
    guard reports.adapt > 0, state.mode == .move, isFollowed || !reports.adaptRequiresFollow,
      let mode = world.evidence.mode.mode, mode.0 == .move
    else { return }
    let (still, most) = (min(known, world.stands, world.quiet), Double(reports.adapt) * 60 + 120)
    if still > most, world.seconds(since: mode.since) > most {
      world.complain(
        .modes, "still for \(Int(still)) s, \(Double(reports.adapt)) min are asked for, and in move mode")
    }
  }

  // MARK: Names

  /// Of a region `Name|in|out` the one mode is for who comes and the other for who goes. Nil: the name does ask for it.
  private static func lie(
    _ mode: MonitoringMode, namedBy name: String, _ crossing: Crossing, _ world: World
  ) -> String? {
    // Who changes a region may leave it under its old name.
    guard !world.evidence.telling.isOfOrder, let regions = world.tracker?.knownRegions.map(\.region) else {
      return nil
    }
    let wanted = regions.filter { $0.eventName == name }.compactMap { Self.mode(in: $0.name, crossing) }
    if wanted.isEmpty || wanted.contains(mode.rawValue) { return nil }
    return "its name asks for \(wanted.map(String.init).joined(separator: " or "))"
  }

  /// Nil: the name leaves the mode as it is.
  static func mode(in name: String, _ crossing: Crossing) -> Int? {
    let parts = name.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    return Int(parts[crossing == .enter ? 1 : 2])
  }
}
