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

  /// Somebody's explicit wish (a person, a command, a region's name): clears both flags, even when it
  /// names the mode that is active already. True when anything changed.
  mutating func set(_ mode: MonitoringMode, configured: MonitoringMode? = nil) -> Bool {
    let before = state
    state = ModeState(mode: mode, configured: configured ?? state.configured)
    return state != before
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
