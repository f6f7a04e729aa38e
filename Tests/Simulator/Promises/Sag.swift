import Core
import Model
import Timebase

/// What the tracker was told of the vehicle's battery, and what has to come of it. Kept by the world, one for each life of
/// the process.
struct Sag {
  /// Seconds: what has lasted; and how exactly a wake-up meets the end of it.
  private static let lasting = 60.0
  fileprivate static let slack = 2.0

  fileprivate var volts: Double?
  /// The tracker has heard of a gauge.
  fileprivate(set) var isKnown = false
  fileprivate var belowLow: Instant?
  fileprivate var aboveLow: Instant?
  fileprivate var belowEmpty: Instant?
  /// Surely low, and since when; it may be, as well.
  fileprivate(set) var isLow = false
  fileprivate(set) var mayBeLow = false
  fileprivate var lowSince: Instant?
  fileprivate(set) var mayBeEmpty = false
  fileprivate var emptySince: Instant?
  /// Since when nobody drives.
  fileprivate var offSince: Instant?
  /// How often the sag lowered the mode by itself.
  fileprivate var timesLowered = 0

  /// `power`: its thresholds.
  mutating func told(_ volts: Double?, _ power: Configuration.Power, at now: Instant) {
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
    if belowEmpty == nil { (emptySince, mayBeEmpty) = (nil, false) }
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

  /// `isByPlace`: with a location that was told, after somebody had raised it.
  mutating func lowered(isByPlace: Bool) { if !isByPlace { timesLowered += 1 } }

  /// Somebody has set another mode: the next location lowers it again.
  mutating func raised() { timesLowered = 0 }
}

extension World {
  /// Seconds: a board that has just started is left to its people, after the store is there; and how long the last reports
  /// may take.
  private static let grace = 600.0
  private static let storeSlack = 120.0
  private static let reporting = 130.0

  /// Once a second.
  func judgeSag() {
    guard isMeasured, isRunning, !isStopping, takingUp == nil, let tracker,
      !ledger.blindLives.contains(life)
    else { return }
    sag.look(configuration.power, at: now)
    sag.offSince = isWired && ignition ? nil : sag.offSince ?? now
    if sag.timesLowered > 1 {
      ledger.complain(.voltage, "one sag has lowered the mode \(sag.timesLowered) times", at: now)
      sag.timesLowered = 0
    }
    if let since = sag.lowSince, (now - since).seconds < 5, tracker.mode.mode == .move,
      let mode = upkeep.inForce, mode.since < since - .seconds(1)
    {
      ledger.complain(.voltage, "in move mode, and the vehicle's battery is low", at: now)
    }
    guard let empty = sag.emptySince, let offSince = sag.offSince, let began = ledger.lifeBegan(life) else {
      return
    }
    let ready = (now - began).seconds - Self.grace - Self.storeSlack
    if min((now - empty).seconds, ready, (now - offSince).seconds) > Self.reporting {
      ledger.complain(
        .voltage, "empty for \(Int((now - empty).seconds)) s, and nobody is asked to switch off", at: now)
      sag.emptySince = nil
    }
  }

  /// The vehicle's battery has the board switched off when it has been empty for a minute, and nobody drives.
  func judge(halt cause: HaltCause?) {
    guard case .batteryLow(let volts) = cause else { return }
    let running = ledger.lifeBegan(life).map { (now - $0).seconds } ?? 0
    // It has parked for long enough as well, and one cause is named.
    let parked = configuration.power.parkedShutdown
    let grace = parked > 0 ? min(Self.grace, Double(parked)) : Self.grace
    if !sag.mayBeEmpty || volts >= configuration.power.vehicleBatteryOff {
      ledger.complain(.voltage, "to be switched off at \(volts) V, and it is not empty", at: now)
    } else if isWired, ignition {
      ledger.complain(.voltage, "to be switched off, and the ignition is on", at: now)
    } else if running < grace {
      ledger.complain(
        .voltage, "to be switched off \(running) s after the start, for \(volts) V", at: now)
    }
  }

  func judge(voltsOf report: Report) {
    guard isMeasured, case .location(let told) = report, told.vehicle.volts != sag.volts else { return }
    ledger.complain(.voltage, "\(told.vehicle.volts ?? 0) V are told, not \(sag.volts ?? 0)", at: now)
  }
}
