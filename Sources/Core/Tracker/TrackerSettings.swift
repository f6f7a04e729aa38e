import Model
import Timebase

/// Consequences of changed settings, by a command, the file or a rollback; `SettingsLayers` decides which are in force.
extension Tracker {
  /// A `setConfiguration` that is allowed and checked; what came of its regions.
  mutating func adopt(
    _ change: SettingsChange, of source: SettingsNews.Source, at now: Moment, into effects: inout [Effect]
  ) -> MergeCounts {
    let before = layers.laid
    if layers.take(change.settings, deadlines: &deadlines, at: now.instant) { rememberSettings() }
    journalChanges(since: before, by: source, at: now.instant, into: &effects)
    use(at: now, into: &effects)
    if let mode = change.monitoring { monitor(mode, by: source, at: now, into: &effects) }
    return merge(change.waypoints, of: source, at: now, into: &effects)
  }

  private mutating func monitor(
    _ mode: MonitoringMode, by source: SettingsNews.Source, at now: Moment, into effects: inout [Effect]
  ) {
    let before = modes.state.mode
    guard modes.set(mode) else { return }
    modeChanged(from: before, because: source.isPeople ? .people : .command, at: now)
    let news = SettingsNews.changed(
      key: "monitoring", from: "\(before.rawValue)", to: "\(mode.rawValue)", source)
    if mode != before { journalNews(news, at: now.instant, into: &effects) }
  }

  /// The way to the server is there. On trial a word is said over it: who has nothing to say proves nothing.
  mutating func uplinkConnected(at now: Moment, into effects: inout [Effect]) {
    guard layers.uplinkConnected() else { return }
    let status = statusReport(time: clock.wall(at: now), at: now.instant)
    publish(.answer(action: "setConfiguration"), at: now, into: &effects) { _ in .status(status) }
  }

  /// The server has taken something.
  mutating func uplinkConfirmed() {
    if layers.uplinkConfirmed(deadlines: &deadlines) { rememberSettings() }
  }

  /// True: what the server refused is not lost by it; it was the wrong server.
  mutating func wayRefused(at now: Moment, into effects: inout [Effect]) -> Bool {
    guard layers.isRefusalOfServer else { return false }
    rollBack(isRefused: true, at: now, into: &effects)
    return true
  }

  mutating func endTrial(at now: Moment, into effects: inout [Effect]) {
    releaseAssert(layers.isOnTrial, "the end of no trial")
    let isOwed = outbox.size.count > 0
    switch layers.timeIsOver(isConnected: outbox.isConnected, isOwed: isOwed, deadlines: &deadlines) {
    case .settled: break
    case .kept: rememberSettings()
    case .failed: rollBack(isRefused: false, at: now, into: &effects)
    }
  }

  private mutating func rollBack(isRefused: Bool, at now: Moment, into effects: inout [Effect]) {
    let before = layers.laid
    guard let tried = layers.rollBack(deadlines: &deadlines, at: now.instant) else { return }
    releaseAssert(!layers.isOnTrial && tried >= .zero, "rolled back, and still on trial")
    rememberSettings()
    journalChanges(since: before, by: .rollback, at: now.instant, into: &effects)
    withhold(
      .configurationRolledBack(isRefused: isRefused, seconds: tried.seconds), at: now, into: &effects)
    use(at: now, into: &effects)
  }

  /// A person at the board wants the file's settings, and nothing else.
  mutating func forgetSettings(at now: Moment, into effects: inout [Effect]) -> ControlAnswer {
    let names = layers.remote.settings.map(\.name)
    let before = layers.laid
    guard layers.forgetRemote(deadlines: &deadlines) else {
      return .done("nothing was changed by commands")
    }
    releaseAssert(layers.remote.isEmpty && !layers.isOnTrial, "what was forgotten is still in force")
    rememberSettings()
    journalChanges(since: before, by: .people, at: now.instant, into: &effects)
    use(at: now, into: &effects)
    return .done("back to the values in the file: \(names.joined(separator: ", "))")
  }

  /// A person at the board changes settings, as a remote command does.
  mutating func take(
    _ change: SettingsChange, at now: Moment, into effects: inout [Effect]
  ) -> ControlAnswer {
    var possible = change
    if let refusal = takeAnchor(outOf: &possible, at: now.instant) { return .failed("not set: \(refusal)") }
    _ = adopt(change, of: .people, at: now, into: &effects)
    let names =
      change.settings.map(\.name) + (change.monitoring == nil ? [] : [ConfigurationKey.monitoring.name])
    var text = "set: \(names.joined(separator: ", "))"
    if layers.isOnTrial {
      text +=
        "; on trial: taken back after \(Int(SettingsLayers.trialSpan.seconds)) s unless the server takes a message"
    }
    let withheld = layers.remote.withheld(from: layers.file)
    if !withheld.isEmpty {
      text +=
        "; \(withheld.joined(separator: ", ")) of the file \(withheld.count == 1 ? "is" : "are") not for this server"
    }
    return .done(text)
  }

