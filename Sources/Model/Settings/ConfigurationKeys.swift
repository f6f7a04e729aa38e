extension ConfigurationKey {
  // Those that a rule elsewhere names.

  /// First level of the topic; without one nothing is published.
  public static let username = ConfigurationKey(
    "username", .text(\.identity.username, .topicLevel(200)), connection: .both)
  /// Key `tid`, at most two letters or digits.
  public static let trackerID = ConfigurationKey("tid", .text(\.identity.tid, .trackerID))
  /// -1 to 2, as `MonitoringMode` numbers them.
  public static let monitoring = ConfigurationKey("monitoring", .number(\.monitoringNumber, -1...2))
  /// A secret, for the endpoint it was given for.
  public static let httpHeaders = ConfigurationKey(
    "httpHeaders", .text(\.http.headers, .headers), secret: true, connection: .http)
  /// A secret, for the server it was given for.
  public static let password = ConfigurationKey(
    "password", .text(\.login.password, .any), secret: true, connection: .both)
  /// Key `tlsClientCert`, a path.
  public static let tlsClientCertificate = ConfigurationKey(
    "tlsClientCert", .text(\.tls.clientCertificate, .path), local: true, connection: .both)
  /// A command may switch it on; off, only a person at the board.
  public static let locked = ConfigurationKey("locked", .flag(\.commands.locked))

  /// Every key, by subject.
  public static let all: [ConfigurationKey] = identity + reporting + connection + rules + page + board

  /// The same, each subject with its name.
  public static var bySubject: [(name: String, keys: [ConfigurationKey])] {
    [
      ("identity", identity), ("reporting", reporting), ("connection", connection), ("rules", rules),
      ("page", page), ("board", board),
    ]
  }

  private static let identity: [ConfigurationKey] = [
    username,
    .init("deviceId", .text(\.identity.deviceId, .topicLevel(64)), connection: .both),
    trackerID,
    .init("clientId", .text(\.identity.clientId, .any), connection: .mqtt),
  ]

  private static let reporting: [ConfigurationKey] = [
    monitoring,
    .init("preset", .text(\.presetWord, .oneOf(Configuration.Preset.words)), local: true),
    .init("locatorDisplacement", .number(\.reports.locatorDisplacement, 0...100_000)),
    .init("locatorInterval", .number(\.reports.locatorInterval, -1...86_400)),
    .init("significantDisplacement", .number(\.reports.significantDisplacement, 1...1_000_000)),
    .init("significantInterval", .number(\.reports.significantInterval, 1...86_400)),
    .init("significantWindow", .number(\.reports.significantWindow, 0...60)),
    .init("reportFixLoss", .flag(\.reports.fixLoss)),
    .init("ping", .number(\.reports.ping, 0...1440)),
    .init("dataBudget", .real(\.reports.dataBudget, 0...100_000)),
    .init("ignoreInaccurateLocations", .number(\.reports.ignoreInaccurateLocations, 0...1_000_000)),
    .init("extendedData", .flag(\.reports.extendedData)),
    .init("downgrade", .number(\.reports.downgrade, 0...100)),
    .init("adapt", .number(\.reports.adapt, 0...1440)),
    .init("adaptRequiresFollow", .flag(\.reports.adaptRequiresFollow)),
    .init("networkModes", .list(\.networkModesText, .networkMode)),
    .init("timeModes", .list(\.timeModesText, .timeMode)),
    .init("adaptive", .flag(\.adaptive.isOn)),
    .init("adaptiveDistance", .number(\.adaptive.distance, 1...100_000)),
    .init("adaptiveHeading", .number(\.adaptive.heading, 1...180)),
    .init("adaptiveSpeed", .number(\.adaptive.speed, 1...500)),
    .init("odometer", .flag(\.journey.odometer)),
    .init("trips", .flag(\.journey.trips)),
    .init("towAlarm", .number(\.journey.towAlarm, 0...100_000)),
    .init("anchorAlarm", .number(\.journey.anchorAlarm, 0...100_000)),
    .init("alarmMessages", .flag(\.journey.alarmMessages)),
    .init("overspeed", .number(\.journey.overspeed, 0...500)),
    .init("harshDriving", .flag(\.journey.harsh.isOn)),
    .init("harshBraking", .real(\.journey.harsh.braking, 0.2...1)),
    .init("harshAcceleration", .real(\.journey.harsh.acceleration, 0.2...1)),
    .init("harshCornering", .real(\.journey.harsh.cornering, 0.2...1)),
    .init("ranging", .flag(\.beacons.ranging)),
    .init("positions", .number(\.history.positions, -1_000_000...1_000_000)),
    .init("days", .number(\.history.days, -1...36_500)),
    .init("ignoreStaleLocations", .real(\.friends.ignoreStale, 0...36_500)),
  ]

  private static let connection: [ConfigurationKey] = [
    .init("mode", .choice(\.modeNumber, [(0, "MQTT"), (3, "HTTP")]), connection: .both),
    .init("host", .text(\.broker.host, .any), connection: .mqtt),
    .init("url", .text(\.http.url, .url), secret: true, connection: .http),
    httpHeaders,
    .init("port", .number(\.broker.port, 0...65_535), connection: .mqtt),
    .init("tls", .flag(\.tls.isOn), guarding: true, connection: .mqtt),
    .init("tlsCaFile", .text(\.tls.caFile, .path), local: true, connection: .both),
    tlsClientCertificate,
    .init("tlsClientKey", .text(\.tls.clientKey, .path), local: true, connection: .both),
    .init("allowinvalidcerts", .flag(\.tls.allowsInvalidCertificates), guarding: true, connection: .both),
    .init("auth", .flag(\.login.auth), connection: .both),
    .init("usePassword", .flag(\.login.usePassword), connection: .both),
    password,
    .init(
      "encryptionKey", .text(\.messages.encryptionKey, .bytes(32)), guarding: true, secret: true,
      connection: .both),
    .init(
      "mqttProtocolLevel",
      .choice(
        \.broker.protocolLevel,
        [(0, "5, or 3.1.1 where the broker does not speak it"), (3, "MQTT 3.1"), (4, "3.1.1"), (5, "5")]),
      connection: .mqtt),
    .init("keepalive", .number(\.broker.keepalive, 0...65_535), connection: .mqtt),
    .init("keepAliveParked", .number(\.broker.keepaliveParked, 0...65_535), connection: .mqtt),
    .init("cleanSession", .flag(\.broker.cleanSession), connection: .mqtt),
    .init("pubTopicBase", .text(\.messages.topicBase, .topic), connection: .both),
    .init("pubQos", .number(\.messages.qos, 0...2), connection: .mqtt),
    .init("pubRetain", .flag(\.messages.retain)),
    .init("sub", .flag(\.broker.sub), connection: .mqtt),
    .init("friends", .flag(\.friends.isOn), local: true, connection: .both),
    .init("subQos", .number(\.broker.subQos, 0...2), connection: .mqtt),
    .init("subTopic", .text(\.broker.subTopic, .filters), connection: .mqtt),
    .init("roundTrip", .flag(\.broker.roundTrip), local: true),
    .init("holdUnheard", .flag(\.messages.holdsUnheard), local: true),
    .init("connectionTimeoutSeconds", .number(\.retry.timeout, 1...600)),
    .init("publishLocationOnConnect", .flag(\.reports.publishLocationOnConnect)),
    .init("backlog", .text(\.backlogWord, .oneOf(Configuration.Backlog.words))),
    .init("backlogTimes", .list(\.backlogTimesText, .period)),
    .init("availability", .flag(\.dashboard.availability)),
    .init("statusInterval", .number(\.dashboard.statusInterval, 0...604_800)),
    .init("discovery", .flag(\.dashboard.discovery), connection: .mqtt),
    .init("discoveryPrefix", .text(\.dashboard.discoveryPrefix, .topic)),
    .init("announceWaypoints", .text(\.waypointsWord, .oneOf(Configuration.AnnouncedWaypoints.words))),
    .init("reconnectMin", .number(\.retry.least, 1...3600), local: true),
    .init("reconnectMax", .number(\.retry.most, 1...86_400), local: true),
    .init("reconnectSpread", .number(\.retry.spread, 0...3600), local: true),
    .init("maxInFlight", .number(\.broker.maxInFlight, 1...1000), local: true),
    .init("resendLost", .number(\.queue.resendLost, 0...7200), local: true),
    .init("batchSeconds", .number(\.queue.batchSeconds, 0...86_400)),
  ]

  private static let rules: [ConfigurationKey] = [
    .init("cmd", .flag(\.commands.isOn)),
    .init("allowRemoteLocation", .flag(\.commands.allowRemoteLocation)),
    .init("remoteConfiguration", .flag(\.commands.remoteConfiguration)),
    .init("legacyListento", .flag(\.commands.legacyListento), local: true),
    .init("commandMaxAge", .number(\.commands.maxAge, 0...86_400), local: true),
    .init("acceptRetainedCommands", .flag(\.commands.acceptRetained), local: true),
    .init("requireEncryptedCommands", .flag(\.commands.requireEncrypted), local: true),
    .init("dumpSecrets", .flag(\.commands.dumpSecrets), local: true),
    locked,
    .init("regionConfirm", .number(\.regions.confirm, 1...10), local: true),
    .init("physicsGate", .flag(\.regions.physicsGate), local: true),
    .init("holdDown", .number(\.regions.holdDown, 0...3600), local: true),
    .init("beaconLossTimeout", .number(\.beacons.lossTimeout, 0...3600, words: ["auto": 0]), local: true),
    .init("reentryGuard", .number(\.beacons.reentryGuard, 0...3600), local: true),
    .init("beaconEnterRssi", .number(\.beacons.enterRssi, -120...0), local: true),
    .init("beaconLeaveRssi", .number(\.beacons.leaveRssi, -126...0), local: true),
    .init("beaconNeedsPlace", .flag(\.beacons.needsPlace), local: true),
    .init("scanDuty", .number(\.beacons.scanDuty, 0...100, words: ["auto": -1, "off": 0]), local: true),
    .init("scanAdapter", .text(\.beacons.scanAdapter, .bluetoothAddress), local: true),
    .init("scanMethod", .text(\.scanMethodWord, .oneOf(Configuration.ScanMethod.words)), local: true),
    .init("rangingMinInterval", .number(\.beacons.rangingMinInterval, 0...3600), local: true),
    .init("pathLossExponent", .real(\.beacons.pathLossExponent, 1...6), local: true),
    .init("beaconAccDecimals", .number(\.beacons.accuracyDecimals, 0...3), local: true),
    .init("beaconNumberBase", .text(\.numberBaseWord, .oneOf(BeaconNumberBase.words)), local: true),
  ]

  private static let page: [ConfigurationKey] = [
    .init("osmTemplate", .text(\.page.template, .tileURL)),
    .init("osmCopyright", .text(\.page.copyright, .bytes(500))),
    .init("tacho", .text(\.tachoWord, .oneOf(Configuration.Tacho.words))),
  ]

  private static let board: [ConfigurationKey] = [
    .init("gpsdHost", .text(\.receiver.host, .any), local: true),
    .init("gpsdPort", .number(\.receiver.port, 1...65_535), local: true),
    .init("gpsdDevice", .text(\.receiver.device, .any), local: true),
    .init("gpsDutyCycle", .number(\.receiver.dutyCycle, 0...86_400), local: true),
    .init("receiverSleep", .flag(\.receiver.sleeps), local: true),
    .init("jammingWatch", .flag(\.receiver.watchesJamming), local: true),
    .init("batterySource", .text(\.batterySourceText, .batterySource), local: true),
    .init("batteryVoltages", .text(\.batteryVoltagesText, .voltages), local: true),
    .init("powerFailInput", .text(\.powerFailInputText, .powerInput), local: true),
    .init("sosInput", .text(\.sosInputText, .powerInput), local: true),
    .init("ignitionInput", .text(\.ignitionInputText, .powerInput), local: true),
    .init("ignitionDelay", .number(\.power.ignitionDelay, 0...86_400), local: true),
    .init("parkedShutdown", .number(\.power.parkedShutdown, 0...604_800), local: true),
    .init("parkedWake", .real(\.power.parkedWake, 0...720), local: true),
    .init("parkedWakeLimit", .number(\.power.parkedWakeLimit, 30...3600), local: true),
    .init("vehicleBattery", .text(\.vehicleBatteryText, .voltageSource), local: true),
    .init("vehicleBatteryLow", .real(\.power.vehicleBatteryLow, 0...60), local: true),
    .init("vehicleBatteryOff", .real(\.power.vehicleBatteryOff, 0...60), local: true),
    .init("batterySteps", .list(\.batteryStepsText, .batteryStep), local: true),
    .init("fixTimeout", .number(\.reports.fixTimeout, 1...86_400), local: true),
    .init("queueLimit", .number(\.queue.limit, 10...10_000_000), local: true),
    .init("queueLimitMegabytes", .number(\.queue.limitMegabytes, 1...100_000), local: true),
    .init("extraKeys", .text(\.programs.extraKeys, .path), local: true),
    .init("onEvent", .text(\.programs.onEvent, .path), local: true),
    .init("onEventFor", .text(\.eventScopeWord, .oneOf(Configuration.EventScope.words)), local: true),
    .init("onEventTimeout", .number(\.programs.onEventTimeout, 1...300), local: true),
    .init("onOutage", .number(\.programs.onOutage, 0...86_400), local: true),
    .init("stateDir", .text(\.board.stateDir, .path), local: true, fixed: true),
    .init("controlSocket", .text(\.board.controlSocket, .path), local: true, fixed: true),
    .init("geocodeUrl", .text(\.board.geocodeUrl, .placeURL), local: true, secret: true),
    .init("record", .number(\.board.record, 0...1000), local: true),
    .init("recordDir", .text(\.board.recordDir, .path), local: true),
    .init("logLevel", .text(\.logLevelWord, .oneOf(Configuration.LogLevel.words)), local: true),
  ]
}

