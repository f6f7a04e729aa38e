import Core
import Model
import Timebase

/// The window in which the tracker looks for a better fix than the one that was due, as the world sees it. Kept by the
/// world, one for each life of the process.
struct Choice {
  /// When it began, and how accurate each fix has been since, metres.
  private(set) var open: (since: Instant, accuracies: [Double])?
  /// Minutes between signs of life when it began; what is set since counts from then on.
  private(set) var ping: Int?
  /// Of the last fix.
  private var last: WallTime?

  /// What comes behind a newer one is none to choose from.
  mutating func hear(_ reading: Reading) {
    guard reading.mode >= 2, let accuracy = reading.eph, let time = reading.time,
      last.map({ $0 < time }) ?? true
    else { return }
    last = time
    open?.accuracies.append(accuracy)
  }

  mutating func begin(ping: Int, at now: Instant) {
    guard open == nil else { return }
    (open, self.ping) = ((now, []), ping)
  }

  mutating func end() { (open, ping) = (nil, nil) }
}

extension World {
  /// Seconds.
  private static let slack = 2.0

  private var window: Double { Double(configuration.reports.significantWindow) }

  func noteChoice(_ reason: Reason) {
    if case .choosing = reason { choice.begin(ping: configuration.reports.ping, at: now) }
  }

  /// Every fix since it began has been right and in time.
  private func isSound(since: Instant) -> Bool {
    receiver.soundSince.map { $0 + .seconds(Self.slack) < since } ?? false
  }

  /// What is told at its end is as good as the best that was heard in it.
  func judge(choiceOf report: Report, because reason: Reason?) {
    guard case .location(let told) = report, let open = choice.open else { return }
    choice.end()
    let isChosen =
      switch reason {
      case .movedAndWaited, .pingDue(false): true
      default: false
      }
    guard isChosen, judging.reading == nil, tracker?.mode.mode == .significant, isSound(since: open.since),
      receiver.ground.tellsAccuracy, receiver.ground.reach.standing == 0,
      (now - open.since).seconds >= window - 0.1
    else { return }
    // Where the receiver has lost its fix since, the place grows old, and its doubt with it.
    guard let best = open.accuracies.min(), let heard = receiver.heard,
      (now - heard.last).seconds < Self.slack
    else { return }
    if told.fix.accuracy > best {
      ledger.complain(
        .best, "\(told.fix.accuracy) m is told, and \(best) m was heard of \(open.accuracies.count)",
        at: now)
    }
  }

  /// Once a second.
  func judgeChoice() {
    guard let open = choice.open else { return }
    guard isRunning, !isStopping, takingUp == nil, window > 0 else { return choice.end() }
    guard (now - open.since).seconds > window + Self.slack else { return }
    choice.end()
    guard isSound(since: open.since), mayTell, tracker?.mode.mode == .significant, !judging.hasSwitched,
      upkeep.isMode(since: open.since)
    else { return }
    ledger.complain(
      .best, "\((now - open.since).seconds) s ago a location was due, and none is told", at: now)
  }

  /// Nothing that people have set keeps a location back.
  var mayTell: Bool {
    isRunning && !isStopping && takingUp == nil && !isVeiled && clock.isSynchronised
      && configuration.broker.port != 0 && !configuration.identity.username.isEmpty
      && configuration.reports.ignoreInaccurateLocations == 0 && !ledger.blindLives.contains(life)
  }
}
