import Model

extension Reason {
  /// One plain sentence with the numbers that decided.
  public var sentence: String {
    switch self {
    case .firstFix: "first position since the start"
    case .moved(let metres, let needed): "moved \(whole(metres)) m (needs \(whole(needed)) m)"
    case .movedAndWaited(let metres, let seconds):
      "moved \(whole(metres)) m, \(whole(seconds)) s after the last publish"
    case .intervalElapsed(let seconds): "\(whole(seconds)) s without a publish"
    case .pingDue(let isOld):
      isOld ? "ping is due (no fix: the last known place, with the time when it was measured)" : "ping is due"
    case .crossed(let region, let crossing, _): "\(crossing == .enter ? "entered" : "left") \(region)"
    case .leftFollow(let region): "left the circle of \(region)"
    case .beaconHeard(let region, let major, let minor, let rssi):
      "entered \(region): heard its beacon \(major)/\(minor)" + (rssi.map { " at \($0) dBm" } ?? "")
    case .beaconLost(let region, let seconds):
      "left \(region): its beacon was not heard for \(whole(seconds)) s of listening"
    case .beaconFar(let region, let metres):
      "left \(region): its beacon is silent and \(whole(metres)) m away by GPS"
    case .ranged(let region, let metres, let before):
      "a beacon of \(region) seems \(tenths(metres)) m away"
        + (before.map { " (told before: \(tenths($0)) m)" } ?? "")
    case .asked: "requested here (homeward publish)"
    case .askedRemotely: "asked for by a command"
    case .connected: "connected to the broker"
    case .regionChanged(let region): "region \(region) was made or changed"
    case .turned, .speedChanged, .tripBegan, .tripEnded, .towed, .tooFast, .slowAgain, .noTrip,
      .ignitionIsOn, .ignitionTurned, .supplyTurned,
      .unmoved, .unexplained, .dwelt, .dwelling, .passedBy, .powerFailing, .haltingSoon, .leftSince, .fixLost,
      .fixBack, .settling, .choosing, .stopped, .dragged:
      sentenceOfTheWay
    case .dateRefused, .receiverClockOff, .receiverPutRight, .clockWasWrong, .clockUntrusted, .notNewer,
      .sameTime:
      sentenceOfTheTime
    case .gpsdReached, .receiverSilent, .receiverBack, .noFix, .noTime, .dateImpossible, .noCoordinates,
      .nullIsland, .noAccuracy, .voidPosition, .reckoned, .simulated:
      sentenceOfTheReceiver
    case .tooNear(let metres, let needed):
      "\(below(metres, needed)) m from the last publish is less than \(whole(needed)) m"
    case .tooSoon(let seconds, let needed):
      "\(below(seconds, needed)) s since the last publish is less than \(whole(needed)) s"
    case .inaccurate(let metres, let limit):
      "accuracy \(above(metres, limit)) m is worse than \(whole(limit)) m"
    case .modeIsQuiet: "the mode is quiet"
    case .insidePrivateRegion: "inside of a private region"
    case .modeIsManual: "the mode is manual"
    case .noIdentity: "username or deviceId is not set"
    case .implausibleJump(let metres, let possible):
      "a jump of \(above(metres, possible)) m where \(whole(possible)) m are possible"
    case .samePosition: "this position has already been published"
    case .notConfirmed(let region, let seen, let needed):
      "\(region): \(seen) of \(needed) fixes agree on the crossing"
    case .heldDown(let region): "\(region): waiting to see whether it is re-entered"
    case .reentered(let region): "\(region): entered again in time, nothing happened"
    case .neverAnyFix: "no position yet"
    case .offline: "port is 0: offline"
    case .followInMove(let region): "\(region): in move mode its circle tells nothing new"
    case .strayBeacon(let region, let packets):
      "\(region) was left a moment ago: \(packets) packet\(packets == 1 ? "" : "s") may be a stray"
    case .beaconElsewhere(let region, let metres):
      "a beacon of \(region) was heard \(whole(metres)) m from there: no enter; one that travels needs a "
        + "negative radius (beaconNeedsPlace)"
    case .introduced: "described its entities to Home Assistant"
    case .commandAnswered, .commandObeyed, .commandPartly, .commandSenseless, .resultTold, .resultNotTold:
      sentenceOfCommands
    case .commandRefused(let action, let refusal): "command \(action) refused: \(refusal.sentence)"
    case .configurationRolledBack, .backlogWaits, .backlogDropped, .notConnected: sentenceOfTheServer
    case .modeChanged, .modeByNetwork, .modeByTime, .modeIsChosen: sentenceOfTheMode
    }
  }

