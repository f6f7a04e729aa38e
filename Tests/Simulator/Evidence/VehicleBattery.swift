import Core
import Model
import Timebase

/// What the tracker was told of the battery that starts the vehicle, and what has lasted of it.
struct VehicleBattery {
  /// Seconds: what has lasted; and how exactly a wake-up meets the end of it.
  private static let lasting = 60.0
  private static let slack = 2.0

  private(set) var volts: Double?
  /// The tracker has heard of a gauge.
  private(set) var isKnown = false
  private var belowLow: Instant?
  private var aboveLow: Instant?
  private var belowEmpty: Instant?
  /// Surely low, and since when; it may be, as well.
  private(set) var isLow = false
  private(set) var mayBeLow = false
  private(set) var lowSince: Instant?
  private(set) var mayBeEmpty = false
  /// When it was no longer empty.
  private(set) var recovered: Instant?
  var emptySince: Instant?
  /// How often this sag lowered the mode by itself.
  var timesLowered = 0

  /// A timer may end what lasts before anybody looks once a second.
  mutating func heard(_ event: Event, in world: World) {
    if world.isMeasured { look(world.configuration.power, at: world.now) }
    guard case .vehicleVolts(let volts) = event else { return }
    told(volts, world.configuration.power, at: world.now)
  }

  /// `power`: its thresholds.
  private mutating func told(_ volts: Double?, _ power: Configuration.Power, at now: Instant) {
    look(power, at: now)
    self.volts = volts
    isKnown = isKnown || volts != nil
    guard let volts else {
      (belowLow, aboveLow, belowEmpty, emptySince, mayBeEmpty) = (nil, nil, nil, nil, false)
      return
    }
    belowLow = volts < power.vehicleBatteryLow ? belowLow ?? now : nil
    aboveLow = volts >= power.vehicleBatteryLow * 1.05 ? aboveLow ?? now : nil
    belowEmpty = volts < power.vehicleBatteryOff ? belowEmpty ?? now : nil
    if belowEmpty == nil {
      if mayBeEmpty { recovered = now }
      (emptySince, mayBeEmpty) = (nil, false)
    }
  }

  /// What has lasted by now.
  mutating func look(_ power: Configuration.Power, at now: Instant) {
    func seconds(_ since: Instant?) -> Double { since.map { (now - $0).seconds } ?? 0 }
    if seconds(belowLow) >= Self.lasting - 0.5 { mayBeLow = true }
    if seconds(belowLow) >= Self.lasting + 0.5, !isLow {
      (isLow, lowSince) = (true, belowLow.map { $0 + .seconds(Self.lasting) })
    }
    if seconds(aboveLow) >= Self.lasting - 0.5 { (isLow, lowSince, timesLowered) = (false, nil, 0) }
    if seconds(aboveLow) >= Self.lasting + Self.slack { mayBeLow = false }
    if seconds(belowEmpty) >= Self.lasting - 0.5 {
      mayBeEmpty = true
      emptySince = emptySince ?? now
    }
  }
}
