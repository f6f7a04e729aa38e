import Model
import Timebase

/// Messages about the board itself, where the configuration wants them: its presence, and the descriptions for
/// Home Assistant.
extension Tracker {
  private var isPresencePublished: Bool { layers.rules.isPresencePublished }

  /// Home Assistant is to show the board, and can.
  private var isShown: Bool { layers.inForce.dashboard.discovery && layers.inForce.transport == .mqtt }

  /// Goes before everything that waits: anyone looking sees at once that the board is back, where it is and
  /// how much is still to come.
  mutating func announceBirth(at now: Moment, into effects: inout [Effect]) {
    assert(announcement.isDue, "nothing has to be announced")
    // Once that is wanted, all of it is in doubt.
    guard isPresencePublished || announcement.isAnythingKept || announcement.isPlaceDue else {
      _ = announcement.take()
      return
    }
    // Anything withheld now is published with the next connection: no reason to note.
    guard wouldPublish(.presence, at: now) else { return }
    let doubts = announcement.take()
    assert(!announcement.isDue && outbox.isConnected, "announced without a connection")
    if doubts.presence, isPresencePublished {
      let report = presence(isOnline: true, at: now)
      let topic = announce(.status(report), into: &effects)
      takeBack(announcement.wordIsKept(on: topic), into: &effects)
      announcement.published(
        waiting: report.queueLength, isShown: isShown, interval: statusInterval,
        isDated: report.time != nil, deadlines: &deadlines, at: now.instant)
    }
    if doubts.presence, !isPresencePublished, !announcement.words.isEmpty {
      // The last status stays true: the board is off line. Under any other name there is no board any more.
      let topic = encoder.message(for: .status(presence(isOnline: false, at: now))).topic
      takeBack(announcement.forgetWords(but: topic), into: &effects)
    }
    if doubts.place { repeatPlace(at: now, into: &effects) }
    if doubts.discovery { discover(at: now, into: &effects) }
    rememberTopics()
  }

  /// The board is inside other regions than published, without a crossing: Home Assistant shows each of them by the
  /// last location.
  mutating func insideLearnt() {
    // Once it has moved on, a location of its own will say so.
    guard isShown, let published = announcement.place, let here = positioning.position,
      published.coordinate.distance(to: here.coordinate) <= PositionEngine.worthMoving + published.accuracy
        + here.accuracy
    else { return }
    announcement.placeDoubted()
  }

  /// The last location once more, with the time and the accuracy that it had, and with the regions that the board is in
  /// now. Whatever waits says it, too.
  private mutating func repeatPlace(at now: Moment, into effects: inout [Effect]) {
    guard let place = announcement.place, layers.inForce.messages.retain || isShown,
      modes.state.mode != .quiet, regions.hidingRegion(at: place) == nil, !outbox.isPlaceWaiting
    else { return }
    var fix = place
    if isStale(at: now.instant) { (fix.speed, fix.speedError, fix.course) = (nil, nil, nil) }
    var report = location(
      at: fix, time: place.time, created: clock.wall(at: now), trigger: .ping)
    report.isRepeat = true
    announce(.location(report), into: &effects)
  }

  /// At once and unconfirmed: perhaps nobody may write under an earlier name any more, and what a broker turns away
  /// must not hold up what waits behind it.
  private func takeBack(_ topics: [String], into effects: inout [Effect]) {
    for topic in topics { announce(.discoveryGone(topic: topic), into: &effects) }
  }

  private mutating func rememberTopics() {
    if let topics = announcement.newTopics() { outbox.remember(.announced(topics), isUrgent: true) }
  }

  /// With every event: whether what was said of messages that wait is still so.
  mutating func countWaiting(at now: Moment) {
    if announcement.isTakingBack, outbox.isConnected, outbox.size.count == 0 {
      announcement.queueEmptied()
      rememberTopics()
    }
    guard outbox.isConnected, isPresencePublished else { return }
    announcement.counted(waiting: outbox.size.count, deadlines: &deadlines, at: now.instant)
    if announcement.isUndated, clock.wall(at: now) != nil { announcement.presenceDoubted() }
  }

  mutating func announcementFellDue(at now: Instant) {
    announcement.timeIsOver(waiting: outbox.size.count, deadlines: &deadlines, at: now)
    announcement.intervalIsOver(deadlines: &deadlines, at: now)
  }

