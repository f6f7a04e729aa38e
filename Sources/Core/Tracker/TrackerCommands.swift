import Model
import Timebase

/// Orders over the network.
extension Tracker {
  mutating func commanded(_ received: ReceivedCommand, at now: Moment, into effects: inout [Effect]) {
    let action = received.isLegacy ? "publish" : received.command.action
    let wall = clock.wall(at: now)
    if let refusal = commands.refusal(of: received, layers.inForce, wall: wall, at: now.instant) {
      return barred(action, received.id, refusal, at: now, into: &effects)
    }
    keepOn(.order, at: now)
    if layers.inForce.commands.requireEncrypted {
      outbox.remember(.commandsSeen(commands.seen), isUrgent: true)
    }
    if let step = received.command.ofCertificate {
      return renew(step, received, at: now, into: &effects)
    }
    let outcome = obey(received.command, of: .command(topic: received.topic), at: now, into: &effects)
    if let reason = outcome.reason(of: received) { note(reason, at: now) }
    guard let id = received.id else { return }
    var result = outcome.result(of: received, id)
    result.topic = received.topic.map { $0 + "/answer" }
    answer(result, at: now, into: &effects)
  }

  private mutating func renew(
    _ step: CertificateOrder.Step, _ received: ReceivedCommand, at now: Moment, into effects: inout [Effect]
  ) {
    guard let id = received.id else {
      let why = "it has no id, and so there would be no answer"
      return note(.commandSenseless(action: received.command.action, why: why), at: now)
    }
    let topic = received.topic.map { $0 + "/answer" }
    effects.append(.renew(CertificateOrder(step, id: id, topic: topic)))
  }

  /// The answer to an order about the certificate.
  mutating func certificateSettled(_ result: CommandResult, at now: Moment, into effects: inout [Effect]) {
    let action = result.action ?? ""
    let why = CommandOutcome.brief(result.reason ?? "")
    note(
      result.outcome == .refused
        ? .commandSenseless(action: action, why: why) : .commandObeyed(action: action), at: now)
    answer(result, at: now, into: &effects)
  }

  /// Permission was refused; `action` as far as it is known.
  mutating func barred(
    _ action: String?, _ id: CommandID?, _ refusal: CommandRefusal, at now: Moment,
    into effects: inout [Effect]
  ) {
    withhold(.commandRefused(action: action ?? "of unknown action", refusal), at: now, into: &effects)
    guard let id else { return }
    answer(.init(id: id, action: action, .refused, reason: refusal.sentence), at: now, into: &effects)
  }

  /// It makes no sense; `reason` in one line.
  mutating func malformed(
    _ action: String?, _ id: CommandID?, _ reason: String, at now: Moment, into effects: inout [Effect]
  ) {
    note(.commandSenseless(action: action, why: CommandOutcome.brief(reason)), at: now)
    guard let id else { return }
    answer(.init(id: id, action: action, .refused, reason: reason), at: now, into: &effects)
  }

  /// Sends the result of a command to its sender. The number of refusals reported is limited.
  mutating func answer(_ result: CommandResult, at now: Moment, into effects: inout [Effect]) {
    let action = result.action ?? "of unknown action"
    if result.outcome == .refused, !commands.mayAnswerRefusal(at: now.instant) {
      return withhold(.resultNotTold(action: action), at: now, into: &effects)
    }
    var result = result
    result.time = clock.wall(at: now)
    publish(.result(action: action, result.outcome), at: now, into: &effects) { _ in .result(result) }
  }

  private mutating func obey(
    _ command: Command, of source: SettingsNews.Source, at now: Moment, into effects: inout [Effect]
  ) -> CommandOutcome {
    switch command {
    case .reportLocation:
      let outcome = publish(.remote, positioning.position, at: now, into: &effects)
      return askForLook(.remote) && !outcome.isPublishedOrKept ? .done : CommandOutcome(outcome)
    case .dump:
      let (mode, regions) = (modes.state.mode, sharedRegions)
      return answer(command, at: now, into: &effects) {
        .dump(.init(time: $0, mode: mode, regions: regions))
      }
    case .status:
      let status = statusReport(time: clock.wall(at: now), at: now.instant)
      return answer(command, at: now, into: &effects) { _ in .status(status) }
    case .waypoints:
      let regions = sharedRegions
      return answer(command, at: now, into: &effects) { .waypoints(regions, time: $0) }
    case .reportSteps(let from, let to):
      return answer(command, at: now, into: &effects) { .steps(.init(time: $0, from: from, to: to)) }
    case .setWaypoints(let entries):
      return .merged(merge(entries, of: source, at: now, into: &effects), of: entries.count)
    case .clearWaypoints:
      for known in regions.tracked { remove(rid: known.region.rid, at: now) }
      return .done
    case .park:
      return park(at: now, into: &effects).map(CommandOutcome.refused) ?? .done
    case .setConfiguration(var change):
      let refusal = takeAnchor(outOf: &change, at: now.instant)
      let counts = adopt(change, of: source, at: now, into: &effects)
      return .changed(change, counts, isOnTrial: layers.isOnTrial, without: refusal)
    case .acknowledgeSOS:
      return acknowledgeSOS(at: now, into: &effects) ? .done : .refused("there is no SOS to acknowledge")
    case .requestCertificate, .setCertificate:
      releaseAssert(false, "a command about the certificate is answered by an event")
      return .done
    }
  }

  private mutating func answer(
    _ command: Command, at now: Moment, into effects: inout [Effect], _ make: @escaping (WallTime) -> Report
  ) -> CommandOutcome {
    CommandOutcome(publish(.answer(action: command.action), at: now, into: &effects, make))
  }

  private var sharedRegions: [Region] {
    regions.tracked.map(\.region).filter { region in
      region.isShared && !region.name.isEmpty
        && (region.hidesReports || regions.circle(hiding: region.coordinate) == nil)
    }
  }

  func statusReport(time: WallTime?, at now: Instant) -> StatusReport {
    let queue = outbox.status(at: now)
    var report = StatusReport(
      time: time, mode: modes.state, queueLength: queue.count,
      historyCount: history.count)
    report.battery = surroundings.battery
    report.presence.missed = shutDown.checkIn.missed
    report.presence.batteryStep = shutDown.battery.isOn ? shutDown.battery.step?.word ?? "none" : nil
    report.network = surroundings.network
    (report.ignition, report.vehicleVolts) = (shutDown.status.ignition, shutDown.status.volts)
    report.alarms.anchorAlarm = layers.inForce.journey.anchorAlarm
    report.alarms.sos = journey.sos.state?.times
    report.alarms.jamming = journey.interference.told(.jamming)?.level
    report.alarms.spoofing = journey.interference.told(.spoofing)?.level
    report.alarms.isDragging = journey.anchor.state?.isDragging ?? false
    report.queueBytes = queue.bytes
    report.oldest = queue.oldest
    report.dropped = queue.dropped
    report.resent = queue.resent
    report.refused = queue.refused
    report.lastConfirmed = queue.lastConfirmed
    report.data = dataUse(at: time)
    return report
  }
}

extension Command {
  /// Its step of a renewal; nil: it is about something else.
  fileprivate var ofCertificate: CertificateOrder.Step? {
    switch self {
    case .requestCertificate: .request
    case .setCertificate(let text): .take(text)
    case _: nil
    }
  }
}
