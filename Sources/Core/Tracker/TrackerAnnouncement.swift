import Model
import Timebase

/// What the board tells of itself unasked, where the configuration wants it: that it is there, and what
/// Home Assistant may show of it.
extension Tracker {
  /// Goes before everything that waits: anyone looking sees at once that the board is back, where it is and
  /// how much is still to come.
  mutating func announceBirth(at now: Moment, into effects: inout [Effect]) {
    assert(announcement.isDue, "nobody has to be told anything")
    // What is not told now is told with the next connection: that is nothing to explain.
    guard wouldTell(.presence, at: now) else { return }
    let doubts = announcement.take()
    assert(!announcement.isDue && outbox.isConnected, "told to nobody")
    if doubts.presence, layers.inForce.dashboard.availability || layers.inForce.dashboard.discovery {
      announce(.status(presence(isOnline: true, at: now)), into: &effects)
    }
    if doubts.discovery, layers.inForce.transport == .mqtt { discover(at: now, into: &effects) }
  }

  /// The message of an orderly end: the board goes offline.
  func announceOffline(at now: Moment, into effects: inout [Effect]) {
    guard wouldTell(.presence, at: now),
      layers.inForce.dashboard.availability || layers.inForce.dashboard.discovery
    else { return }
    announce(.status(presence(isOnline: false, at: now)), into: &effects)
  }

  private func announce(_ report: Report, into effects: inout [Effect]) {
    effects.append(.announce(report, encoder.message(for: report)))
  }

  private func presence(isOnline: Bool, at now: Moment) -> StatusReport {
    var report = statusReport(time: clock.wall(at: now), at: now.instant)
    report.isOnline = isOnline
    // Quiet is quiet, also about where it is quiet.
    let isHidden = regions.veil(over: whereabouts.position?.coordinate) != nil
    if modes.state.mode != .quiet, !isHidden { report.fix = whereabouts.position }
    return report
  }

  private mutating func discover(at now: Moment, into effects: inout [Effect]) {
    assert(layers.inForce.transport == .mqtt, "nobody discovers a board over HTTP")
    for report in announcement.show(Announcement.wanted(layers.inForce, regions.tracked)) {
      publish(.discovery, at: now, into: &effects) { _ in .discovery(report) }
    }
  }
}
