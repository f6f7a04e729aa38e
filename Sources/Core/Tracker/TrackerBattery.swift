import Model
import Timebase

/// The board steps down to spare a battery that runs down (docs/behaviour.md, "Battery steps").
extension Tracker {
  /// How the receiver may rest. A check-in is there to look, and so are those who are called for help.
  var receiverRest: ReceiverDuty.Rest {
    if journey.sos.isOpen || shutDown.checkIn.isUnderWay { return .never }
    let cycle = layers.inForce.receiver.dutyCycle
    guard let step = shutDown.battery.step else {
      return cycle == 0 || modes.state.mode == .move ? .never : .between(.seconds(cycle))
    }
    switch step {
    case .receiver: return .between(restOfStep)
    case .beacons: return .untilAsked
    // The board is switched off once it stands, and only a look shows whether it does.
    case .checkins: return shutDown.battery.isStanding ? .untilAsked : .between(restOfStep)
    case .off: return .untilAsked
    }
  }

  private var restOfStep: Span {
    let cycle = layers.inForce.receiver.dutyCycle
    return .seconds(cycle > 0 ? cycle : Configuration.Power.restOfStep)
  }

  /// Whether batteries may be read more rarely: the receiver rests, and no level or wire has to last.
  public var mayReadRarely: Bool {
    duty.isResting && deadlines[.vehicle] == nil && deadlines[.batteryStep] == nil && deadlines[.lines] == nil
  }

  /// At the start, and where a setting of it may have changed.
  mutating func batteryConfigured(at now: Instant) {
    guard shutDown.battery.isOn || shutDown.battery.step != nil || !layers.rules.batterySteps.isEmpty else {
      return
    }
    shutDown.battery.configure(layers.rules.batterySteps, deadlines: &deadlines, at: now)
  }

  /// A level has lasted. The receiver, and the end of the board, follow from the step in this wake-up.
  mutating func batteryStepFellDue(at now: Moment, into effects: inout [Effect]) {
    guard let change = shutDown.battery.fellDue(deadlines: &deadlines, at: now.instant) else { return }
    let news = BatteryStepNews(before: change.before, step: shutDown.battery.step, cause: change.cause)
    outbox.remember(.batterySteps(shutDown.battery.steps), isUrgent: true)
    let occasion = Occasion.vehicle(news.isDown ? .lowBattery : .batteryWell, .batteryStep(news))
    let outcome = publishOrOwe(occasion, positioning.position, at: now, into: &effects)
    if outcome != .published { note(.batteryStep(news), at: now) }
    // Once the location is delivered, so that no second word has to be said of a queue that is empty again.
    if outbox.size.count <= 1 { announcement.wordOwed() } else { announcement.presenceDoubted() }
    considerStep(at: now)
    let wasToEnd = (change.before ?? .receiver) >= .checkins
    if wasToEnd, (news.step ?? .receiver) < .checkins { stepNoLongerEnds(at: now, into: &effects) }
    vehicleChanged(at: now.instant)
  }

  private mutating func stepNoLongerEnds(at now: Moment, into effects: inout [Effect]) {
    if shutDown.checkIn.sleep?.isBatteryLow == true { return keepOn(.batteryWell, at: now) }
    batteryIsWell(at: now, into: &effects)
  }

  /// After everything else in a wake-up, while a step is in force: what may switch the board off.
  mutating func considerStep(at now: Moment) {
    if shutDown.battery.stands(hasStopped(at: now.instant), canWake: surroundings.canWake) {
      vehicleChanged(at: now.instant)
    }
  }

  /// When it was seen last it stood; or no look of the last cycle has shown that it moves, as in a garage.
  private func hasStopped(at now: Instant) -> Bool {
    positioning.isStanding
      || now - positioning.lastMovement >= restOfStep + ReceiverDuty.timeout + Self.standing
  }

  // MARK: A look that somebody asks for

  /// A person, or a command, wants a place while the receiver is off: it looks once, and what it finds is told.
  mutating func askForLook(_ occasion: Occasion) -> Bool {
    guard receiverRest == .untilAsked, duty.isResting else { return false }
    duty.ask(occasion)
    return true
  }

  /// The look has found something.
  mutating func tellLook(_ occasion: Occasion, at now: Moment, into effects: inout [Effect]) {
    guard let position = positioning.present, policy.told != position else { return }
    publishOrOwe(occasion, position, at: now, into: &effects)
  }
}
