import Model
import Timebase

/// The settings in force: the file's, and over them what commands have changed.
///
/// A change of the way to the server is on trial: until the server has taken a message over it nothing of it is
/// stored, and where that takes longer than two minutes, or the power fails, the old settings are back. So a
/// command cannot set `port` to 0 for longer: nobody could order the board back.
///
///     settled ──(setConfiguration that touches the connection)──▶ on trial
///        ▲  ◀──(connected, and something was taken after that)─────┘ │ │
///        ▲  ◀──(MQTT: the old connection still stands at the end)────┘ │
///        └────────────(120 s without it, or HTTP refuses: rolled back)─┘
///
/// Every change has two steps: the layers are changed, and `enact` puts in force what they say together. Between
/// the two the old server can still be told of the change.
struct SettingsLayers {
  /// As long as a server may take to be reached with changed settings.
  static let trialSpan = Span.seconds(120)

  /// A change that nothing has proven yet.
  private struct Trial {
    /// The settings to go back to.
    var before: RemoteSettings
    var since: Instant
    /// The new way has said that it is there. That alone proves nothing: some servers greet, and take no message.
    var isOpen = false
  }

  /// How a trial ended that nobody has proven before its time was over.
  enum Ending: Hashable {
    case settled, kept, failed
  }

  /// How a file's regions compare with those that a file brought last. The digest is to be written.
  enum Import: Hashable {
    case known
    /// The same, of which an earlier version kept another digest.
    case rewritten(String)
    case changed(String)
  }

  private let anchor = Anchor()
  private(set) var inForce: Configuration {
    didSet { rules = TrackerRules(inForce) }
  }
  /// Of the configuration in force.
  private(set) var rules: TrackerRules
  /// The configuration file's settings, without what commands have laid over them.
  private(set) var file: Configuration
  /// Settings changed by commands, including those on trial.
  private(set) var remote: RemoteSettings
  private var trial: Trial?
  /// Settings changed by commands before the start, where the file was edited while the daemon was not running.
  private var overruled: RemoteSettings?
  /// Digest of the regions that the configuration file brought last.
  private var imported: String?
  private var news = NewsBudget()
  /// How the client id is made where no setting names it.
  let clientIDForm: ClientIDForm

  init(file: Configuration, stored: Snapshot) {
    self.file = file
    remote = stored.remote.still(over: file)
    overruled = remote == stored.remote ? nil : stored.remote
    inForce = remote.applied(to: file)
    rules = TrackerRules(inForce)
    imported = stored.imported
    clientIDForm =
      stored.clientIDForm == .unsaid
      ? .joined(user: inForce.identity.username, device: inForce.identity.deviceId) : stored.clientIDForm
  }

  // MARK: Questions

  var isOnTrial: Bool { trial != nil }

  /// Settings for the disk: none that are on trial.
  var durable: RemoteSettings { trial?.before ?? remote }

  /// File and commands together, key by key; still with credentials.
  var laid: Configuration { remote.laid(over: file) }

  /// The configuration that `enact` brings into force.
  var merged: Configuration { remote.applied(to: file) }

  /// Whether the start finds another file than the one that commands had changed: that is to be written then, or
  /// what it overrules would be back when the file is as it was.
  var isOverruled: Bool { overruled != nil }

  // MARK: Changes

  /// Overruled settings for the start to report, once.
  mutating func takeOverruled() -> RemoteSettings? {
    defer { overruled = nil }
    return overruled
  }

  /// A command's changes, which are allowed and checked. True: they are to be written.
  mutating func take(
    _ changes: [SettingsChange.Setting], deadlines: inout Deadlines, at now: Instant
  ) -> Bool {
    let before = remote
    assert(trial == nil || deadlines[.configurationTrial] != nil, "a trial ends by itself")
    remote.take(changes, over: file)
    // To be offline is no exception: who orders it cannot take it back any more.
    if merged.needsReconnection(after: inForce) {
      trial = Trial(before: trial?.before ?? before, since: now)
      deadlines[.configurationTrial] = now + Self.trialSpan
    }
    return trial == nil && remote != before
  }

  /// The file was read: what it changes wins over what commands had changed before. True: that is to be written.
  mutating func read(_ new: Configuration) -> Bool {
    file = new
    let still = remote.still(over: new)
    let isEdited = still != remote
    remote = still
    if let before = trial?.before { trial?.before = before.still(over: new) }
    return isEdited
  }

