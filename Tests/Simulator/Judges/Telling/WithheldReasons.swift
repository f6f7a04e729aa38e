import Core
import Model
import Timebase

/// Every reason of what is withheld is true.
struct WithheldReasons: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .withheld(let reason) = what, let lie = Claim(world: world).lie(withheld: reason) else {
      return
    }
    world.complain(.reasons, "withheld \(reason): \(lie)")
  }
}

extension Claim {
  func lie(withheld reason: Reason) -> String? {
    let isBlind = (telling.reading?.mode ?? 3) < 2
    switch reason {
    case .noFix(let mode): return telling.reading?.mode == mode ? nil : "the receiver said another"
    case .noTime, .noCoordinates, .noAccuracy, .nullIsland: return isBlind ? nil : "all of it was there"
    case .dateRefused(let time):
      let isRight = (time - BoardClock.truth(now).seconds).magnitude < 200
      let known = world.tracker?.wall(at: world.moment)
      let isSure = known.map { ($0 - BoardClock.truth(now)).seconds.magnitude < 60 } ?? true
      return isRight && isSure ? "the date was right" : nil
    case .receiverClockOff(let seconds):
      guard seconds > 0, let known = world.tracker?.wall(at: world.moment),
        let time = telling.reading?.time,
        (known - BoardClock.truth(now)).seconds.magnitude < 1
      else { return nil }
      let rollover = 1024.0 * 7 * 86_400
      let lead = (time - BoardClock.truth(now)).seconds.remainder(dividingBy: rollover)
      return lead > 1 ? nil : "it is not ahead"
    case .clockUntrusted:
      return world.tracker?.wall(at: world.moment) == nil ? nil : "there is a trusted clock"
    case .notNewer(let time, let last): return time <= last ? nil : "it is newer"
    case .tooNear(let metres, let needed):
      if telling.reading != nil, !expectedDistances.contains(needed) {
        return "\(expectedDistances) m are asked for"
      }
      return metres < needed ? nil : "it is not"
    case .choosing(let seconds):
      return seconds == Double(configuration.reports.significantWindow) ? nil : "people want another window"
    case .modeByNetwork(_, _, isJoined: true):
      return world.line.wire.isUp && world.line.way.network == .wifi(ssid: Way.wifi, bssid: nil)
        ? nil : "the board is in another one"
    case .modeByTime(_, let times, let isBegun): return lie(times, isBegun: isBegun)
    case .dwelling(_, let seconds, let needed): return seconds < needed ? nil : "that is long enough"
    case .settling(let metres, let needed): return metres > needed ? nil : "it is good"
    case .tooSoon(let seconds, let needed):
      let asked = Double(configuration.reports.significantInterval)
      return seconds < needed && needed == asked ? nil : "\(asked) s are asked for"
    case .notConfirmed(_, let seen, let needed):
      let asked = configuration.regions.confirm
      return seen < needed && needed == asked ? nil : "\(asked) are asked for"
    case .inaccurate(let metres, let limit):
      let isAsked = limit == Double(configuration.reports.ignoreInaccurateLocations)
      return metres > limit && isAsked ? nil : "it is accurate enough"
    case .implausibleJump(let metres, let possible): return metres > possible ? nil : "it is possible"
    case .modeIsQuiet: return isMode(.quiet) ? nil : "it is not"
    case .modeIsManual: return isMode(.manual) ? nil : "it is not"
    case .offline: return configuration.broker.port == 0 ? nil : "it is not"
    case .noIdentity: return configuration.identity.username.isEmpty ? nil : "it is set"
    case .followInMove: return isMode(.move) ? nil : "it is not"
    case .neverAnyFix: return telling.lastPublish == nil ? nil : "a position was published"
    case .sameTime(let time):
      if telling.times.isEmpty || telling.times.contains(time) { return nil }
      let isOfAnotherLife = world.ledger.made.contains {
        if case .location(let location) = $0.report { location.time.wholeSeconds == time } else { false }
      }
      return isOfAnotherLife ? nil : "none was of that second"
    default: return nil
    }
  }

  /// From the last published location on, metres.
  private var expectedDistances: [Double] {
    [
      (MonitoringMode.move, moveDistance),
      (.significant, Double(configuration.reports.significantDisplacement)),
    ]
    .filter { isMode($0.0) }.map(\.1)
  }

  /// As they are written, `HH:MM-HH:MM`.
  private func lie(_ times: String, isBegun: Bool) -> String? {
    let numbers = times.split { $0 == ":" || $0 == "-" }.compactMap { Int($0) }
    guard numbers.count == 4 else { return "those are no times" }
    let minute = Int(BoardClock.truth(now).seconds / 60) % 1440
    let isSo = (numbers[0] * 60 + numbers[1]..<numbers[2] * 60 + numbers[3]).contains(minute)
    // A board that was off at its beginning follows it late.
    return isSo == isBegun || world.age < 130 ? nil : "it is minute \(minute)"
  }
}