  /// The numbers and names behind it, for `--why` and `--json`.
  public var details: [(name: String, value: Detail)] {
    switch self {
    case .moved(let metres, let needed), .tooNear(let metres, let needed), .settling(let metres, let needed):
      [("metres", .number(metres)), ("needed", .number(needed))]
    case .movedAndWaited(let metres, let seconds):
      [("metres", .number(metres)), ("seconds", .number(seconds))]
    case .intervalElapsed(let seconds), .fixLost(let seconds), .choosing(let seconds),
      .receiverSilent(let seconds), .receiverBack(let seconds):
      [("seconds", .number(seconds))]
    case .crossed(let region, let crossing, _): [("region", .text(region)), ("event", .text(crossing.word))]
    case .leftSince(let region, let isChanged):
      [("region", .text(region)), ("cause", .text(isChanged ? "changed" : "untold"))]
    case .beaconHeard(let region, let major, let minor, let rssi):
      [("region", .text(region)), ("major", .number(Double(major))), ("minor", .number(Double(minor)))]
        + (rssi.map { [("rssi", .number(Double($0)))] } ?? [])
    case .beaconFar(let region, let metres), .beaconElsewhere(let region, let metres):
      [("region", .text(region)), ("metres", .number(metres))]
    case .ranged(let region, let metres, let before):
      [("region", .text(region)), ("metres", .number(metres))]
        + (before.map { [("before", .number($0))] } ?? [])
    case .strayBeacon(let region, let packets):
      [("region", .text(region)), ("packets", .number(Double(packets)))]
    case .dwelt(let region, let seconds), .beaconLost(let region, let seconds):
      [("region", .text(region)), ("seconds", .number(seconds))]
    case .dwelling(let region, let seconds, let needed), .unexplained(let region, let seconds, let needed):
      [("region", .text(region)), ("seconds", .number(seconds)), ("needed", .number(needed))]
    case .passedBy(let region, let needed): [("region", .text(region)), ("needed", .number(needed))]
    case .leftFollow(let region), .regionChanged(let region), .heldDown(let region), .reentered(let region),
      .followInMove(let region), .insidePrivateRegion(let region), .unmoved(let region):
      [("region", .text(region))]
    case .turned(let degrees, let metres): [("degrees", .number(degrees)), ("metres", .number(metres))]
    case .speedChanged(let before, let now): [("before", .number(before)), ("now", .number(now))]
    case .tripEnded(let metres, let seconds, let cause):
      [("metres", .number(metres)), ("seconds", .number(seconds)), ("cause", .text(cause.rawValue))]
    case .tripBegan(let metres), .towed(let metres), .noTrip(let metres), .fixBack(let metres),
      .stopped(let metres), .dragged(let metres):
      [("metres", .number(metres))]
    case .tooFast(let speed, let limit, let region):
      [("speed", .number(speed)), ("limit", .number(Double(limit)))]
        + (region.map { [("region", .text($0))] } ?? [])
    case .slowAgain(let top, let limit): [("top", .number(top)), ("limit", .number(Double(limit)))]
    case .noFix(let mode): [("mode", .number(Double(mode)))]
    case .dateRefused(let time): [("time", .number(time))]
    case .receiverClockOff(let seconds), .clockWasWrong(let seconds): [("seconds", .number(seconds))]
    case .receiverPutRight(let seconds): [("seconds", .number(Double(seconds)))]
    case .notNewer(let time, let last): [("time", .number(time)), ("last", .number(last))]
    case .tooSoon(let seconds, let needed): [("seconds", .number(seconds)), ("needed", .number(needed))]
    case .inaccurate(let metres, let limit): [("metres", .number(metres)), ("limit", .number(limit))]
    case .implausibleJump(let metres, let possible):
      [("metres", .number(metres)), ("possible", .number(possible))]
    case .notConfirmed(let region, let seen, let needed):
      [("region", .text(region)), ("seen", .number(Double(seen))), ("needed", .number(Double(needed)))]
    case .sameTime(let time): [("time", .number(Double(time)))]
    case .backlogWaits(let count), .backlogDropped(let count): [("count", .number(Double(count)))]
    case .commandAnswered, .commandObeyed, .commandPartly, .commandSenseless, .commandRefused, .resultTold,
      .resultNotTold:
      detailsOfCommands
    case .haltingSoon(let cause): cause.details
    case .modeChanged, .modeByNetwork, .modeByTime, .modeIsChosen: detailsOfTheMode
    case .configurationRolledBack(let isRefused, let seconds):
      [("cause", .text(isRefused ? "refused" : "unreached")), ("seconds", .number(seconds))]
    case .gpsdReached, .introduced, .ignitionIsOn, .ignitionTurned, .supplyTurned, .notConnected, .firstFix,
      .pingDue, .asked, .askedRemotely, .connected, .powerFailing, .noTime, .dateImpossible, .noCoordinates,
      .nullIsland, .noAccuracy, .voidPosition, .reckoned, .simulated, .clockUntrusted, .modeIsQuiet,
      .modeIsManual,
      .noIdentity, .samePosition, .neverAnyFix, .offline:
      []
    }
  }