  /// Only the file counts again. False: it was so.
  mutating func forgetRemote(deadlines: inout Deadlines) -> Bool {
    guard !remote.isEmpty || trial != nil else { return false }
    endTrial(deadlines: &deadlines)
    remote = RemoteSettings()
    return true
  }

  /// Brings the layers into force.
  mutating func enact() {
    inForce = merged
    assert(!remote.isEmpty || inForce == file, "without commands the file is in force")
  }

  /// A file that says the same as ever does not undo what people did to the regions since.
  mutating func read(_ waypoints: [WaypointEntry]) -> Import {
    guard !waypoints.isEmpty else { return .known }
    let digest = RegionListDigest.of(waypoints)
    guard digest != imported else { return .known }
    assert(digest.utf8.count == 40, "a digest of another length than the disk has")
    let isKnown = imported.map { RegionListDigest.isEarlierForm($0, of: waypoints) } ?? false
    imported = digest
    assert(imported == digest, "another digest is kept than is written")
    return isKnown ? .rewritten(digest) : .changed(digest)
  }

  // MARK: The trial

  /// True: something has to be said that the server can take.
  mutating func uplinkConnected() -> Bool {
    guard trial?.isOpen == false else { return false }
    trial?.isOpen = true
    return true
  }

  /// The server has taken something. True: that was the proof, and what was on trial is to be written.
  mutating func uplinkConfirmed(deadlines: inout Deadlines) -> Bool {
    guard trial?.isOpen == true else { return false }
    endTrial(deadlines: &deadlines)
    return true
  }

  /// Whether a refusal speaks against the server and not against the message.
  var isRefusalOfServer: Bool { inForce.transport == .http && trial != nil }

  /// The trial's time is over. A setting that needed no new connection: the old one is proof enough, and so is a new
  /// one over which nothing could be said yet, for want of a time. `isOwed`: messages wait to be taken.
  mutating func timeIsOver(isConnected: Bool, isOwed: Bool, deadlines: inout Deadlines) -> Ending {
    guard let trial else { return .settled }
    guard inForce.transport == .mqtt, isConnected, !inForce.isOffline, !(trial.isOpen && isOwed) else {
      return .failed
    }
    endTrial(deadlines: &deadlines)
    return .kept
  }

  /// Goes back to what was before the trial; how long it has lasted, nil: there is none.
  mutating func rollBack(deadlines: inout Deadlines, at now: Instant) -> Span? {
    guard let trial else { return nil }
    assert(now >= trial.since, "a trial that is yet to begin")
    endTrial(deadlines: &deadlines)
    remote = trial.before
    assert(!isOnTrial && deadlines[.configurationTrial] == nil, "rolled back, and still on trial")
    return now - trial.since
  }

  private mutating func endTrial(deadlines: inout Deadlines) {
    (trial, deadlines[.configurationTrial]) = (nil, nil)
  }

  // MARK: The journal

  /// A line for each key that the file and the commands together say something else of now.
  func news(since before: Configuration, by source: SettingsNews.Source) -> [SettingsNews] {
    let after = laid
    var news = ConfigurationKey.differing(before, after).map { key in
      SettingsNews.changed(key: key.name, from: key.shown(in: before), to: key.shown(in: after), source)
    }
    let keys = remote.withheld(from: file)
    assert(before != after || news.isEmpty, "news of nothing")
    if !keys.isEmpty, before != after { news.append(.withheld(keys: keys, source)) }
    return news
  }

  /// Whether one more line may be written now; else it is counted, and told of when `settingsNews` is due.
  mutating func admits(_ line: SettingsNews, deadlines: inout Deadlines, at now: Instant) -> Bool {
    if news.admits(line, at: now) { return true }
    if let due = news.due { deadlines.arm(.settingsNews, by: due) }
    return false
  }

  mutating func takeSkipped() -> Int { news.takeSkipped() }

  // MARK: Comparing

  /// First violated invariant, or nil.
  func inconsistency(_ deadlines: Deadlines) -> String? {
    let isTimed = deadlines[.configurationTrial] != nil
    if isOnTrial != isTimed { return "on trial: \(isOnTrial), and its end is armed: \(isTimed)" }
    return nil
  }
}
