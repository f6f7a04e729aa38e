import Model
import Timebase

/// How far the board has to step down to spare its own battery, or the vehicle's (`batterySteps`).
///
///     none ⇄ receiver ⇄ beacons ⇄ checkins ⇄ off
///
/// One step or several down: below the limit of a step, for 60 s, or for 10 s at a check-in, which is over before a minute.
/// Up: 5 % above it, or 2.5 % of the volts, or charged, for 10 s. A level that is not known begins no step and ends none.
/// The deeper step of the two batteries counts.
struct BatteryWatch {
  static let lasting = (down: Span.seconds(60), downAtCheckIn: Span.seconds(10), up: Span.seconds(10))
  /// Above a limit: percent of the board's own battery, and a share of the vehicle's volts, 0.3 V of 12.
  static let recovery = (percent: 5.0, volts: 1.025)

  /// A limit, and on which side of it the level is.
  private struct Rung {
    let limit: BatteryLimits.Limit
    var isLow: Bool
    /// Since when the level is on the other side.
    var since: Instant?

    func due(atCheckIn: Bool) -> Instant? {
      since.map { $0 + (isLow ? lasting.up : atCheckIn ? lasting.downAtCheckIn : lasting.down) }
    }

    mutating func seen(_ level: Double?, isCharged: Bool, at now: Instant) {
      let enough =
        switch limit.source {
        case .board: limit.level + recovery.percent
        case .vehicle: limit.level * recovery.volts
        }
      let isOther =
        if isCharged { isLow } else { level.map { isLow ? $0 >= enough : $0 < limit.level } ?? false }
      since = isOther ? since ?? now : nil
    }
  }

  /// Another step than before.
  struct Change: Hashable {
    var before: BatteryStep?
    var cause: BatteryStepNews.Cause
  }

  private var rungs: [Rung] = []
  /// In force, as it was told; nil: none is.
  private(set) var step: BatteryStep?
  private var battery: Battery?
  private var volts: Double?
  private var isIgnitionOn = false
  private var isCheckingIn = false
  /// The vehicle stood when it was seen last.
  private(set) var isStanding = false
  /// Something switches the board on again by itself.
  private(set) var canWake = true

  /// `stored`: as it was when the board was switched off, or restarted.
  init(_ stored: BatterySteps = BatterySteps(), limits: [BatteryLimits.Limit] = []) {
    step = stored.deepest
    rungs = Self.rungs(limits, stored)
  }

  private static func rungs(_ limits: [BatteryLimits.Limit], _ steps: BatterySteps) -> [Rung] {
    limits.map { limit in
      let step = limit.source == .board ? steps.board : steps.vehicle
      return Rung(limit: limit, isLow: step.map { $0 >= limit.step } ?? false)
    }
  }

  // MARK: Input

  mutating func seen(_ battery: Battery?, deadlines: inout Deadlines, at now: Instant) {
    self.battery = battery
    look(deadlines: &deadlines, at: now)
  }

  mutating func measured(_ volts: Double?, deadlines: inout Deadlines, at now: Instant) {
    self.volts = volts
    look(deadlines: &deadlines, at: now)
  }

  mutating func ignition(_ isOn: Bool?, deadlines: inout Deadlines, at now: Instant) {
    isIgnitionOn = isOn == true
    look(deadlines: &deadlines, at: now)
  }

  /// The limits, where they may be others. A step whose limit is gone is over.
  mutating func configure(_ limits: [BatteryLimits.Limit], deadlines: inout Deadlines, at now: Instant) {
    if limits != rungs.map(\.limit) { rungs = Self.rungs(limits, steps) }
    look(deadlines: &deadlines, at: now)
    if steps.deepest != step { deadlines.arm(.batteryStep, by: now) }
  }

  /// The board has woken to check in, or stays on after that.
  mutating func checksIn(_ isUnderWay: Bool, deadlines: inout Deadlines) {
    isCheckingIn = isUnderWay
    if !rungs.isEmpty { deadlines[.batteryStep] = next }
  }

  /// Conditions of a step that switches the board off. True: they have changed.
  mutating func stands(_ isStanding: Bool, canWake: Bool) -> Bool {
    guard isStanding != self.isStanding || canWake != self.canWake else { return false }
    (self.isStanding, self.canWake) = (isStanding, canWake)
    return true
  }

  private mutating func look(deadlines: inout Deadlines, at now: Instant) {
    guard !rungs.isEmpty else { return }
    for index in rungs.indices {
      switch rungs[index].limit.source {
      case .board:
        rungs[index].seen(battery.map { Double($0.level) }, isCharged: battery?.isCharging ?? false, at: now)
      case .vehicle: rungs[index].seen(volts, isCharged: isIgnitionOn, at: now)
      }
    }
    deadlines[.batteryStep] = next
  }

  /// The deadline has passed. Nil: the step stays.
  mutating func fellDue(deadlines: inout Deadlines, at now: Instant) -> Change? {
    var turned: BatteryLimits.Source?
    for index in rungs.indices {
      guard let due = rungs[index].due(atCheckIn: isCheckingIn), due <= now else { continue }
      rungs[index].isLow.toggle()
      rungs[index].since = nil
      turned = rungs[index].limit.source
    }
    deadlines[.batteryStep] = next
    let before = step
    step = steps.deepest
    return step == before ? nil : Change(before: before, cause: cause(turned))
  }

  private func cause(_ source: BatteryLimits.Source?) -> BatteryStepNews.Cause {
    switch source {
    case .board?: battery.map { .percent($0.level, isCharged: $0.isCharging) } ?? .settings
    case .vehicle?: isIgnitionOn ? .ignition : volts.map { .volts($0) } ?? .settings
    case nil: .settings
    }
  }

  /// Adapters told another tracker of this process, and tell nothing twice.
  mutating func goOn(from earlier: BatteryWatch, deadlines: inout Deadlines, at now: Instant) {
    (battery, volts, isIgnitionOn) = (earlier.battery, earlier.volts, earlier.isIgnitionOn)
    (step, rungs) = (earlier.step, earlier.rungs)
    deadlines[.batteryStep] = next
  }

  // MARK: Questions

  /// The limits are set.
  var isOn: Bool { !rungs.isEmpty }

  /// For the store.
  var steps: BatterySteps {
    func deepest(_ source: BatteryLimits.Source) -> BatteryStep? {
      rungs.last { $0.limit.source == source && $0.isLow }?.limit.step
    }
    return BatterySteps(board: deepest(.board), vehicle: deepest(.vehicle))
  }

  /// Another step may be in force in a moment.
  var isTurning: Bool { rungs.contains { $0.since != nil } }

  /// Why the board is to be switched off by its step; nil: it is not, for now. Nothing follows from a level that is not
  /// known, and where nothing wakes the board, check-ins would be its end.
  var haltCause: HaltCause? {
    guard let step, step >= .checkins, step == .off || (isStanding && canWake) else { return nil }
    for rung in rungs where rung.isLow && rung.limit.step == step {
      switch rung.limit.source {
      case .board: if let battery { return .batteryStep(step, .percent(battery.level)) }
      case .vehicle: if let volts { return .batteryStep(step, .volts(volts)) }
      }
    }
    return nil
  }

  private var next: Instant? { rungs.compactMap { $0.due(atCheckIn: isCheckingIn) }.min() }
}