  /// An anchor is dropped where the board is. Without a position the setting is taken out of the change, and the
  /// answer says so. Nil: it can be set, or is not to be.
  func takeAnchor(outOf change: inout SettingsChange, at now: Instant) -> String? {
    let name = "anchorAlarm"
    guard journey.anchor.state == nil, anchorage(at: now) == nil,
      change.settings.contains(where: { $0.name == name && $0.value != .number(0) })
    else { return nil }
    change.settings.removeAll { $0.name == name }
    return "\(name): no position of now, known to \(Int(AnchorWatch.worst)) m, to set it at"
  }

  mutating func rememberSettings() {
    outbox.remember(.remoteSettings(layers.durable), isUrgent: true)
  }

  /// The file was read.
  mutating func configure(
    _ new: Configuration, waypoints: [WaypointEntry], at now: Moment, into effects: inout [Effect]
  ) {
    let (monitoring, before) = (layers.file.reports.monitoring, layers.laid)
    let isEdited = layers.read(new)
    journalChanges(since: before, by: .file, at: now.instant, into: &effects)
    if isEdited { rememberSettings() }
    use(at: now, into: &effects)
    let mode = new.reports.monitoring
    let present = modes.state.mode
    if mode != monitoring, modes.set(mode, configured: mode) {
      modeChanged(from: present, because: .file, at: now)
    }
    switch layers.read(waypoints) {
    case .known: break
    case .rewritten(let digest): outbox.remember(.imported(digest), isUrgent: true)
    case .changed(let digest):
      outbox.remember(.imported(digest), isUrgent: true)
      merge(waypoints, of: .file, at: now, into: &effects)
    }
  }

  /// Puts in force what the layers say, and has everything follow it.
  private mutating func use(at now: Moment, into effects: inout [Effect]) {
    let (old, oldRules, new) = (layers.inForce, layers.rules.beacons, layers.merged)
    // Consumers of the old status, or at the old server, must not be left with it.
    let isSilenced = old.isPresencePublished && !new.isPresencePublished
    if isSilenced || new.isOffline != old.isOffline || new.needsReconnection(after: old) {
      announceOffline(because: .settings, at: now, into: &effects)
    }
    if new.isOffline || !new.isShown(where: old) { withdraw(from: old, at: now, into: &effects) }
    if !new.isCalled(as: old) { leaveName(at: now, into: &effects) }
    layers.enact()
    releaseAssert(layers.inForce == new, "other settings are in force than were announced")
    station.rulesChanged(
      to: layers.rules.beacons, from: oldRules, deadlines: &deadlines, at: now.instant)
    outbox.limit = new.queue.limit
    outbox.byteLimit = new.queue.limitMegabytes << 20
    outbox.windowLimit = new.broker.maxInFlight
    outbox.keepOld(new.queue.backlog, at: now.instant)
    reportOldLocations(at: now, into: &effects)
    if new.reports.locatorInterval != old.reports.locatorInterval
      || new.reports.locatorDisplacement != old.reports.locatorDisplacement
    {
      timers.intervalChanged(at: now.instant)
    }
    journeyConfigured(from: old, at: now, into: &effects)
    batteryConfigured(at: now.instant)
    vehicleChanged(at: now.instant)
    if new.reports.networkModes != old.reports.networkModes { followRules(at: now, into: &effects) }
    rearm()
    guard new != old else { return }
    announcement.allDoubted()
    encoder = encoder.adopting(new, layers.clientIDForm)
    outbox.memory.configured(
      span: new.keptSpan, topics: encoder.newsTopics, isOther: new.needsReconnection(after: old))
    outbox.lane.configured(span: new.batchSpan, deadlines: &deadlines, at: now.instant)
    effects.append(.adopt(new))
  }

  // MARK: The journal

  mutating func journalNews(_ news: SettingsNews, at now: Instant, into effects: inout [Effect]) {
    if layers.admits(news, deadlines: &deadlines, at: now) { effects.append(.settingsChanged(news)) }
  }

  mutating func journalSkipped(into effects: inout [Effect]) {
    let count = layers.takeSkipped()
    if count > 0 { effects.append(.settingsChanged(.more(count))) }
  }

  /// While nobody watched, the file or the program itself has changed what commands had set.
  mutating func journalOverruled(_ stored: RemoteSettings, at now: Instant, into effects: inout [Effect]) {
    let dropped = stored.settings.filter { !RemoteSettings.isAllowed($0.name, $0.value) }.map(\.name)
    if !dropped.isEmpty { journalNews(.dropped(keys: dropped), at: now, into: &effects) }
    journalChanges(since: stored.laid(over: layers.file), by: .file, at: now, into: &effects)
  }

  private mutating func journalChanges(
    since before: Configuration, by source: SettingsNews.Source, at now: Instant, into effects: inout [Effect]
  ) {
    for news in layers.news(since: before, by: source) { journalNews(news, at: now, into: &effects) }
  }
}
