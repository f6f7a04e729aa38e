import Model
import Timebase

/// The settings in force: the file's, and over them what commands have changed.
///
/// A change of the way to the server is on trial: until the server has answered over it nothing of it is
/// stored, and where that takes longer than two minutes, or the power fails, the old settings are back. So a
/// command cannot set `port` to 0 for longer: nobody could order the board back.
///
///     settled ──(setConfiguration that touches the connection)──▶ on trial
///        ▲  ◀──(MQTT: connected, or still connected at the end)────┘ │ │
///        ▲  ◀──(HTTP: something was taken after that)────────────────┘ │
///        └────────────(120 s without it, or HTTP refuses: rolled back)─┘
extension Tracker {
  /// As long as a server may take to be reached with changed settings (D-20).
  static let trialSpan = Span.seconds(120)

  /// A change that nothing has proven yet.
  struct Trial {
    /// What to go back to.
    var before: RemoteSettings
    var since: Instant
    /// The new way has said that it is there. Over HTTP that alone proves nothing.
    var isOpen = false
  }

  /// A `setConfiguration` that is allowed and checked.
  mutating func adopt(
    _ change: SettingsChange, of source: SettingsNews.Source, at now: Moment, into effects: inout [Effect]
  ) {
    let before = remote
    remote.take(change.settings, over: file)
    let new = remote.applied(to: file)
    // To be offline is no exception: who orders it cannot take it back any more.
    if Self.isAnotherWay(configuration, new) {
      trial = Trial(before: trial?.before ?? before, since: now.instant)
      deadlines[.configurationTrial] = now.instant + Self.trialSpan
    }
    if trial == nil, remote != before { rememberSettings() }
    tellChanges(since: before, over: file, by: source, at: now.instant, into: &effects)
    use(new, at: now, into: &effects)
    if let mode = change.monitoring { monitor(mode, by: source, at: now, into: &effects) }
    merge(change.waypoints, of: source, at: now, into: &effects)
  }

  private mutating func monitor(
    _ mode: MonitoringMode, by source: SettingsNews.Source, at now: Moment, into effects: inout [Effect]
  ) {
    let before = modes.state.mode
    guard modes.set(mode) else { return }
    modeChanged(at: now.instant)
    let news = SettingsNews.changed(
      key: "monitoring", from: "\(before.rawValue)", to: "\(mode.rawValue)", source)
    if mode != before { tell(news, at: now.instant, into: &effects) }
  }

  /// The way to the server is there. Over HTTP a word is posted to it: who has nothing to say proves nothing.
  mutating func wayOpened(at now: Moment, into effects: inout [Effect]) {
    guard trial != nil else { return }
    trial?.isOpen = true
    if configuration.mode == 0 { return keepSettings() }
    let status = statusReport(time: clock.wall(at: now), at: now.instant)
    publish(.answer(action: "setConfiguration"), at: now, into: &effects) { _ in .status(status) }
  }

  /// The server has taken something.
  mutating func wayProven() {
    if configuration.mode == 3, trial?.isOpen == true { keepSettings() }
  }

  /// True: what the server refused is not lost by it; it was the wrong server.
  mutating func wayRefused(at now: Moment, into effects: inout [Effect]) -> Bool {
    guard configuration.mode == 3, trial != nil else { return false }
    rollBack(isRefused: true, at: now, into: &effects)
    return true
  }

  mutating func endTrial(at now: Moment, into effects: inout [Effect]) {
    guard trial != nil else { return }
    // A setting that needed no new connection: the old one is proof enough.
    if configuration.mode == 0, outbox.isConnected, !configuration.isOffline { return keepSettings() }
    rollBack(isRefused: false, at: now, into: &effects)
  }

  private mutating func keepSettings() {
    (trial, deadlines[.configurationTrial]) = (nil, nil)
    rememberSettings()
  }

  private mutating func rollBack(isRefused: Bool, at now: Moment, into effects: inout [Effect]) {
    guard let trial else { return }
    (self.trial, deadlines[.configurationTrial]) = (nil, nil)
    let tried = remote
    remote = trial.before
    rememberSettings()
    tellChanges(since: tried, over: file, by: .rollback, at: now.instant, into: &effects)
    let seconds = (now.instant - trial.since).seconds
    withhold(.configurationRolledBack(isRefused: isRefused, seconds: seconds), at: now, into: &effects)
    use(remote.applied(to: file), at: now, into: &effects)
  }

