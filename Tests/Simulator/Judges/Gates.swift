import Core
import Model
import Timebase

/// What is not to be told, whatever its reason says, and what is to be kept.
extension World {
  /// In manual mode nothing is told by itself but what happens: crossings, signs of life, alarms, a connection.
  func judge(mode report: Report, because reason: Reason?) {
    guard case .location(let location) = report, judging.modeBefore == .manual, !judging.hasSwitched,
      tracker?.mode.mode == .manual
    else { return }
    guard Self.isOfItself(location.trigger, reason) else { return }
    ledger.complain(
      .reasons, "told in manual mode: \(location.trigger), \(reason.map { "\($0)" } ?? "-")", at: now)
  }

  /// Nobody asked, and nothing happened.
  static func isOfItself(_ trigger: Trigger, _ reason: Reason?) -> Bool {
    switch trigger {
    case .automatic: reason != .connected
    case .timer, .ignition, .power: true
    case .user, .remote, .ping, .circular, .follow, .beacon, .tow, .overspeed: false
    }
  }
}

/// Locations that the history still has to be given: it waits a minute for company, and no longer. Kept by the world,
/// one for each life of the process.
struct OwedPoints {
  private var since: [Instant] = []
  /// Seconds.
  static let longest = 75.0

  mutating func made(_ report: Report, _ configuration: Configuration, at now: Instant) {
    if case .location = report, configuration.history.days != 0 { since.append(now) }
  }

  mutating func ordered(_ writes: [StoreWrite]) {
    let points = writes.count { if case .history = $0 { true } else { false } }
    since.removeFirst(min(points, since.count))
    for case .pruneHistory(keep: 0, _) in writes { since = [] }
  }

  /// Seconds.
  func age(at now: Instant) -> Double { since.first.map { (now - $0).seconds } ?? 0 }
}

extension World {
  func judgeOwedPoints() {
    guard isRunning, !isStopping, takingUp == nil, let tracker, desk?.isSettled == true,
      !tracker.status(at: clock.moment(at: now)).queue.isStoreFailing
    else { return }
    let age = owed.age(at: now)
    if age > OwedPoints.longest {
      ledger.complain(.window, "a location waits \(Int(age)) s for the history", at: now)
    }
  }
}

/// A history that goes by a number of points keeps so many, once it has had them. Kept by the world, one for each life
/// of the process: a power cut may take the last.
struct Fullness {
  private var isFull = false

  /// `wanted`: points; nil: it goes by something else.
  mutating func look(points: Int, wanted: Int?) -> String? {
    guard let wanted else { return nil }
    isFull = isFull || points >= wanted
    return isFull && points < wanted ? "the history was full and has \(points) points, not \(wanted)" : nil
  }
}

/// The history of the calm part, when no disk fails and no power is cut, has every location that is told.
struct Keeping {
  /// When it began to be looked at: points on the disk, and locations made.
  private var start: (points: Int, made: Int)?

  /// Points of one wake-up may be under way, and the one that is being made.
  private static let slack = 3

  /// `points`: what the tracker says of its history, with what waits. Nil: all are there.
  mutating func look(points: Int, made: Int, isKept: Bool) -> String? {
    guard isKept else {
      start = nil
      return nil
    }
    guard let start else {
      start = (points, made)
      return nil
    }
    let (more, told) = (points - start.points, made - start.made)
    return more + Self.slack < told ? "the history has \(more) more points, \(told) locations were told" : nil
  }
}
