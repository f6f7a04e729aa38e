import Model

extension Reason {
  /// A stable word for programs.
  public var word: String { row { word, _, _ in word } }

  /// One plain sentence with the numbers that decided.
  public var sentence: String { row { _, sentence, _ in sentence() } }

  /// The numbers and names behind it, for `--why` and `--json`.
  public var details: Details { row { _, _, details in details() } }

  /// The table of all reasons: of each the word, the sentence, and what the sentence is made of. `take` gets a row, and
  /// only what it asks for is made: the journal compares words with every fix.
  @inline(__always)
  private func row<T>(
    _ take: (
      _ word: String, _ sentence: @autoclosure () -> String, _ details: @autoclosure () -> Details
    ) -> T
  ) -> T {
    switch self {
    // MARK: Locations
    case .firstFix: take("firstFix", "first position since the start", [])
    case .moved(let metres, let needed):
      take(
        "moved", "moved \(whole(metres)) m (needs \(whole(needed)) m)",
        [("metres", .number(metres)), ("needed", .number(needed))])
    case .movedAndWaited(let metres, let seconds):
      take(
        "movedAndWaited", "moved \(whole(metres)) m, \(whole(seconds)) s after the last publish",
        [("metres", .number(metres)), ("seconds", .number(seconds))])
    case .stopped(let metres):
      take(
        "stopped", "came to rest, \(whole(metres)) m from the last published place",
        [("metres", .number(metres))])
    case .intervalElapsed(let seconds):
      take("intervalElapsed", "\(whole(seconds)) s without a publish", [("seconds", .number(seconds))])
    case .pingDue(isPositionOld: true):
      take("pingDue", "ping is due (no fix: the last known place, with the time when it was measured)", [])
    case .pingDue(isPositionOld: false): take("pingDue", "ping is due", [])
    case .asked: take("asked", "requested here (homeward publish)", [])
    case .askedRemotely: take("askedRemotely", "asked for by a command", [])
    case .connected: take("connected", "connected to the broker", [])
    case .choosing(let seconds):
      take(
        "choosing", "a location is due: the best position of \(whole(seconds)) s is published",
        [("seconds", .number(seconds))])
    case .tooNear(let metres, let needed):
      take(
        "tooNear", "\(below(metres, needed)) m from the last publish is less than \(whole(needed)) m",
        [("metres", .number(metres)), ("needed", .number(needed))])
    case .tooSoon(let seconds, let needed):
      take(
        "tooSoon", "\(below(seconds, needed)) s since the last publish is less than \(whole(needed)) s",
        [("seconds", .number(seconds)), ("needed", .number(needed))])
    case .overBudget(let seconds, let needed):
      take(
        "overBudget",
        "to save data only one in \(whole(needed)) s is sent (dataBudget), and the last was "
          + "\(below(seconds, needed)) s ago; kept on the board",
        [("seconds", .number(seconds)), ("needed", .number(needed))])
    case .samePosition: take("samePosition", "this position has already been published", [])
    case .sameTime(let time):
      take(
        "sameTime", "locations of this second (\(time)) were published already: no two share a time",
        [("time", .number(Double(time)))])
    case .neverAnyFix: take("neverAnyFix", "no position yet", [])
    case .noIdentity: take("noIdentity", "username or deviceId is not set", [])
    case .insidePrivateRegion(let region):
      take("insidePrivateRegion", "inside of a private region", [("region", .text(region))])

    // MARK: Regions and their edges
    case .crossed(let region, let crossing, _):
      take(
        "crossed", "\(crossing == .enter ? "entered" : "left") \(region)",
        [("region", .text(region)), ("event", .text(crossing.word))])
    case .leftSince(let region, isChanged: false):
      take(
        "leftSince", "left \(region) while nothing could be published",
        [("region", .text(region)), ("cause", .text("untold"))])
    case .leftSince(let region, isChanged: true):
      take(
        "leftSince", "\(region) was announced as entered, and changed or removed since",
        [("region", .text(region)), ("cause", .text("changed"))])
    case .leftFollow(let region):
      take("leftFollow", "left the circle of \(region)", [("region", .text(region))])
    case .followInMove(let region):
      take(
        "followInMove", "\(region): in move mode its circle adds nothing new", [("region", .text(region))])
    case .regionChanged(let region):
      take("regionChanged", "region \(region) was made or changed", [("region", .text(region))])
    case .notConfirmed(let region, let seen, let needed):
      take(
        "notConfirmed", "\(region): \(seen) of \(needed) fixes agree on the crossing",
        [("region", .text(region)), ("seen", .number(Double(seen))), ("needed", .number(Double(needed)))])
    case .unmoved(let region):
      take(
        "unmoved", "\(region): seen on the other side of its edge, but the vehicle stands",
        [("region", .text(region))])
    case .unexplained(let region, let seconds, let needed):
      take(
        "unexplained",
        "\(region): the receiver jumped \(whole(seconds)) s ago (believed after \(whole(needed)) s)",
        [("region", .text(region)), ("seconds", .number(seconds)), ("needed", .number(needed))])
    case .heldDown(let region):
      take("heldDown", "\(region): waiting to see whether it is re-entered", [("region", .text(region))])
    case .reentered(let region):
      take("reentered", "\(region): entered again in time, nothing happened", [("region", .text(region))])
    case .dwelt(let region, let seconds):
      take(
        "dwelt", "entered \(region): inside for \(whole(seconds)) s",
        [("region", .text(region)), ("seconds", .number(seconds))])
    case .dwelling(let region, let seconds, let needed):
      take(
        "dwelling",
        "\(region): inside for \(whole(seconds)) s, published as entered after \(whole(needed)) s, in "
          + "\(whole((needed - seconds).rounded(.up))) s",
        [("region", .text(region)), ("seconds", .number(seconds)), ("needed", .number(needed))])
    case .passedBy(let region, let needed):
      take(
        "passedBy",
        "\(region): left before it was inside for \(whole(needed)) s, and so neither entered nor left",
        [("region", .text(region)), ("needed", .number(needed))])

    // MARK: Beacons
    case .beaconHeard(let region, let major, let minor, let rssi):
      take(
        "beaconHeard",
        "entered \(region): heard its beacon \(major)/\(minor)" + (rssi.map { " at \($0) dBm" } ?? ""),
        [("region", .text(region)), ("major", .number(Double(major))), ("minor", .number(Double(minor)))]
          + (rssi.map { [("rssi", .number(Double($0)))] } ?? []))
    case .beaconLost(let region, let seconds):
      take(
        "beaconLost", "left \(region): its beacon was not heard for \(whole(seconds)) s of listening",
        [("region", .text(region)), ("seconds", .number(seconds))])
    case .beaconFar(let region, let metres):
      take(
        "beaconFar", "left \(region): its beacon is silent and \(whole(metres)) m away by GPS",
        [("region", .text(region)), ("metres", .number(metres))])
    case .beaconElsewhere(let region, let metres):
      take(
        "beaconElsewhere",
        "a beacon of \(region) was heard \(whole(metres)) m from there: no enter; one that travels needs a "
          + "negative radius (beaconNeedsPlace)",
        [("region", .text(region)), ("metres", .number(metres))])
    case .strayBeacon(let region, let packets):
      take(
        "strayBeacon",
        "\(region) was left a moment ago: \(packets) packet\(packets == 1 ? "" : "s") may be a stray",
        [("region", .text(region)), ("packets", .number(Double(packets)))])
    case .ranged(let region, let metres, let before):
      take(
        "ranged",
        "a beacon of \(region) seems \(tenths(metres)) m away"
          + (before.map { " (published before: \(tenths($0)) m)" } ?? ""),
        [("region", .text(region)), ("metres", .number(metres))]
          + (before.map { [("before", .number($0))] } ?? []))

    // MARK: The receiver and its clock
    case .sourceReached(let name, true): take(name + "Reached", "\(name) is reached", [])
    case .sourceReached(let name, false): take(name + "Lost", "\(name) is not reached any more", [])
    case .receiverSilent(let seconds):
      take(
        "receiverSilent", "the receiver has said nothing for \(whole(seconds)) s",
        [("seconds", .number(seconds))])
    case .receiverBack(let seconds):
      take(
        "receiverBack", "the receiver reports again, after \(whole(seconds)) s",
        [("seconds", .number(seconds))])
    case .fixLost(let seconds):
      take("fixLost", "no fix for \(whole(seconds)) s: the last place", [("seconds", .number(seconds))])
    case .fixBack(let metres):
      take(
        "fixBack", "there is a fix again, \(whole(metres)) m from where it was lost",
        [("metres", .number(metres))])
    case .noFix(let mode):
      take("noFix", "the receiver has no fix (mode \(mode))", [("mode", .number(Double(mode)))])
    case .noTime: take("noTime", "the receiver gave no time", [])
    case .dateImpossible:
      take("dateRefused", "the receiver's date is impossible: there is no such day", [])
    case .dateRefused(let time):
      take(
        "dateRefused", "the receiver's date is impossible (\(whole(time)) Unix seconds)",
        [("time", .number(time))])
    case .noCoordinates: take("noCoordinates", "the receiver gave no usable coordinates", [])
    case .nullIsland: take("nullIsland", "the receiver claims to be at 0, 0", [])
    case .noAccuracy: take("noAccuracy", "the receiver gave no accuracy", [])
    case .voidPosition:
      take("voidPosition", "the receiver repeats its last position, and says that it has no fix", [])
    case .reckoned:
      take("reckoned", "the receiver reckons without satellites, and its position is used all the same", [])
    case .simulated:
      take("simulated", "the receiver simulates its position, which is used all the same", [])
    case .inaccurate(let metres, let limit):
      take(
        "inaccurate", "accuracy \(above(metres, limit)) m is worse than \(whole(limit)) m",
        [("metres", .number(metres)), ("limit", .number(limit))])
    case .settling(let metres, let needed):
      take(
        "settling",
        "the receiver has only begun to see: for 10 s a position of \(above(metres, needed)) m waits for one of "
          + "\(whole(needed)) m",
        [("metres", .number(metres)), ("needed", .number(needed))])
    case .implausibleJump(let metres, let possible):
      take(
        "implausibleJump", "a jump of \(above(metres, possible)) m where \(whole(possible)) m are possible",
        [("metres", .number(metres)), ("possible", .number(possible))])
    case .notNewer(let time, let last):
      take(
        "notNewer", "not newer than the position before (\(whole(last - time)) s older)",
        [("time", .number(time)), ("last", .number(last))])
    case .receiverClockOff(let seconds):
      take(
        "receiverClockOff",
        "the receiver's clock is \(tenths(seconds.magnitude)) s \(seconds < 0 ? "behind" : "ahead of") the trusted one: "
          + "a position is not published with that time",
        [("seconds", .number(seconds))])
    case .receiverPutRight(let seconds):
      take(
        "receiverPutRight",
        "the receiver's clock is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead"), as by leap seconds: its times are "
          + "put right from now on",
        [("seconds", .number(Double(seconds)))])
    case .clockWasWrong(let seconds):
      take(
        "clockWasWrong",
        "the time of day that receivers had reported was \(whole(seconds.magnitude)) s \(seconds < 0 ? "ahead" : "behind"): it "
          + "is put right, what was published with it is not",
        [("seconds", .number(seconds))])
    case .clockUntrusted:
      take("clockUntrusted", "no trusted clock yet: waiting for 3 s of consistent 3D fixes", [])

    // MARK: Movement, trips and alarms
    case .turned(let degrees, let metres):
      take(
        "turned", "turned by \(whole(degrees)) degrees within \(whole(metres)) m",
        [("degrees", .number(degrees)), ("metres", .number(metres))])
    case .speedChanged(let before, let now):
      take(
        "speedChanged", "the speed went from \(whole(before)) to \(whole(now)) km/h",
        [("before", .number(before)), ("now", .number(now))])
    case .tripBegan(let metres):
      take("tripBegan", "a trip is under way, \(whole(metres)) m so far", [("metres", .number(metres))])
    case .tripEnded(let metres, let seconds, let cause):
      take(
        "tripEnded", "the trip of \(whole(metres)) m and \(whole(seconds)) s is over: \(cause.sentence)",
        [("metres", .number(metres)), ("seconds", .number(seconds)), ("cause", .text(cause.rawValue))])
    case .noTrip(let metres):
      take("noTrip", "stopped after \(whole(metres)) m: that is no trip", [("metres", .number(metres))])
    case .towed(let metres):
      take("towed", "the parked vehicle was moved \(whole(metres)) m", [("metres", .number(metres))])
    case .dragged(let metres):
      take(
        "dragged", "the anchor drags: \(whole(metres)) m from where it was set",
        [("metres", .number(metres))])
    case .tooFast(let speed, let limit, let region):
      take(
        "tooFast",
        "\(above(speed, Double(limit))) km/h where \(limit) are allowed" + (region.map { " (\($0))" } ?? ""),
        [("speed", .number(speed)), ("limit", .number(Double(limit)))]
          + (region.map { [("region", .text($0))] } ?? []))
    case .slowAgain(let top, let limit):
      take(
        "slowAgain", "no longer faster than \(limit) km/h (\(whole(top)) km/h at most)",
        [("top", .number(top)), ("limit", .number(Double(limit)))])
    case .harsh(let kind, let force, let limit):
      take(
        kind.reasonWord, "\(kind.sentence): \(hundredths(force)) g where \(hundredths(limit)) g are allowed",
        [("force", .number(force)), ("limit", .number(limit))])
    case .interference(let kind, let level):
      take(kind.rawValue, kind.sentence(level), [("state", .text(level.rawValue))])
    case .interferenceOver(let kind, let seconds):
      take(kind.overWord, kind.sentence(over: seconds), [("seconds", .number(seconds))])
    case .rateTooLow(let rate):
      take(
        "rateTooLow", "harshDriving needs 5 positions a second, and the receiver gives \(tenths(rate))",
        [("rate", .number(rate))])

    // MARK: The vehicle and its power
    case .ignitionIsOn:
      take(
        "ignitionIsOn",
        "the vehicle leaves its parking place with the ignition on: it is not being towed", [])
    case .ignitionTurned(isOn: true): take("ignitionOn", "the ignition was switched on", [])
    case .ignitionTurned(isOn: false): take("ignitionOff", "the ignition was switched off", [])
    case .supplyTurned(isOn: true): take("powerBack", "the board is supplied from outside again", [])
    case .supplyTurned(isOn: false):
      take("powerLost", "the board runs on its own battery: nothing supplies it", [])
    case .batteryLow(let level, let limit):
      take(
        "batteryLow", "the board's battery is at \(level) %, below \(limit) % (downgrade)",
        [("level", .number(Double(level))), ("limit", .number(Double(limit)))])
    case .sos(let times):
      take(
        "sos", times == 1 ? "SOS: published at once" : "SOS: published \(times) times",
        [("times", .number(Double(times)))])
    case .sosAcknowledged(let times):
      take("sosAcknowledged", "SOS is acknowledged", [("times", .number(Double(times)))])
    case .batteryStep(let news): take("batteryStep", news.sentence, news.details)
    case .powerFailing: take("powerFailing", "the power is failing: the last place", [])
    case .haltingSoon(let cause):
      take("haltingSoon", "the board is to be switched off, \(cause): the last place", cause.details)
    case .checkIn(let news): take(news.word, news.sentence, news.details)

    // MARK: The mode
    case .modeIsQuiet: take("modeIsQuiet", "the mode is quiet", [])
    case .modeIsManual: take("modeIsManual", "the mode is manual", [])
    case .modeChanged(let before, let mode, let cause):
      take(
        "modeChanged", "the mode changed from \(before.name) to \(mode.name): \(cause.sentence)",
        [
          ("from", .number(Double(before.rawValue))), ("mode", .number(Double(mode.rawValue))),
          ("cause", .text(cause.word)),
        ] + cause.details)
    case .modeByNetwork(let mode, let network, let isJoined):
      take(
        "modeByNetwork", "the mode is \(mode.name): \(Self.network(network, isJoined: isJoined))",
        [
          ("mode", .number(Double(mode.rawValue))), ("network", .text(network)),
          ("event", .text(isJoined ? "joined" : "left")),
        ])
    case .modeByTime(let mode, let times, let isBegun):
      take(
        "modeByTime", "the mode is \(mode.name): \(Self.times(times, isBegun: isBegun))",
        [
          ("mode", .number(Double(mode.rawValue))), ("times", .text(times)),
          ("event", .text(isBegun ? "begun" : "ended")),
        ])
    case .modeIsChosen(let mode, let rule):
      take(
        "modeIsChosen",
        "the mode stays \(mode.name), as explicitly chosen: \(rule) does not change that",
        [("mode", .number(Double(mode.rawValue))), ("rule", .text(rule))])

    // MARK: Commands and the server
    case .commandAnswered(let action):
      take("commandAnswered", "answered the command \(action)", [("action", .text(action))])
    case .commandObeyed(let action):
      take("commandObeyed", "obeyed the command \(action)", [("action", .text(action))])
    case .commandPartly(let action, let why):
      take(
        "commandPartly", "obeyed the command \(action) in part: \(why)",
        [("action", .text(action)), ("because", .text(why))])
    case .commandRefused(let action, let refusal):
      take(
        "commandRefused", "command \(action) refused: \(refusal.sentence)",
        [("action", .text(action)), ("because", .text(refusal.rawValue))])
    case .commandSenseless(let action?, let why):
      take(
        "commandRefused", "command \(action) refused: \(why)",
        [("action", .text(action)), ("because", .text(why))])
    case .commandSenseless(nil, let why):
      take("commandRefused", "command refused: \(why)", [("because", .text(why))])
    case .resultTold(let action, let outcome):
      take(
        "resultTold", "answered the command \(action): \(outcome.rawValue)",
        [("action", .text(action)), ("result", .text(outcome.rawValue))])
    case .resultNotTold(let action):
      take(
        "resultNotTold",
        "refusal of the command \(action) not answered: too many in a row",
        [("action", .text(action))])
    case .configurationRolledBack(isRefused: false, let seconds):
      take(
        "configurationRolledBack",
        "the server was not reached within \(whole(seconds)) s with the changed settings: the old ones are back",
        [("cause", .text("unreached")), ("seconds", .number(seconds))])
    case .configurationRolledBack(isRefused: true, let seconds):
      take(
        "configurationRolledBack",
        "the server of the changed settings refused a message after \(whole(seconds)) s: the old ones are back",
        [("cause", .text("refused")), ("seconds", .number(seconds))])
    case .offline: take("offline", "port is 0: offline", [])
    case .notConnected:
      take("notConnected", "not connected, and old distances are of no use to anybody", [])
    case .introduced: take("introduced", "described its entities to Home Assistant", [])
    case .backlogWaits(let count):
      take(
        "backlogWaits",
        "\(count == 1 ? "1 old location waits" : "\(count) old locations wait") for WiFi, a cable or their time (backlog is wifi)",
        [("count", .number(Double(count)))])
    case .brokerForgot(let count):
      take(
        "brokerForgot",
        "the broker has lost what it had acknowledged: "
          + (count == 1 ? "1 message is sent again" : "\(count) messages are sent again"),
        [("count", .number(Double(count)))])
    case .backlogDropped(let count):
      take(
        "backlogDropped",
        "\(count == 1 ? "1 old location is" : "\(count) old locations are") not sent (backlog is never); the history may "
          + "have what was dropped",
        [("count", .number(Double(count)))])
    }
  }
}
