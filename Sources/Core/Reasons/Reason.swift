import Model

/// Why something was published, or was not. `homeward why` prints the sentence, the replay the word
/// and the details; both come from the table in ReasonTable.swift.
public enum Reason: Hashable, Sendable {
  // Published
  /// The first fix since the start, in a mode that publishes by itself.
  case firstFix
  /// Metres from the last published location that was no ping; in move mode.
  case moved(metres: Double, needed: Double)
  /// Metres and seconds since then; in significant mode.
  case movedAndWaited(metres: Double, seconds: Double)
  /// It has come to rest, `metres` from there.
  case stopped(metres: Double)
  /// Seconds since then; in move mode.
  case intervalElapsed(seconds: Double)
  /// `isPositionOld`: without a fix, the last known place is published with its own time.
  case pingDue(isPositionOld: Bool)
  /// `metres`: from the centre; 0 when a hold-down ran out.
  case crossed(region: String, Crossing, metres: Double?)
  /// An enter was published, and the region was left while nothing could be, or was changed or removed since.
  case leftSince(region: String, isChanged: Bool)
  /// For the `seconds` of its dwell it was inside: entered.
  case dwelt(region: String, seconds: Double)
  /// The circle around the board was left.
  case leftFollow(region: String)
  /// `rssi` in dBm; nil: the radio did not say.
  case beaconHeard(region: String, major: Int, minor: Int, rssi: Int?)
  /// `seconds` of listening without it: the time-out that ran out.
  case beaconLost(region: String, seconds: Double)
  /// By GPS; `metres` to where the beacon may be.
  case beaconFar(region: String, metres: Double)
  /// Estimated `metres` away, and as it was reported before; nil: this is the first time.
  case ranged(region: String, metres: Double, before: Double?)
  /// A person at the board asked for it.
  case asked
  /// A command asked for a location.
  case askedRemotely
  /// The connection came up, and `publishLocationOnConnect` is set.
  case connected
  /// No fix for `seconds`: the last place.
  case fixLost(seconds: Double)
  /// `metres` from where it was lost.
  case fixBack(metres: Double)
  /// The board steps down to spare a battery, or up again.
  case batteryStep(BatteryStepNews)
  /// The power is going: the last place.
  case powerFailing
  /// The board is about to be switched off.
  case haltingSoon(HaltCause)
  /// Of a parked board that wakes by itself, with `parkedWake`.
  case checkIn(CheckInNews)
  /// Its waypoint is published.
  case regionChanged(region: String)
  /// The discovery for Home Assistant.
  case introduced
  /// `degrees` within `metres` since the last point; with `adaptive`.
  case turned(degrees: Double, metres: Double)
  /// Kilometres an hour, at the last point and now; with `adaptive`.
  case speedChanged(before: Double, now: Double)
  /// `metres` so far.
  case tripBegan(metres: Double)
  /// `metres` and `seconds` of the whole trip, up to where it last moved.
  case tripEnded(metres: Double, seconds: Double, TripReport.Cause)
  /// `metres` from the parking place.
  case towed(metres: Double)
  /// `metres` from the anchor.
  case dragged(metres: Double)
  /// `speed` and `limit` in kilometres an hour; the region whose limit it is, where it may be named.
  case tooFast(speed: Double, limit: Int, region: String?)
  /// `top`: the fastest in between, kilometres an hour.
  case slowAgain(top: Double, limit: Int)
  /// Times the standard gravity, and what is allowed.
  case harsh(HarshManoeuvre.Kind, force: Double, limit: Double)
  /// The ignition was switched on, or off.
  case ignitionTurned(isOn: Bool)
  /// The vehicle charges the board again, or no longer.
  case supplyTurned(isOn: Bool)
  /// The board's own battery in percent, and `downgrade`.
  case batteryLow(level: Int, limit: Int)
  /// A call for help, told so often.
  case sos(times: Int)
  /// It is acknowledged, after it was told so often.
  case sosAcknowledged(times: Int)
  /// The receiver says so itself.
  case interference(Interference.Kind, Interference.Level)
  /// It says that it is over, `seconds` after it was told.
  case interferenceOver(Interference.Kind, seconds: Double)
  /// With a message of its own.
  case commandAnswered(action: String)
  /// The result of a command was reported to its sender.
  case resultTold(action: String, CommandResult.Outcome)

