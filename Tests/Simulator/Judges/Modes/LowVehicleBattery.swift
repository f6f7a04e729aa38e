import Timebase

/// What the vehicle's battery says lowers the mode once a sag, has the board switched off when it has been empty for a
/// minute and nobody drives, and is told as it is.
struct LowVehicleBattery: Judge {
  /// Seconds: a board that has just started is left to its people, after the store is there; and how long the last reports
  /// may take.
  private static let (grace, storeSlack, reporting) = (600.0, 120.0, 130.0)

  /// Since when nobody drives.
  private var offSince: Instant?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .second: look(world)
    case .halts(.batteryLow(let volts)): judge(haltAt: volts, world)
    case .told(.location(let told), because: _):
      let volts = world.evidence.battery.volts
      guard world.isMeasured, told.vehicle.volts != volts else { return }
      world.complain(.voltage, "\(told.vehicle.volts ?? 0) V are told, not \(volts ?? 0)")
    default: break
    }
  }

  private mutating func look(_ world: World) {
    guard world.isMeasured, let tracker = world.working, !world.isBlind else { return }
    let battery = world.evidence.battery
    offSince = world.isWired && world.board.ignition ? nil : offSince ?? world.now
    if battery.timesLowered > 1 {
      world.complain(.voltage, "one sag has lowered the mode \(battery.timesLowered) times")
      world.evidence.battery.timesLowered = 0
    }
    if let since = battery.lowSince, world.seconds(since: since) < 5, tracker.mode.mode == .move,
      world.evidence.mode.isSo(since: since - .seconds(1))
    {
      world.complain(.voltage, "in move mode, and the vehicle's battery is low")
    }
    let (empty, ready) = (world.seconds(since: battery.emptySince), world.age - Self.grace - Self.storeSlack)
    if min(empty, ready, world.seconds(since: offSince)) > Self.reporting {
      world.complain(.voltage, "empty for \(Int(empty)) s, and nobody is asked to switch off")
      world.evidence.battery.emptySince = nil
    }
  }

  private func judge(haltAt volts: Double, _ world: World) {
    let running = max(0, world.age)
    // It has parked for long enough as well, and one cause is named.
    let parked = world.configuration.power.parkedShutdown
    let grace = parked > 0 ? min(Self.grace, Double(parked)) : Self.grace
    // It is told a moment after it was decided.
    let battery = world.evidence.battery
    let mayBeEmpty = battery.mayBeEmpty || battery.recovered.map { world.seconds(since: $0) < 1 } ?? false
    if !mayBeEmpty || volts >= world.configuration.power.vehicleBatteryOff {
      world.complain(.voltage, "to be switched off at \(volts) V, and it is not empty")
    } else if world.isWired, world.board.ignition {
      world.complain(.voltage, "to be switched off, and the ignition is on")
    } else if running < grace {
      world.complain(.voltage, "to be switched off \(running) s after the start, for \(volts) V")
    }
  }
}
