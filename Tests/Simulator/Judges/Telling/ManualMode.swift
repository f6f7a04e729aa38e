import Core
import Model

/// In manual mode nothing is told by itself but what happens: crossings, signs of life, alarms, a connection.
struct ManualMode: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .told(.location(let location), because: let reason) = what,
      world.evidence.telling.modeBefore == .manual, !world.evidence.telling.hasSwitched,
      world.tracker?.mode.mode == .manual, Self.isOfItself(location.trigger, reason)
    else { return }
    world.complain(
      .reasons, "told in manual mode: \(location.trigger), \(reason.map { "\($0)" } ?? "-")")
  }

  /// Nobody asked, and nothing happened.
  static func isOfItself(_ trigger: Trigger, _ reason: Reason?) -> Bool {
    switch trigger {
    case .automatic: reason != .connected
    case .timer, .ignition, .power: true
    case .user, .remote, .ping, .circular, .follow, .beacon, .tow, .overspeed, .lowBattery, .batteryWell,
      .sos, .harsh:
      false
    }
  }
}
