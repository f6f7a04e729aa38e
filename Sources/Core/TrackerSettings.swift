import Model
import Timebase

/// The settings in force: the file's, and over them what commands have changed.
///
/// A change that needs a new connection is on trial: until the broker is reached with it nothing of it is
/// stored, and where that takes longer than two minutes, or the power fails, the old settings are back.
///
///     settled ──(setConfiguration that touches the connection)──▶ on trial
///        ▲  ◀──(connected, or still connected at the end)──────────┘ │
///        └────────────(120 s without a connection: rolled back)──────┘
extension Tracker {
  /// As long as a broker may take to be reached with changed settings (D-20).
  static let trialSpan = Span.seconds(120)

  /// A `setConfiguration` that is allowed and checked.
  mutating func adopt(_ change: SettingsChange, at now: Moment, into effects: inout [Effect]) {
    var changed = remote
    changed.take(change.settings, over: file)
    let new = changed.applied(to: file)
    let isRisky =
      !new.isOffline && ConfigurationKey.differing(configuration, new).contains(where: \.isConnection)
    if isRisky {
      if deadlines[.configurationTrial] == nil { remoteBefore = remote }
      deadlines[.configurationTrial] = now.instant + Self.trialSpan
    }
    let hasChanged = changed != remote
    remote = changed
    if hasChanged, deadlines[.configurationTrial] == nil {
      outbox.remember(.remoteSettings(remote), isUrgent: true)
    }
    use(new, at: now, into: &effects)
    if let mode = change.monitoring, modes.set(mode) { modeChanged(at: now.instant) }
    _ = merge(change.waypoints, at: now, into: &effects)
  }

  /// The broker was reached, or the time is up: the settings on trial are kept, or go.
  mutating func endTrial(at now: Moment, into effects: inout [Effect]) {
    guard let before = remoteBefore else { return }
    deadlines[.configurationTrial] = nil
    remoteBefore = nil
    guard outbox.isConnected else {
      remote = before
      withhold(.configurationRolledBack(seconds: Self.trialSpan.seconds), at: now, into: &effects)
      return use(before.applied(to: file), at: now, into: &effects)
    }
    outbox.remember(.remoteSettings(remote), isUrgent: true)
  }

  /// The file was read: what it changes wins over what commands had changed before.
  mutating func configure(
    _ new: Configuration, waypoints: [WaypointEntry], at now: Moment, into effects: inout [Effect]
  ) {
    let old = file
    file = new
    let still = remote.still(over: new)
    if still != remote {
      remote = still
      outbox.remember(.remoteSettings(still), isUrgent: true)
    }
    remoteBefore = remoteBefore?.still(over: new)
    use(remote.applied(to: new), at: now, into: &effects)
    if new.monitoring != old.monitoring, let mode = MonitoringMode(rawValue: new.monitoring) {
      if modes.set(mode, configured: mode) { modeChanged(at: now.instant) }
    }
    // A file that says the same as ever does not undo what people did to the regions since.
    let digest = SHA1.hexPrefix(of: waypoints.map { "\($0)" }.joined(separator: "\n"), count: 40)
    guard !waypoints.isEmpty, digest != imported else { return }
    imported = digest
    outbox.remember(.imported(digest), isUrgent: true)
    _ = merge(waypoints, at: now, into: &effects)
  }

  private mutating func use(_ new: Configuration, at now: Moment, into effects: inout [Effect]) {
    let old = configuration
    let oldRules = beaconRules
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
    rearm()
    guard new != old else { return }
    (isPresenceInDoubt, isDiscoveryInDoubt) = (true, true)
    effects.append(.adopt(new))
  }
}