  // Withheld
  /// The source of positions of this name was reached, or has gone.
  case sourceReached(String, Bool)
  /// The receiver has reported nothing for `seconds`, not even that it has no fix.
  case receiverSilent(seconds: Double)
  /// It reports again, after `seconds`.
  case receiverBack(seconds: Double)
  /// gpsd's mode, 0 or 1.
  case noFix(mode: Int)
  /// The report has none, or one before 1970.
  case noTime
  /// It has a date that does not exist, such as 31 February.
  case dateImpossible
  /// None, or none on the Earth.
  case noCoordinates
  /// Exactly 0, 0, as receivers report without a fix.
  case nullIsland
  /// Neither error nor dilution is known.
  case noAccuracy
  /// It repeats a place, and reports elsewhere that it has no fix.
  case voidPosition
  /// Dead reckoning without satellites; its fixes count all the same.
  case reckoned
  /// Its positions are simulated; they count all the same.
  case simulated
  /// Unix seconds that cannot be, or that a trusted clock contradicts.
  case dateRefused(time: Double)
  /// `seconds` ahead of a trusted clock; negative: behind.
  case receiverClockOff(seconds: Double)
  /// The receiver's clock is off by this many whole seconds, as by leap seconds: it is corrected from now on.
  case receiverPutRight(seconds: Int)
  /// The time of day was wrong by this many seconds: it is later (earlier, if negative) than assumed.
  case clockWasWrong(seconds: Double)
  /// The proof of 3 s is not there yet; or the report cannot be dated.
  case clockUntrusted
  /// Unix seconds, of the fix and of the one that came before, or of the reference.
  case notNewer(time: Double, last: Double)
  /// `metres` from the last published location that was no ping.
  case tooNear(metres: Double, needed: Double)
  /// `seconds` since then; in significant mode.
  case tooSoon(seconds: Double, needed: Double)
  /// `seconds` since the last location that was sent; how far apart the data budget allows.
  case overBudget(seconds: Double, needed: Double)
  /// `metres` of accuracy, and `ignoreInaccurateLocations`.
  case inaccurate(metres: Double, limit: Double)
  /// `metres` of accuracy, where the receiver has only just acquired a fix.
  case settling(metres: Double, needed: Double)
  /// A location is due: the best fix of the next `seconds` is published.
  case choosing(seconds: Double)
  /// Only reports that a person asks for are published.
  case modeIsQuiet
  /// Nothing about the inside is published. The sentence does not name the region: senders of commands read it, too.
  case insidePrivateRegion(region: String)
  /// Nothing is published automatically.
  case modeIsManual
  /// `username` or `deviceId` is not known.
  case noIdentity
  /// `metres` from the fix before, and what its speeds allow.
  case implausibleJump(metres: Double, possible: Double)
  /// A position as new, or newer, was published already.
  case samePosition
  /// Fixes that agree on the crossing, and how many have to.
  case notConfirmed(region: String, seen: Int, needed: Int)
  /// The vehicle stands: fixes beyond the edge are noise.
  case unmoved(region: String)
  /// `seconds` ago the receiver jumped as no vehicle does, and went on from there.
  case unexplained(region: String, seconds: Double, needed: Double)
  /// A leave is withheld in case the board comes back.
  case heldDown(region: String)
  /// It did, in time: neither leave nor enter is published.
  case reentered(region: String)
  /// An enter waits for the dwell: inside for `seconds`, of those that are `needed`.
  case dwelling(region: String, seconds: Double, needed: Double)
  /// It was left before, and so neither entered nor left.
  case passedBy(region: String, needed: Double)
  /// There has never been one, not even in an earlier life.
  case neverAnyFix
  /// `port` is 0.
  case offline
  /// Its circle was left, which is no news in move mode.
  case followInMove(region: String)
  /// Unix seconds: no two locations share them.
  case sameTime(time: Int)
  /// `packets` of the present burst, soon after a leave.
  case strayBeacon(region: String, packets: Int)
  /// `metres` from the fix to where its region is drawn.
  case beaconElsewhere(region: String, metres: Double)
  /// A message that is not worth queueing for the server.
  case notConnected
  /// It stopped; `metres` since it set out.
  case noTrip(metres: Double)
  /// Positions a second: too few to tell harsh driving by.
  case rateTooLow(rate: Double)
  /// The vehicle leaves its parking place, and is being driven.
  case ignitionIsOn
  /// Its sender was refused too often in a row for one more refusal to be reported.
  case resultNotTold(action: String)
  /// Of unknown action where it was not even read.
  case commandRefused(action: String, CommandRefusal)
  /// The command makes no sense, or nothing in it does; `why` in one line. Nil: not even its action is known.
  case commandSenseless(action: String?, why: String)
  /// It has no answer, and has done something.
  case commandObeyed(action: String)
  /// The same, except for what `why` names.
  case commandPartly(action: String, why: String)
  /// Old locations that are sent over WiFi or a cable only, with `backlog` `wifi`.
  case backlogWaits(count: Int)
  /// Old locations that are dropped, with `backlog` `never`.
  case backlogDropped(count: Int)
  /// The broker has lost messages that it had acknowledged; they are sent again.
  case brokerForgot(count: Int)
  /// The mode was changed, by whom or what.
  case modeChanged(from: MonitoringMode, to: MonitoringMode, ModeCause)
  /// The mode that it is now, because the board has joined (left) this network.
  case modeByNetwork(MonitoringMode, network: String, isJoined: Bool)
  /// The mode that it is now, because these times have begun (are over): `HH:MM-HH:MM`.
  case modeByTime(MonitoringMode, times: String, isBegun: Bool)
  /// This mode was chosen by a person, and a rule of networks or times does not change it.
  case modeIsChosen(MonitoringMode, rule: String)
  /// `isRefused`: the server was there, and refused what it was sent. `seconds` since the change.
  case configurationRolledBack(isRefused: Bool, seconds: Double)

  /// Each with its name.
  public typealias Details = [(name: String, value: Detail)]

  /// A value behind a reason.
  public enum Detail: Hashable, Sendable {
    /// In the unit of the sentence.
    case number(Double)
    /// A name, or a word for programs.
    case text(String)
  }
}

extension Reason {
  /// Whether a person would call the two the same: two refused commands, or rules of the mode, only where nothing
  /// differs.
  func isSameMatter(as other: Reason) -> Bool {
    switch self {
    case .commandRefused, .commandSenseless, .commandPartly, .commandObeyed, .modeByNetwork, .modeByTime,
      .modeIsChosen:
      return self == other
    default: return word == other.word
    }
  }

  /// It never merely counts up: that it happened again, and when, is the point of it.
  var isMatterOfItsOwn: Bool {
    switch self {
    case .modeChanged, .sourceReached, .receiverSilent, .receiverBack, .checkIn, .batteryStep: true
    default: false
    }
  }

  /// Of a command, no matter who sent it.
  var isRefusal: Bool {
    switch self {
    case .commandRefused, .commandSenseless: true
    default: false
    }
  }
}
