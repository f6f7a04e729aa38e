import Model
import Timebase

/// How hard the radio listens. With `scanDuty` auto:
///
/// | situation                                                    | duty  |
/// |--------------------------------------------------------------|-------|
/// | no beacon region                                             | 0     |
/// | every beacon region has a place, and all are too far to be reached before the next position | 1 % |
/// | the antenna is shared with a WiFi at 2.4 GHz                 | 30 %  |
/// | else                                                         | 100 % |
///
/// "Too far" is a bound, not a guess: no vehicle is assumed faster than `topSpeed`, so after a position at some
/// distance the board cannot hear the beacon before distance / `topSpeed` has passed, whether further
/// positions come or not. A wake-up is armed for that moment, and listening is full again from then on; an
/// earlier position moves it. Until then the radio still listens a little: a region that is drawn
/// in a wrong place is found nevertheless, and ends the rest.
struct ScanDuty {
  static let full = 100
  /// Leaves WiFi on the same antenna usable.
  static let beside2GHz = 30
  static let resting = 1
  /// 250 km/h; an aircraft or a fast train hears the beacon a few seconds late.
  static let topSpeed = 70.0
  /// Metres: beyond the reach of any beacon, with time for the radio to start.
  static let reach = 700.0
  /// Shorter rests are not worth the change.
  static let shortestRest = Span.seconds(15)

  struct Situation {
    /// The setting: -1 auto, else percent.
    var setting: Int
    var wanted: [BeaconIdentity]
    var sharesAir: Bool
    /// Metres to the nearest place of a beacon; nil: it may be anywhere.
    var nearest: Double?
    /// When the position that `nearest` was measured from arrived.
    var measured: Instant?
  }

  private(set) var plan = ScanPlan.off
  /// When the rest is over; nil: there is none.
  private(set) var restsUntil: Instant?

  /// A new plan, or nil where the old one stands.
  mutating func decide(_ situation: Situation, at now: Instant) -> ScanPlan? {
    let new = plan(situation, at: now)
    assert(restsUntil == nil || new.duty == Self.resting, "a rest at \(new.duty) %")
    guard new != plan else { return nil }
    plan = new
    return new
  }

  private mutating func plan(_ situation: Situation, at now: Instant) -> ScanPlan {
    assert((-1...Self.full).contains(situation.setting), "a duty of \(situation.setting) %")
    guard !situation.wanted.isEmpty, situation.setting != 0 else {
      restsUntil = nil
      return .off
    }
    guard situation.setting < 0 else {
      restsUntil = nil
      return ScanPlan(wanted: situation.wanted, duty: situation.setting)
    }
    restsUntil = rest(situation, at: now)
    let usual = situation.sharesAir ? Self.beside2GHz : Self.full
    return ScanPlan(wanted: situation.wanted, duty: restsUntil == nil ? usual : Self.resting)
  }

  private func rest(_ situation: Situation, at now: Instant) -> Instant? {
    guard let nearest = situation.nearest, let measured = situation.measured else { return nil }
    let until = measured + .seconds(max(0, nearest - Self.reach) / Self.topSpeed)
    assert(until >= measured && now >= measured, "measured at a time to come")
    let worthIt = restsUntil == nil ? now + Self.shortestRest : now
    return until > worthIt ? until : nil
  }
}
