import Model
import Timebase

/// The engines' part of the configuration. Every fix and every sighting needs it, so it is made once for each
/// configuration and kept.
struct TrackerRules {
  let regions: RegionEngine.Rules
  let reports: ReportPolicy.Rules
  let beacons: BeaconEngine.Rules
  let ranging: BeaconRanging.Rules
  let modes: ModeEngine.Rules
  let shutDown: ShutDown.Rules
  let batterySteps: [BatteryLimits.Limit]
  /// `port` is 0.
  let isOffline: Bool
  /// The presence of the board (`/status`) is published at all.
  let isPresencePublished: Bool

  init(_ configuration: Configuration) {
    assert(configuration.regions.confirm > 0 && configuration.regions.holdDown >= 0, "checked at the door")
    regions = .init(
      confirm: configuration.regions.confirm, holdDown: .seconds(configuration.regions.holdDown),
      isReceiverResting: configuration.receiver.dutyCycle > 0
        || configuration.power.batterySteps.value?.limits.isEmpty == false)
    isOffline = configuration.isOffline
    isPresencePublished = configuration.isPresencePublished
    reports = .init(
      displacement: Double(configuration.reports.locatorDisplacement),
      interval: configuration.reports.locatorInterval > 0
        ? .seconds(configuration.reports.locatorInterval) : nil,
      significantDisplacement: Double(configuration.reports.significantDisplacement),
      significantInterval: .seconds(configuration.reports.significantInterval),
      adaptive: configuration.adaptive.isOn ? AdaptiveRecording(configuration) : nil,
      ping: configuration.reports.ping > 0 ? .minutes(configuration.reports.ping) : nil,
      window: configuration.reports.significantWindow > 0
        ? .seconds(configuration.reports.significantWindow) : nil)
    beacons = Self.beacons(configuration)
    ranging = .init(
      pathLossExponent: configuration.beacons.pathLossExponent,
      interval: .seconds(configuration.beacons.rangingMinInterval))
    modes = .init(
      downgrade: configuration.reports.downgrade, adaptAfter: .minutes(configuration.reports.adapt),
      adaptRequiresFollow: configuration.reports.adaptRequiresFollow)
    batterySteps = configuration.power.batterySteps.value?.limits ?? []
    shutDown = .init(
      vehicle: .init(
        parkedAfter: .seconds(configuration.power.ignitionDelay), low: configuration.power.vehicleBatteryLow,
        empty: configuration.power.vehicleBatteryOff),
      parkedShutdown: configuration.power.parkedShutdown)
  }

  private static func beacons(_ configuration: Configuration) -> BeaconEngine.Rules {
    let enter = configuration.beacons.enterRssi
    let leave = configuration.beacons.leaveRssi
    assert(enter <= 0 && leave <= 0, "strengths are below 0 dBm")
    return .init(
      lossTimeout: configuration.beacons.lossTimeout > 0 ? .seconds(configuration.beacons.lossTimeout) : nil,
      holdDown: .seconds(configuration.regions.holdDown),
      reentryGuard: .seconds(configuration.beacons.reentryGuard),
      confirm: configuration.regions.confirm, enterRSSI: enter == 0 ? nil : enter,
      leaveRSSI: leave == 0 ? enter - Configuration.rssiHysteresis : leave,
      placeTimeout: configuration.beacons.needsPlace ? .seconds(configuration.reports.fixTimeout) : nil)
  }
}

extension AdaptiveRecording {
  init(_ configuration: Configuration) {
    self.init(
      distance: Double(configuration.adaptive.distance), heading: Double(configuration.adaptive.heading),
      speed: Double(configuration.adaptive.speed))
  }
}
