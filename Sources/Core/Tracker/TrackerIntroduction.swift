import Model
import Timebase

/// What the board tells of itself unasked, where the configuration wants it: that it is there, and what
/// Home Assistant may show of it.
extension Tracker {
  /// Regions that are shown, at most: each costs a message and an entity.
  static let shownRegions = 100

  /// Goes before everything that waits: anyone looking sees at once that the board is back, where it is and
  /// how much is still to come (D-04, D-15).
  mutating func introduce(at now: Moment, into effects: inout [Effect]) {
    guard mayBeIntroduced(at: now) else { return }
    if isPresenceInDoubt, configuration.availability || configuration.discovery {
      announce(.status(presence(isOnline: true, at: now)), into: &effects)
    }
    isPresenceInDoubt = false
    if isDiscoveryInDoubt, configuration.mode == 0 { discover(at: now, into: &effects) }
    isDiscoveryInDoubt = false
  }

  /// The last word of an orderly end.
  func farewell(at now: Moment, into effects: inout [Effect]) {
    guard mayBeIntroduced(at: now), configuration.availability || configuration.discovery else { return }
    announce(.status(presence(isOnline: false, at: now)), into: &effects)
  }

  /// What is not told now is told with the next connection: that is nothing to explain.
  private func mayBeIntroduced(at now: Moment) -> Bool {
    let verdict = policy.decide(
      .presence, nil, in: situation(at: now), rules: reportRules, at: now.instant)
    return if case .publish = verdict { true } else { false }
  }

  private func announce(_ report: Report, into effects: inout [Effect]) {
    effects.append(.announce(report, encoder.message(for: report)))
  }

  private func presence(isOnline: Bool, at now: Moment) -> StatusReport {
    var report = statusReport(time: clock.wall(at: now), at: now.instant)
    report.isOnline = isOnline
    // Quiet is quiet, also about where it is quiet.
    if modes.state.mode != .quiet { report.fix = position }
    return report
  }

  private mutating func discover(at now: Moment, into effects: inout [Effect]) {
    let isModeChosen = configuration.cmd && configuration.remoteConfiguration
    var wanted: [DiscoveryReport] = []
    // Nobody could read an encrypted state.
    if configuration.discovery, configuration.encryptionKey.isEmpty {
      wanted = DiscoveredEntity.plain.map { DiscoveryReport($0, isModeChosen: isModeChosen) }
      let regions = regions.tracked.map(\.region).filter { $0.isShared && $0.isMonitored && !$0.isFollow }
      wanted += regions.prefix(Self.shownRegions).map { .init(.region(rid: $0.rid, name: $0.eventName)) }
    }
    let keys = Set(wanted.map(\.entity.key))
    let gone = discovered.filter { !keys.contains($0.key) }
    for (key, report) in gone.sorted(by: { $0.key < $1.key }) {
      discovered[key] = nil
      publish(.discovery, at: now, into: &effects) { _ in .discovery(.init(report.entity, isGone: true)) }
    }
    for report in wanted where discovered[report.entity.key] != report {
      // What was shown in another way goes first: a choice and a number are two things.
      if let before = discovered[report.entity.key], before.isModeChosen != report.isModeChosen {
        var old = before
        old.isGone = true
        publish(.discovery, at: now, into: &effects) { _ in .discovery(old) }
      }
      discovered[report.entity.key] = report
      publish(.discovery, at: now, into: &effects) { _ in .discovery(report) }
    }
  }
}
