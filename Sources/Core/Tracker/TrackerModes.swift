import Model
import Timebase

/// The mode follows networks and the time of day (docs/behaviour.md, "Mode by network and by time").
extension Tracker {
  /// A network has been there, or gone, for long enough.
  mutating func followNetwork(at now: Moment, into effects: inout [Effect]) {
    guard modes.network.fellDue(deadlines: &deadlines, at: now.instant) != nil else { return }
    followRules(at: now, into: &effects)
  }

  /// The network, or the rules of networks, are others than before.
  mutating func followRules(at now: Moment, into effects: inout [Effect]) {
    let before = modes.state.taken
    let edge = modes.edge(of: layers.inForce.reports.networkModes.value)
    take(edge, isNoted: modes.state.taken != before, at: now, into: &effects) { edge in
      .modeByNetwork(edge.mode, network: String(edge.rule.what), isJoined: edge.isBegin)
    }
  }

  /// Follows the local time where the board is; nothing follows from it while the board's own clock is not trusted.
  mutating func followTime(_ minute: Int, at now: Moment, into effects: inout [Effect]) {
    guard clock.wall(at: now) != nil else { return }
    outbox.timeChanged(
      isFree: layers.inForce.queue.backlogTimes.value?.hold(at: minute) ?? false, deadlines: &deadlines,
      at: now.instant)
    reportOldLocations(at: now, into: &effects)
    let before = modes.state.taken
    let edge = modes.edge(of: layers.inForce.reports.timeModes, at: minute)
    take(edge, isNoted: modes.state.taken != before, at: now, into: &effects) { edge in
      .modeByTime(edge.mode, times: String(edge.rule.what), isBegun: edge.isBegin)
    }
  }

  private mutating func take(
    _ edge: ModeEdge?, isNoted: Bool, at now: Moment, into effects: inout [Effect],
    _ reason: (ModeEdge) -> Reason
  ) {
    var isSet = false
    let before = modes.state.mode
    if let edge {
      if modes.isChosen {
        if edge.mode != modes.state.mode {
          withhold(.modeIsChosen(modes.state.mode, rule: edge.rule.text), at: now, into: &effects)
        }
      } else {
        isSet = modes.set(edge.mode, isByRule: true)
        let reason = reason(edge)
        withhold(reason, at: now, into: &effects)
        if isSet { modes.reason = reason }
      }
    }
    // It must not be done once more after a start.
    if isSet { modeChanged(from: before, because: nil, at: now) } else if isNoted { rememberMode() }
  }
}
