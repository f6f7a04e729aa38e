import Model
import Timebase

/// What the engines need of the configuration. Every fix and every sighting asks for it, so it is made once for
/// each configuration and kept.
struct TrackerRules {
  let regions: RegionEngine.Rules
  let reports: ReportPolicy.Rules
  let beacons: BeaconEngine.Rules
  let ranging: BeaconRanging.Rules
  let modes: ModeEngine.Rules
  let shutDown: ShutDown.Rules

  init(_ configuration: Configuration) {
    regions = .init(confirm: configuration.regionConfirm, holdDown: .seconds(configuration.holdDown))
    reports = .init(
      displacement: Double(configuration.locatorDisplacement),
      interval: configuration.locatorInterval > 0 ? .seconds(configuration.locatorInterval) : nil,
      significantDisplacement: Double(configuration.significantDisplacement),
      significantInterval: .seconds(configuration.significantInterval),
      adaptive: configuration.adaptive ? AdaptiveRecording(configuration) : nil,
      ping: configuration.ping > 0 ? .minutes(configuration.ping) : nil)
    beacons = Self.beacons(configuration)
    ranging = .init(
      pathLossExponent: configuration.pathLossExponent, interval: .seconds(configuration.rangingMinInterval))
    modes = .init(
      downgrade: configuration.downgrade, adaptAfter: .minutes(configuration.adapt),
      adaptRequiresFollow: configuration.adaptRequiresFollow)
    shutDown = .init(
      vehicle: .init(
        parkedAfter: .seconds(configuration.ignitionDelay), low: configuration.vehicleBatteryLow,
        empty: configuration.vehicleBatteryOff),
      parkedShutdown: configuration.parkedShutdown)
  }

  private static func beacons(_ configuration: Configuration) -> BeaconEngine.Rules {
    let enter = configuration.beaconEnterRssi
    let leave = configuration.beaconLeaveRssi
    return .init(
      lossTimeout: configuration.beaconLossTimeout > 0 ? .seconds(configuration.beaconLossTimeout) : nil,
      holdDown: .seconds(configuration.holdDown), reentryGuard: .seconds(configuration.reentryGuard),
      confirm: configuration.regionConfirm, enterRSSI: enter == 0 ? nil : enter,
      leaveRSSI: leave == 0 ? enter - Configuration.rssiHysteresis : leave,
      placeTimeout: configuration.beaconNeedsPlace ? .seconds(configuration.fixTimeout) : nil)
  }
}

extension AdaptiveRecording {
  init(_ configuration: Configuration) {
    self.init(
      distance: Double(configuration.adaptiveDistance), heading: Double(configuration.adaptiveHeading),
      speed: Double(configuration.adaptiveSpeed))
  }
}
