import Model

/// What others have been told of the board itself, and what they may have wrong.
///
///     told ──a new connection, another mode or setting, a doubt of the broker──▶ in doubt ──taken──▶ told
struct Announcement {
  /// Regions that are shown, at most: each costs a message and an entity.
  static let shownRegions = 100

  /// Something has happened that those who watch us over the network should know.
  private var isPresenceInDoubt = false
  private var isDiscoveryInDoubt = false
  /// What Home Assistant was told since the start, by key.
  private var shown: [String: DiscoveryReport] = [:]

  var isDue: Bool { isPresenceInDoubt || isDiscoveryInDoubt }

  mutating func presenceDoubted() { isPresenceInDoubt = true }
  mutating func discoveryDoubted() { isDiscoveryInDoubt = true }
  mutating func allDoubted() { (isPresenceInDoubt, isDiscoveryInDoubt) = (true, true) }

  /// Nobody can be sure to have seen what was shown: all of it is shown again when discovery is due.
  mutating func forgetShown() { shown = [:] }

  /// What is in doubt; it counts as told then.
  mutating func take() -> (presence: Bool, discovery: Bool) {
    defer { (isPresenceInDoubt, isDiscoveryInDoubt) = (false, false) }
    return (isPresenceInDoubt, isDiscoveryInDoubt)
  }

  /// What has to be told, in this order, so that exactly `wanted` is shown.
  mutating func show(_ wanted: [DiscoveryReport]) -> [DiscoveryReport] {
    assert(wanted.allSatisfy { !$0.isGone }, "what is gone is not wanted")
    var told: [DiscoveryReport] = []
    let keys = Set(wanted.map(\.entity.key))
    assert(keys.count == wanted.count, "two entities of one key hide each other")
    let gone = shown.filter { !keys.contains($0.key) }
    for (key, report) in gone.sorted(by: { $0.key < $1.key }) {
      shown[key] = nil
      told.append(.init(report.entity, isGone: true))
    }
    for report in wanted where shown[report.entity.key] != report {
      // What was shown in another way goes first: a choice and a number are two things.
      if var old = shown[report.entity.key], old.isModeChosen != report.isModeChosen {
        old.isGone = true
        told.append(old)
      }
      shown[report.entity.key] = report
      told.append(report)
    }
    assert(shown.count == wanted.count, "what is wanted is shown, and nothing else")
    return told
  }

  /// What the configuration lets be shown.
  static func wanted(_ configuration: Configuration, _ tracked: [RegionEngine.Tracked]) -> [DiscoveryReport] {
    // Nobody could read an encrypted state.
    guard configuration.dashboard.discovery, configuration.messages.encryptionKey.isEmpty else { return [] }
    let isModeChosen = configuration.commands.isOn && configuration.commands.remoteConfiguration
    let board = DiscoveredEntity.plain.map { DiscoveryReport($0, isModeChosen: isModeChosen) }
    let regions = tracked.map(\.region).filter { $0.isShared && $0.isMonitored && !$0.isFollow }
    return board
      + regions.prefix(shownRegions).map { .init(.region(rid: $0.rid, name: $0.eventName)) }
  }
}
