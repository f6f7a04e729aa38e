import Model
import Timebase

/// Orders over the network.
extension Tracker {
  mutating func commanded(_ received: ReceivedCommand, at now: Moment, into effects: inout [Effect]) {
    let action = received.isLegacy ? "publish" : received.command.action
    let wall = clock.wall(at: now)
    if let refusal = commands.objection(to: received, configuration, wall: wall, at: now.instant) {
      return withhold(.commandRefused(action: action, refusal), at: now, into: &effects)
    }
    if configuration.requireEncryptedCommands {
      outbox.remember(.commandsSeen(commands.seen), isUrgent: true)
    }
    obey(received.command, of: .command(topic: received.topic), at: now, into: &effects)
  }

  private mutating func obey(
    _ command: Command, of source: SettingsNews.Source, at now: Moment, into effects: inout [Effect]
  ) {
    switch command {
    case .reportLocation: reportLocation(at: now, into: &effects)
    case .dump:
      tell(command, at: now, into: &effects) { tracker, time in
        .dump(.init(time: time, mode: tracker.modes.state.mode, regions: tracker.sharedRegions))
      }
    case .status:
      tell(command, at: now, into: &effects) { .status($0.statusReport(time: $1, at: now.instant)) }
    case .waypoints: tell(command, at: now, into: &effects) { .waypoints($0.sharedRegions, time: $1) }
    case .reportSteps(let from, let to):
      tell(command, at: now, into: &effects) { .steps(.init(time: $1, from: from, to: to)) }
    case .setWaypoints(let entries):
      obeyed(command, at: now)
      merge(entries, of: source, at: now, into: &effects)
    case .clearWaypoints:
      obeyed(command, at: now)
      for known in regions.tracked { remove(rid: known.region.rid, at: now) }
    case .setConfiguration(let change):
      obeyed(command, at: now)
      adopt(change, of: source, at: now, into: &effects)
    }
  }

  private mutating func reportLocation(at now: Moment, into effects: inout [Effect]) {
    guard modes.state.mode != .quiet else { return withhold(.modeIsQuiet, at: now, into: &effects) }
    guard let position else { return withhold(.neverAnyFix, at: now, into: &effects) }
    publish(position, trigger: .remote, because: .askedRemotely, at: now, into: &effects)
  }

  /// An answer is dated; without a trusted clock there is none to give.
  private mutating func tell(
    _ command: Command, at now: Moment, into effects: inout [Effect],
    _ report: (Tracker, WallTime) -> Report
  ) {
    guard isIdentityValid else { return withhold(.noIdentity, at: now, into: &effects) }
    if configuration.isOffline { return withhold(.offline, at: now, into: &effects) }
    guard let time = clock.wall(at: now) else { return withhold(.clockUntrusted, at: now, into: &effects) }
    emit(report(self, time), because: .commandAnswered(action: command.action), at: now, into: &effects)
  }

  private mutating func obeyed(_ command: Command, at now: Moment) {
    let time = clock.wall(at: now)?.seconds
    journal.note(.commandObeyed(action: command.action), isPublished: true, time: time)
  }

  private var sharedRegions: [Region] {
    regions.tracked.map(\.region).filter { $0.isShared && !$0.name.isEmpty }
  }

  func statusReport(time: WallTime?, at now: Instant) -> StatusReport {
    let queue = outbox.status
    var report = StatusReport(
      time: time, mode: modes.state, queueLength: queue.count,
      historyCount: history.stored + history.points.count)
    report.battery = battery
    report.queueBytes = queue.bytes
    report.oldest = queue.oldest
    report.dropped = queue.dropped
    report.resent = queue.resent
    report.refused = queue.refused
    report.lastConfirmed = outbox.lastConfirmed.map { Int((now - $0).seconds) }
    return report
  }
}