/// Numbers and words of the file for what is typed here; one that stands for nothing changes nothing. They are no
/// generic property, because a key path through one makes its types at the start, on pages that then belong to us.
extension Configuration {
  fileprivate var modeNumber: Int {
    get { transport.rawValue }
    set { transport = .init(rawValue: newValue) ?? transport }
  }
  fileprivate var monitoringNumber: Int {
    get { reports.monitoring.rawValue }
    set { reports.monitoring = .init(rawValue: newValue) ?? reports.monitoring }
  }
  fileprivate var scanMethodWord: String {
    get { beacons.scanMethod.rawValue }
    set { beacons.scanMethod = .init(rawValue: newValue) ?? beacons.scanMethod }
  }
  fileprivate var numberBaseWord: String {
    get { beacons.numberBase.rawValue }
    set { beacons.numberBase = .init(rawValue: newValue) ?? beacons.numberBase }
  }
  fileprivate var logLevelWord: String {
    get { board.logLevel.rawValue }
    set { board.logLevel = .init(rawValue: newValue) ?? board.logLevel }
  }
  fileprivate var presetWord: String {
    get { reports.preset.rawValue }
    set { reports.preset = .init(rawValue: newValue) ?? reports.preset }
  }
  fileprivate var eventScopeWord: String {
    get { programs.onEventFor.rawValue }
    set { programs.onEventFor = .init(rawValue: newValue) ?? programs.onEventFor }
  }
  fileprivate var backlogWord: String {
    get { queue.backlog.rawValue }
    set { queue.backlog = .init(rawValue: newValue) ?? queue.backlog }
  }
  fileprivate var backlogTimesText: String {
    get { queue.backlogTimes.text }
    set { queue.backlogTimes.text = newValue }
  }
  fileprivate var waypointsWord: String {
    get { dashboard.announceWaypoints.rawValue }
    set { dashboard.announceWaypoints = .init(rawValue: newValue) ?? dashboard.announceWaypoints }
  }
  fileprivate var tachoWord: String {
    get { page.tacho.rawValue }
    set { page.tacho = .init(rawValue: newValue) ?? page.tacho }
  }
  fileprivate var networkModesText: String {
    get { reports.networkModes.text }
    set { reports.networkModes.text = newValue }
  }
  fileprivate var timeModesText: String {
    get { reports.timeModes.text }
    set { reports.timeModes.text = newValue }
  }
  fileprivate var batterySourceText: String {
    get { power.batterySource.text }
    set { power.batterySource.text = newValue }
  }
  fileprivate var batteryVoltagesText: String {
    get { power.batteryVoltages.text }
    set { power.batteryVoltages.text = newValue }
  }
  fileprivate var batteryStepsText: String {
    get { power.batterySteps.text }
    set { power.batterySteps.text = newValue }
  }
  fileprivate var powerFailInputText: String {
    get { power.powerFailInput.text }
    set { power.powerFailInput.text = newValue }
  }
  fileprivate var sosInputText: String {
    get { power.sosInput.text }
    set { power.sosInput.text = newValue }
  }
  fileprivate var ignitionInputText: String {
    get { power.ignitionInput.text }
    set { power.ignitionInput.text = newValue }
  }
  fileprivate var vehicleBatteryText: String {
    get { power.vehicleBattery.text }
    set { power.vehicleBattery.text = newValue }
  }
}
