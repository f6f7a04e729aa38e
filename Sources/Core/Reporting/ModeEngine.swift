import Model
import Timebase

/// The monitoring mode and its automatic changes (docs/behaviour.md, "Automatic changes of mode").
struct ModeEngine {
  struct Rules {
    /// Percent; 0: off.
    var downgrade: Int
    /// 0: off.
    var adaptAfter: Span
    var adaptRequiresFollow: Bool
  }

  var state: ModeState
  /// Why it is in force; nil: since before this start.
  var reason: Reason?
  /// For rules of networks.
  var network: SteadyNetwork
  /// When the rules of times were looked at last, minutes of local time since 1970.
  private var lookedAt: Int?

  init(state: ModeState) {
    self.state = state
    lookedAt = state.taken.minute
    network = SteadyNetwork(state.taken.network.flatMap(NetworkModes.rule).map { String($0.what) })
  }

  /// Somebody's explicit wish (a person, a command), or a rule's (a region's name, a network, the time of day): clears
  /// both flags, even when it names the mode that is active already. True when anything changed.
  mutating func set(_ mode: MonitoringMode, configured: MonitoringMode? = nil, isByRule: Bool = false) -> Bool
  {
    let before = state
    state = ModeState(
      mode: mode, configured: configured ?? state.configured, isByRule: isByRule, taken: state.taken)
    return state != before
  }

  // MARK: Rules of networks and times

  /// No rule changes quiet or manual mode that was chosen explicitly.
  var isChosen: Bool { (state.mode == .quiet || state.mode == .manual) && !state.isByRule }

  /// Mode change by the rule of the network, where the network is known. It is noted as done.
  mutating func edge(of rules: NetworkModes?) -> ModeEdge? {
    guard let counted = network.counted else { return nil }
    let rule = rules?.rule(of: counted)
    let ended = state.taken.network.flatMap(NetworkModes.rule)
    state.taken.network = rule?.text
    return ModeEdge(from: ended, to: rule)
  }

  /// Mode change by the rules of times at this minute of local time since 1970. Where the board slept or was off, or
  /// its clock was wrong, rules of the last day that began or ended meanwhile count as well: the last one sets the
  /// mode. It is noted as done.
  mutating func edge(of rules: Written<TimeModes>, at minute: Int) -> ModeEdge? {
    var rule = state.taken.time.flatMap { TimeModes.Daily($0)?.rule }
    var edge: ModeEdge?
    func go(to next: ModeRule?) {
      edge = ModeEdge(from: rule, to: next) ?? edge
      rule = next
    }
    if rules.text == state.taken.timeModes, let lookedAt, lookedAt < minute {
      var passed = max(lookedAt, minute - DailyPeriod.day)
      while let next = rules.value?.nextEdge(after: passed), next <= minute {
        go(to: rules.value?.rule(at: next))
        passed = next
      }
    }
    go(to: rules.value?.rule(at: minute))
    lookedAt = minute
    // Only what says something new is worth a write.
    if edge != nil || rule?.text != state.taken.time || rules.text != state.taken.timeModes {
      (state.taken.time, state.taken.timeModes, state.taken.minute) = (rule?.text, rules.text, minute)
    }
    return edge
  }

  /// After a published location that was no ping. Downgrade first, then adapt, each reading the mode
  /// that the step before left. True when anything changed.
  /// The battery that starts the vehicle counts as the board's own does: `isVehicleLow` lowers the mode, and
  /// where the board has none, `isVehicleWell` is what restores it.
  mutating func reconsider(
    battery: Battery?, isVehicleLow: Bool = false, isVehicleWell: Bool = false, stillFor: Span,
    isInsideFollow: Bool, rules: Rules
  ) -> Bool {
    let before = state
    if isVehicleLow {
      _ = lower()
    } else {
      downgrade(battery, below: battery == nil && isVehicleWell ? 0 : rules.downgrade)
    }
    let mayAdapt = isInsideFollow || !rules.adaptRequiresFollow
    if state.mode == .move {
      if rules.adaptAfter > .zero, stillFor > rules.adaptAfter, mayAdapt {
        state.adapted = true
        state.mode = .significant
      }
    } else if state.adapted {
      state.adapted = false
      state.mode = .move
    }
    assert(state.mode != .move || !(state.adapted || state.downgraded), "back in move mode, and still noted")
    assert(!(state.adapted && state.downgraded), "two reasons to leave one mode")
    return state != before
  }

  /// The vehicle's battery is low. True when anything changed.
  mutating func lower() -> Bool {
    guard state.mode == .move else { return false }
    state.downgraded = true
    state.mode = .significant
    return true
  }

  private mutating func downgrade(_ battery: Battery?, below threshold: Int) {
    if state.mode != .move, state.downgraded, threshold == 0 {
      state.downgraded = false
      state.mode = .move
      return
    }
    guard let battery, threshold > 0 else { return }
    if state.mode == .move {
      guard !battery.isCharging, battery.level < threshold else { return }
      state.downgraded = true
      state.mode = .significant
    } else if state.downgraded, battery.isCharging || battery.level >= threshold {
      state.downgraded = false
      state.mode = .move
    }
  }
}