  /// A value behind a reason.
  public enum Detail: Hashable, Sendable {
    /// In the unit that the sentence says.
    case number(Double)
    /// A name, or a word for programs.
    case text(String)
  }
}

extension HaltCause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .parked(let seconds): "because the ignition has been off for \(whole(seconds)) s"
    case .batteryLow(let volts): "because the vehicle's battery is at \(tenths(volts)) V"
    }
  }
}

extension CommandRefusal {
  var sentence: String {
    switch self {
    case .commandsOff: "cmd is off"
    case .locationOff: "allowRemoteLocation is off"
    case .configurationOff: "remoteConfiguration is off"
    case .retained: "it is a retained copy, which would come again with every connection"
    case .notEncrypted:
      "only encrypted commands are obeyed (encryptionKey is set, or requireEncryptedCommands)"
    case .notOfNow: "its tst is older than commandMaxAge, or lies ahead"
    case .undated: "it has no tst to tell its age by, or there is no trusted clock to judge it"
    case .repeated: "this very message was obeyed before"
    case .tooMany: "too many: ten commands a minute and one location a second are obeyed"
    }
  }
}

extension Reason {
  /// Of what others order; every other reason is said by its word.
  private var sentenceOfCommands: String {
    switch self {
    case .commandAnswered(let action): "answered the command \(action)"
    case .commandObeyed(let action): "obeyed the command \(action)"
    case .commandPartly(let action, let why): "obeyed the command \(action) in part: \(why)"
    case .commandSenseless(let action?, let why): "command \(action) refused: \(why)"
    case .commandSenseless(nil, let why): "command refused: \(why)"
    case .resultTold(let action, let outcome): "told the sender of the command \(action): \(outcome.rawValue)"
    case .resultNotTold(let action):
      "the sender of the command \(action) is not told that it is refused: too many were in a row"
    default: word
    }
  }

  /// Of the way to the server; every other reason is said by its word.
  private var sentenceOfTheServer: String {
    switch self {
    case .configurationRolledBack(isRefused: false, let seconds):
      "the server was not reached within \(whole(seconds)) s with the changed settings: the old ones are back"
    case .configurationRolledBack(isRefused: true, let seconds):
      "the server of the changed settings refused a message after \(whole(seconds)) s: the old ones are back"
    case .backlogWaits(let count):
      "\(count == 1 ? "1 old location waits" : "\(count) old locations wait") for WiFi or a cable (backlog is wifi)"
    case .backlogDropped(let count):
      "\(count == 1 ? "1 old location is" : "\(count) old locations are") not sent (backlog is never); the history may "
        + "have what was dropped"
    case .notConnected: "not connected, and old distances are of no use to anybody"
    default: word
    }
  }

