import Model
import Timebase

/// A parked board that is switched off and wakes by itself (docs/behaviour.md, "Check-ins of a parked board").
extension Tracker {
  /// Nobody is sure for ten minutes whether a place far off is a reflection: the board is not switched off before that.
  static let keptOn = Span.minutes(11)

  private var wakeLimit: Span { .seconds(layers.inForce.power.parkedWakeLimit) }

  /// Hours until its next check-in, where the board switches itself off; 0: nothing wakes it.
  var wakeHours: Double { layers.inForce.power.wakeHours(at: shutDown.battery.step) }

  mutating func startCheckIn(at now: Moment) {
    guard shutDown.checkIn.isUnderWay, let sleep = shutDown.checkIn.sleep else { return }
    shutDown.checkIn.start(limit: wakeLimit, deadlines: &deadlines, at: now.instant)
    shutDown.battery.checksIn(true, deadlines: &deadlines)
    note(.checkIn(.began(hours: Double(sleep.span) / 3600)), at: now)
  }

  /// The look around is over, or the time for orders, or all of it.
  mutating func checkInFellDue(at now: Instant) {
    deadlines[.checkIn] = shutDown.checkIn.next(limit: wakeLimit, at: now)
  }

  mutating func checkInFix(_ fix: Fix, at now: Moment) {
    if let keeper = shutDown.checkIn.fixArrived(fix, deadlines: &deadlines, at: now.instant) {
      keepOn(keeper, at: now)
    }
  }

  /// The board stays on, as if it had been started now. What is parked is switched off once more after `parkedShutdown`.
  /// Somebody who was asked to switch it off may be doing so: then only the ignition withdraws that, before it comes here.
  mutating func keepOn(_ cause: BoardKeptOn, at now: Moment) {
    guard shutDown.checkIn.isUnderWay, !shutDown.isAsked else { return }
    shutDown.checkIn.end(deadlines: &deadlines)
    note(.checkIn(.kept(cause)), at: now)
    shutDown.startAnew(
      keptOnFor: Self.keptOn, rules: layers.rules.shutDown, deadlines: &deadlines, at: now.instant)
    outbox.remember(.sleep(nil), isUrgent: true)
    announcement.presenceDoubted()
  }

  /// After everything else in a wake-up.
  mutating func considerCheckIn(at now: Moment, into effects: inout [Effect]) {
    assert(shutDown.checkIn.isUnderWay, "nobody checks in")
    guard !shutDown.isAsked, shutDown.status.ignition != true else { return }
    if wakeHours == 0, (shutDown.battery.step ?? .receiver) < .checkins { return keepOn(.settings, at: now) }
    if let wall = clock.wall(at: now), shutDown.checkIn.isEarly(wall: wall) { return keepOn(.early, at: now) }
    // The best fix of a moment (`significantWindow`) is published yet.
    let isTold = outbox.pending == 0 && timers.owed == nil && timers.window.until == nil
    let needsServer = !layers.rules.isOffline && isIdentityValid
    let ending = shutDown.checkIn.ending(
      limit: wakeLimit, isTold: isTold,
      isSettled: !positioning.settling.isUnderWay && !shutDown.battery.isTurning, needsServer: needsServer,
      at: now.instant)
    guard let ending else { return }
    let seconds = shutDown.checkIn.seconds(at: now.instant)
    switch ending {
    case .done:
      if let sleep = shutDown.checkIn.sleep, sleep.missed > 0, let cause = sleep.lastMissed {
        note(.checkIn(.caughtUp(count: sleep.missed, cause)), at: now)
      }
      note(.checkIn(.done(seconds: seconds)), at: now)
      goOff(.checkedIn(nil), at: now, into: &effects)
    case .missed(let cause):
      note(.checkIn(.missed(cause, seconds: seconds)), at: now)
      goOff(.checkedIn(cause), at: now, into: &effects)
    }
  }

  private mutating func goOff(_ cause: HaltCause, at now: Moment, into effects: inout [Effect]) {
    rememberAll(at: now)
    outbox.promoteLazyWrites()
    let order = shutDown.end(cause, deadlines: &deadlines, at: now.instant)
    obey(order, at: now, into: &effects)
  }

  /// The board is about to be switched off: what the next start has to know of it is on the disk before that.
  mutating func fallAsleep(because cause: HaltCause, at now: Moment, into effects: inout [Effect]) {
    let hours = wakeHours
    guard hours > 0, surroundings.canWake else {
      if shutDown.checkIn.isUnderWay { outbox.remember(.sleep(nil), isUrgent: true) }
      return effects.append(.halt(cause))
    }
    var sleep = Sleep(
      since: clock.wall(at: now), span: Int((hours * 3600).rounded()),
      isBatteryLow: shutDown.checkIn.sleep?.isBatteryLow ?? cause.isBatteryLow)
    if case .checkedIn(let missed?) = cause {
      (sleep.missed, sleep.lastMissed) = ((shutDown.checkIn.sleep?.missed ?? 0) + 1, missed)
    }
    shutDown.checkIn.planned = sleep
    outbox.remember(.sleep(sleep), isUrgent: true)
    outbox.whenDurable(.halt(cause, wakeAfter: sleep.span))
  }

  /// An order to be switched off as a parked board is; why not, in words, or nil.
  mutating func park(at now: Moment, into effects: inout [Effect]) -> String? {
    if wakeHours == 0 { return "parkedWake is 0, and so nothing would wake the board" }
    if !surroundings.canWake {
      return "nothing on this board can wake it: neither its clock nor /etc/homeward/wake"
    }
    if shutDown.status.ignition == true { return "the ignition is on" }
    if journey.sos.isOpen { return "somebody calls for help, which is not acknowledged" }
    if shutDown.status.isHalting { return "the board is being switched off already" }
    obey(shutDown.park(deadlines: &deadlines, at: now.instant), at: now, into: &effects)
    return nil
  }

  /// The board is not switched off after all.
  mutating func stayAwake() {
    guard shutDown.checkIn.planned != nil else { return }
    shutDown.checkIn.planned = nil
    outbox.remember(.sleep(nil), isUrgent: true)
  }

  /// When the board will be heard of again, Unix seconds; nil: nobody can know.
  func nextCheckIn(at now: Moment) -> Int? {
    guard let planned = shutDown.checkIn.planned, let wall = clock.wall(at: now) else { return nil }
    return wall.wholeSeconds + planned.span
  }
}
