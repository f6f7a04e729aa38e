import Model
import Timebase

/// Calls for help (docs/behaviour.md, "SOS"). They pass where nothing else does: in quiet mode, inside a private region,
/// with any accuracy.
extension Tracker {
  /// A call that was open before the start keeps the board on; not one that has woken with an empty battery.
  mutating func startSOS(at now: Moment) {
    guard journey.sos.isOpen else { return }
    journey.sos.start(at: now.instant)
    deadlines[.sos] = journey.sos.next
    announcement.sosFound()
    shutDown.helpIsWanted(true, rules: layers.rules.shutDown, deadlines: &deadlines, at: now.instant)
    if shutDown.checkIn.sleep?.isBatteryLow != true { keepOn(.sos, at: now) }
  }

  mutating func sosLineChanged(_ isOn: Bool?, at now: Instant) {
    journey.sos.line(isOn, at: now)
    deadlines[.sos] = journey.sos.next
  }

  mutating func runSOSDeadline(at now: Moment, into effects: inout [Effect]) {
    guard deadlines.takeIfDue(.sos, at: now.instant) else { return }
    if journey.sos.takePress(at: now.instant) { callForHelp(at: now, into: &effects) }
    tellSOS(at: now, into: &effects)
  }

  /// The place of the last report was old.
  mutating func sosFixArrived(at now: Instant) {
    journey.sos.fixArrived(at: now)
    deadlines[.sos] = journey.sos.next
  }

  /// A person at the board asks for help, or for it to end.
  mutating func sosAsked(
    isAcknowledged: Bool, at now: Moment, into effects: inout [Effect]
  ) -> ControlAnswer {
    if isAcknowledged {
      return acknowledgeSOS(at: now, into: &effects)
        ? .done("acknowledged") : .failed("there is no SOS to acknowledge")
    }
    callForHelp(at: now, into: &effects)
    tellSOS(at: now, into: &effects)
    guard isIdentityValid else { return .done("SOS, but nobody is told: username or deviceId is not set") }
    if layers.rules.isOffline { return .done("SOS, but nobody is told: port is 0") }
    let next = outbox.isConnected ? "" : " as soon as there is a connection"
    return .done("SOS is published\(next), and again until it is acknowledged")
  }

  /// True: there was one.
  mutating func acknowledgeSOS(at now: Moment, into effects: inout [Effect]) -> Bool {
    guard let state = journey.sos.acknowledge() else { return false }
    deadlines[.sos] = journey.sos.next
    rememberJourney(isUrgent: true)
    announcement.presenceDoubted()
    shutDown.helpIsWanted(false, rules: layers.rules.shutDown, deadlines: &deadlines, at: now.instant)
    tell(.helped(state), because: .sosAcknowledged(times: state.times), at: now, into: &effects)
    return true
  }

  /// A connection has come up: those who can help need not wait for what waits before the call.
  func tellSOSFirst(into effects: inout [Effect]) {
    guard outbox.isConnected, outbox.count > journey.sos.told.count else { return }
    for (report, message) in journey.sos.told {
      var copy = message
      // Messages that still wait would be retained over it.
      (copy.qos, copy.isRetained) = (0, false)
      effects.append(.announce(report, copy))
    }
  }

  private mutating func callForHelp(at now: Moment, into effects: inout [Effect]) {
    let isNew = !journey.sos.isOpen
    journey.sos.call(at: now.instant)
    guard isNew else { return }
    announcement.sosFound()
    let order = shutDown.helpIsWanted(
      true, rules: layers.rules.shutDown, deadlines: &deadlines, at: now.instant)
    obey(order, at: now, into: &effects)
    keepOn(.sos, at: now)
  }

  private mutating func tellSOS(at now: Moment, into effects: inout [Effect]) {
    let place = positioning.position
    let isFresh = positioning.present != nil && !isStale(at: now.instant) && !duty.isResting
    defer { deadlines[.sos] = journey.sos.next }
    guard let state = journey.sos.fellDue(place: place, isFresh: isFresh, at: now.instant) else { return }
    let (reason, before) = (Reason.sos(times: state.times), effects.count)
    tell(.sos(state), because: reason, at: now, into: &effects)
    if let place { publishOrOwe(.sos(reason), place, at: now, into: &effects) }
    rememberJourney(isUrgent: true)
    outbox.lane.hurry(&deadlines, at: now.instant)
    var told: [(report: Report, message: Message)] = []
    for case .published(let report, let message) in effects[before...] { told.append((report, message)) }
    journey.sos.wasTold(told)
    tellSOSFirst(into: &effects)
  }

  private mutating func tell(
    _ kind: AlarmReport.Kind, because reason: Reason, at now: Moment, into effects: inout [Effect]
  ) {
    if raise(kind, .help(reason), positioning.position, at: now, into: &effects) == nil {
      note(reason, at: now)
    }
  }
}