  /// Of odometer, trips, alarms, standing and the power; every other reason is said by its word.
  private var sentenceOfTheWay: String {
    switch self {
    case .turned(let degrees, let metres): "turned by \(whole(degrees)) degrees within \(whole(metres)) m"
    case .speedChanged(let before, let now): "the speed went from \(whole(before)) to \(whole(now)) km/h"
    case .stopped(let metres): "came to rest, \(whole(metres)) m from the last published place"
    case .tripBegan(let metres): "a trip is under way, \(whole(metres)) m so far"
    case .tripEnded(let metres, let seconds, .parked):
      "the trip of \(whole(metres)) m and \(whole(seconds)) s is over: the vehicle is parked"
    case .tripEnded(let metres, let seconds, .interrupted):
      "the trip of \(whole(metres)) m and \(whole(seconds)) s is over: nothing was seen of it since"
    case .tripEnded(let metres, let seconds, .switchedOff):
      "the trip of \(whole(metres)) m and \(whole(seconds)) s is over: trips were switched off"
    case .dragged(let metres): "the anchor drags: \(whole(metres)) m from where it was set"
    case .towed(let metres): "the parked vehicle was moved \(whole(metres)) m"
    case .tooFast(let speed, let limit, let region):
      "\(above(speed, Double(limit))) km/h where \(limit) are allowed" + (region.map { " (\($0))" } ?? "")
    case .slowAgain(let top, let limit): "no longer faster than \(limit) km/h (\(whole(top)) km/h at most)"
    case .noTrip(let metres): "stopped after \(whole(metres)) m: that is no trip"
    case .ignitionIsOn: "the vehicle leaves its parking place with the ignition on: nobody tows it"
    case .ignitionTurned(let isOn): "the ignition was switched \(isOn ? "on" : "off")"
    case .supplyTurned(isOn: true): "the board is supplied from outside again"
    case .supplyTurned(isOn: false): "the board runs on its own battery: nothing supplies it"
    case .unmoved(let region): "\(region): seen on the other side of its edge, but the vehicle stands"
    case .leftSince(let region, isChanged: false): "left \(region) while nothing could be told"
    case .leftSince(let region, isChanged: true):
      "\(region) was announced as entered, and changed or removed since"
    case .unexplained(let region, let seconds, let needed):
      "\(region): the receiver jumped \(whole(seconds)) s ago (believed after \(whole(needed)) s)"
    case .dwelt(let region, let seconds): "entered \(region): inside for \(whole(seconds)) s"
    case .dwelling(let region, let seconds, let needed):
      "\(region): inside for \(whole(seconds)) s, told as entered after \(whole(needed)) s, in "
        + "\(whole((needed - seconds).rounded(.up))) s"
    case .passedBy(let region, let needed):
      "\(region): left before it was inside for \(whole(needed)) s, and so neither entered nor left"
    case .fixLost(let seconds): "no fix for \(whole(seconds)) s: the last place"
    case .fixBack(let metres): "there is a fix again, \(whole(metres)) m from where it was lost"
    case .settling(let metres, let needed):
      "the receiver has only begun to see: for 10 s a position of \(above(metres, needed)) m waits for one of \(whole(needed)) m"
    case .choosing(let seconds): "a location is due: the best position of \(whole(seconds)) s is told"
    case .powerFailing: "the power is failing: the last place"
    case .haltingSoon(let cause): "the board is to be switched off, \(cause): the last place"
    default: word
    }
  }
}

extension Reason {
  private var detailsOfCommands: [(name: String, value: Detail)] {
    switch self {
    case .commandAnswered(let action), .commandObeyed(let action), .resultNotTold(let action):
      [("action", .text(action))]
    case .resultTold(let action, let outcome):
      [("action", .text(action)), ("result", .text(outcome.rawValue))]
    case .commandRefused(let action, let refusal):
      [("action", .text(action)), ("because", .text(refusal.rawValue))]
    case .commandPartly(let action, let why), .commandSenseless(let action?, let why):
      [("action", .text(action)), ("because", .text(why))]
    case .commandSenseless(nil, let why): [("because", .text(why))]
    default: []
    }
  }

  private var detailsOfTheMode: [(name: String, value: Detail)] {
    switch self {
    case .modeChanged(let before, let mode, let cause):
      [
        ("from", .number(Double(before.rawValue))), ("mode", .number(Double(mode.rawValue))),
        ("cause", .text(cause.word)),
      ] + cause.details
    case .modeByNetwork(let mode, let network, let isJoined):
      [
        ("mode", .number(Double(mode.rawValue))), ("network", .text(network)),
        ("event", .text(isJoined ? "joined" : "left")),
      ]
    case .modeByTime(let mode, let times, let isBegun):
      [
        ("mode", .number(Double(mode.rawValue))), ("times", .text(times)),
        ("event", .text(isBegun ? "begun" : "ended")),
      ]
    case .modeIsChosen(let mode, let rule): [("mode", .number(Double(mode.rawValue))), ("rule", .text(rule))]
    default: []
    }
  }