  /// The message of an orderly end: the board goes offline.
  func announceOffline(because departure: Departure, at now: Moment, into effects: inout [Effect]) {
    guard wouldPublish(.presence, at: now), isPresencePublished else { return }
    var report = presence(isOnline: false, at: now)
    report.presence.departure = departure
    if departure == .parked || departure == .batteryLow { report.presence.nextCheckIn = nextCheckIn(at: now) }
    announce(.status(report), into: &effects)
  }

  /// How long `status` may say nothing; nil: without limit.
  private var statusInterval: Span? {
    let seconds = layers.inForce.dashboard.statusInterval
    return seconds > 0 ? .seconds(seconds) : nil
  }

  /// The board gets another name: the word under the old one would stay for good.
  mutating func leaveName(at now: Moment, into effects: inout [Effect]) {
    guard layers.inForce.transport == .mqtt, wouldPublish(.presence, at: now) else { return }
    takeBack(announcement.forgetWords(), into: &effects)
  }

  /// The broker that has our descriptions is left: they are taken back past all that waits. Where that is lost they are
  /// known still, and taken back or told again with the next connection.
  mutating func withdraw(from old: Configuration, at now: Moment, into effects: inout [Effect]) {
    announcement.forgetShown()
    guard old.transport == .mqtt, wouldPublish(.presence, at: now) else { return }
    takeBack(announcement.topics, into: &effects)
    announcement.brokerLeft()
    rememberTopics()
  }

  /// Descriptions still on the previous broker, though nothing is sent there any more: the connection was switched off
  /// while no daemon was running to take them back.
  var leftDescriptions: Int {
    let isCutOff = layers.inForce.isOffline || layers.inForce.transport != .mqtt
    return isCutOff && !announcement.isTakenBack ? announcement.topics.count : 0
  }

  /// For a person who removes the tracker: nothing is shown any more until its next start.
  mutating func withdrawForGood(at now: Moment, into effects: inout [Effect]) -> ControlAnswer {
    guard !announcement.topics.isEmpty else { return .done("nothing of this board is described anywhere") }
    guard layers.inForce.transport == .mqtt, wouldPublish(.presence, at: now) else {
      return .failed(
        "not connected: the broker keeps what describes this board to Home Assistant"
          + (leftDescriptions > 0 ? "; it is taken back once there is a connection by MQTT again" : ""))
    }
    let count = announcement.topics.count
    withdraw(from: layers.inForce, at: now, into: &effects)
    announcement.withdrawn()
    rememberTopics()
    return .done("\(count) descriptions are taken back until the next start")
  }

  /// Nobody is left to be asked for an acknowledgement, or waits for one.
  @discardableResult
  private func announce(_ report: Report, into effects: inout [Effect]) -> String {
    var message = encoder.message(for: report)
    message.qos = 0
    effects.append(.announce(report, message))
    return message.topic
  }

  private func presence(isOnline: Bool, at now: Moment) -> StatusReport {
    var report = statusReport(time: clock.wall(at: now), at: now.instant)
    report.isOnline = isOnline
    if isOnline { report.presence.interval = statusInterval.map { Int($0.seconds) } }
    // Quiet is quiet, also about where it is quiet.
    let isHidden = regions.hidingRegion(at: positioning.position) != nil
    if modes.state.mode != .quiet, !isHidden { report.fix = positioning.position }
    return report
  }

  private mutating func discover(at now: Moment, into effects: inout [Effect]) {
    let wanted = announcement.wanted(layers.inForce, regions.tracked)
    guard layers.inForce.transport == .mqtt, !(wanted.isEmpty && announcement.kept.isEmpty) else { return }
    let descriptions = wanted.map { report in
      let message = encoder.message(for: .discovery(report))
      return Announcement.Kept(topic: message.topic, digest: message.payload.hashValue)
    }
    let steps = announcement.show(descriptions)
    for topic in steps.gone {
      publish(.discovery, at: now, into: &effects) { _ in .discoveryGone(topic: topic) }
    }
    for index in steps.toPublish {
      publish(.discovery, at: now, into: &effects) { _ in .discovery(wanted[index]) }
    }
    if !steps.toPublish.isEmpty { announcement.described(deadlines: &deadlines, at: now.instant) }
  }
}

extension Configuration {
  /// A word on `status` says whether the board is there.
  var isPresencePublished: Bool {
    dashboard.availability || dashboard.discovery || dashboard.statusInterval > 0
  }
}