  /// Somebody at the board wants the file's settings, and nothing else.
  mutating func forgetSettings(at now: Moment, into effects: inout [Effect]) -> ControlAnswer {
    let names = remote.settings.map(\.name)
    guard !names.isEmpty || trial != nil else { return .done("nothing was changed by commands") }
    (trial, deadlines[.configurationTrial]) = (nil, nil)
    let before = remote
    remote = RemoteSettings()
    rememberSettings()
    tellChanges(since: before, over: file, by: .people, at: now.instant, into: &effects)
    use(file, at: now, into: &effects)
    return .done("as in the file again: \(names.joined(separator: ", "))")
  }

  /// What is on trial never reaches the disk.
  mutating func rememberSettings() {
    outbox.remember(.remoteSettings(trial?.before ?? remote), isUrgent: true)
  }

  /// Whether a server sees a difference.
  private static func isAnotherWay(_ old: Configuration, _ new: Configuration) -> Bool {
    let overHTTP: Set = ["url", "httpHeaders"]
    let overMQTT: Set = [
      "host", "port", "tls", "clientId", "mqttProtocolLevel", "keepalive", "cleanSession", "pubQos", "sub",
      "subQos", "subTopic",
    ]
    let irrelevant = new.mode == 3 ? overMQTT : overHTTP
    return ConfigurationKey.differing(old, new).contains { $0.isConnection && !irrelevant.contains($0.name) }
  }

  /// The file was read: what it changes wins over what commands had changed before.
  mutating func configure(
    _ new: Configuration, waypoints: [WaypointEntry], at now: Moment, into effects: inout [Effect]
  ) {
    let (old, before) = (file, remote)
    file = new
    let still = remote.still(over: new)
    let isEdited = still != remote
    remote = still
    tellChanges(since: before, over: old, by: .file, at: now.instant, into: &effects)
    if let before = trial?.before { trial?.before = before.still(over: new) }
    if isEdited { rememberSettings() }
    use(remote.applied(to: new), at: now, into: &effects)
    if new.monitoring != old.monitoring, let mode = MonitoringMode(rawValue: new.monitoring) {
      if modes.set(mode, configured: mode) { modeChanged(at: now.instant) }
    }
    // A file that says the same as ever does not undo what people did to the regions since.
    let digest = SHA1.hexPrefix(of: waypoints.map { "\($0)" }.joined(separator: "\n"), count: 40)
    guard !waypoints.isEmpty, digest != imported else { return }
    imported = digest
    outbox.remember(.imported(digest), isUrgent: true)
    merge(waypoints, of: .file, at: now, into: &effects)
  }

  private mutating func use(_ new: Configuration, at now: Moment, into effects: inout [Effect]) {
    let old = configuration
    let oldRules = beaconRules
    // Who reads the old word, or looks at the old place, must not be left with it.
    let isSilenced = (old.availability || old.discovery) && !(new.availability || new.discovery)
    if isSilenced || new.isOffline != old.isOffline || Self.isAnotherWay(old, new) {
      farewell(at: now, into: &effects)
    }
    if Self.isShownElsewhere(old, new) { discovered = [:] }
    configuration = new
    beacons.rulesChanged(to: beaconRules, from: oldRules)
    beaconsChanged(at: now.instant)
    outbox.limit = new.queueLimit
    outbox.byteLimit = new.queueLimitMegabytes << 20
    outbox.windowLimit = new.maxInFlight
    if new.locatorInterval != old.locatorInterval || new.locatorDisplacement != old.locatorDisplacement {
      timersSince = now.instant
    }
    journeyConfigured(from: old, at: now, into: &effects)
    vehicleChanged(at: now.instant)
    rearm()
    guard new != old else { return }
    (isPresenceInDoubt, isDiscoveryInDoubt) = (true, true)
    encoder = encoder.adopting(new, clientIDForm)
    effects.append(.adopt(new))
  }

  /// Whether Home Assistant, or another one, has to be told anew.
  private static func isShownElsewhere(_ old: Configuration, _ new: Configuration) -> Bool {
    let keys: Set = [
      "mode", "host", "port", "discoveryPrefix", "username", "deviceId", "pubTopicBase", "clientId",
    ]
    return ConfigurationKey.differing(old, new).contains { keys.contains($0.name) }
  }
}