  /// Of rules for the mode; every other reason is said by its word.
  private var sentenceOfTheMode: String {
    switch self {
    case .modeChanged(let before, let mode, let cause):
      "the mode changed from \(before.name) to \(mode.name): \(cause.sentence)"
    case .modeByNetwork(let mode, _, _), .modeByTime(let mode, _, _):
      "the mode is \(mode.name): \(modeCause ?? word)"
    case .modeIsChosen(let mode, let rule):
      "the mode stays \(mode.name), as somebody has chosen: \(rule) does not change that"
    default: word
    }
  }
}

extension Reason {
  /// Of clocks and dates; every other reason is said by its word.
  private var sentenceOfTheTime: String {
    switch self {
    case .dateRefused(let time): "the receiver's date is impossible (\(whole(time)) Unix seconds)"
    case .receiverClockOff(let seconds):
      "the receiver's clock is \(tenths(seconds.magnitude)) s \(seconds < 0 ? "behind" : "ahead of") the trusted one: "
        + "a position is not told with that time"
    case .receiverPutRight(let seconds):
      "the receiver's clock is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead"), as by leap seconds: its times are "
        + "put right from now on"
    case .clockWasWrong(let seconds):
      "the time of day that receivers had told was \(whole(seconds.magnitude)) s \(seconds < 0 ? "ahead" : "behind"): it "
        + "is put right, what was told with it is not"
    case .clockUntrusted: "no trusted clock yet: waiting for 3 s of consistent 3D fixes"
    case .notNewer(let time, let last): "not newer than the position before (\(whole(last - time)) s older)"
    case .sameTime(let time): "locations of this second (\(time)) were published already: no two share a time"
    default: word
    }
  }
}

/// What is less than `limit` must not read as if it were as much.
private func below(_ value: Double, _ limit: Double) -> String {
  let text = whole(value)
  guard text == whole(limit), value < limit else { return text }
  let floor = whole(value.rounded(.down))
  return floor == whole(limit) ? "\(value)" : floor
}

/// The same of what is more.
private func above(_ value: Double, _ limit: Double) -> String {
  let text = whole(value)
  guard text == whole(limit), value > limit else { return text }
  let ceiling = whole(value.rounded(.up))
  return ceiling == whole(limit) ? "\(value)" : ceiling
}

private func tenths(_ value: Double) -> String {
  value.magnitude < 1e9 ? "\((value * 10).rounded() / 10)" : "\(value)"
}

/// Rounded for reading; never traps on what a receiver may claim.
private func whole(_ value: Double) -> String {
  guard value.magnitude < 1e15 else { return "\(value)" }
  return String(Int(value.rounded()))
}

extension Reason {
  /// Of a receiver that says nothing, or nothing of use; every other reason is said by its word.
  private var sentenceOfTheReceiver: String {
    switch self {
    case .gpsdReached(let isReached): isReached ? "gpsd is reached" : "gpsd is not reached any more"
    case .receiverSilent(let seconds): "the receiver has said nothing for \(whole(seconds)) s"
    case .receiverBack(let seconds): "the receiver reports again, after \(whole(seconds)) s"
    case .noFix(let mode): "the receiver has no fix (mode \(mode))"
    case .noTime: "the receiver gave no time"
    case .dateImpossible: "the receiver's date is impossible: there is no such day"
    case .noCoordinates: "the receiver gave no usable coordinates"
    case .nullIsland: "the receiver claims to be at 0, 0"
    case .noAccuracy: "the receiver gave no accuracy"
    case .voidPosition: "the receiver repeats its last position, and says that it has no fix"
    case .reckoned: "the receiver reckons without satellites, and its position is used all the same"
    case .simulated: "the receiver simulates its position, which is used all the same"
    default: word
    }
  }
}

extension ModeCause {
  fileprivate var details: [(name: String, value: Reason.Detail)] {
    switch self {
    case .region(let name, let crossing): [("region", .text(name)), ("event", .text(crossing.word))]
    case .ignition(let isOn): [("event", .text(isOn ? "on" : "off"))]
    case .batteryLow(let level): [("level", .number(Double(level)))]
    case .still(let seconds): [("seconds", .number(seconds))]
    case .people, .command, .file, .batteryWell, .vehicleBatteryLow, .moved: []
    }
  }
}

extension HaltCause {
  fileprivate var details: [(name: String, value: Reason.Detail)] {
    switch self {
    case .parked(let seconds): [("cause", .text("parked")), ("seconds", .number(seconds))]
    case .batteryLow(let volts): [("cause", .text("batteryLow")), ("volts", .number(volts))]
    }
  }
}
