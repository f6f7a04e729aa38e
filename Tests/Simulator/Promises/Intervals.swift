import Core
import Model
import Timebase

/// The interval of move mode, as the world counts it. Kept by the world, one for each life of the process.
struct Intervals {
  /// Since when nothing has been in the way of a location of move mode.
  fileprivate var since: Instant?
  /// What people want, as it was counted by.
  fileprivate var wanted: (interval: Int, displacement: Int)?

  /// The mode is another one: the wait begins anew.
  mutating func begin() { (since, wanted) = (nil, nil) }
}

extension World {
  /// So long every fix has been right, and so much later a location may come, seconds.
  private static let (sound, slack) = (20.0, 20.0)

  /// Once a second. `locatorInterval` after the last location the next fix is told; where there was none to tell, the
  /// first one that comes.
  func judgeIntervals() {
    let reports = configuration.reports
    guard mayTell, tracker?.mode.mode == .move, upkeep.inForce?.0 == .move, reports.locatorInterval > 0,
      configuration.receiver.dutyCycle == 0
    else { return intervals.begin() }
    let wanted = (reports.locatorInterval, reports.locatorDisplacement)
    if intervals.wanted.map({ $0 != wanted }) ?? true {
      intervals.wanted = wanted
      intervals.since = now
    }
    guard let since = intervals.since, let sound = receiver.soundSince, (now - sound).seconds > Self.sound,
      receiver.ground.reach.standing == 0, !receiver.haze.isNear(now)
    else { return }
    let waited = (now - max(judging.reference?.at ?? since, since)).seconds
    if waited > Double(reports.locatorInterval) + Self.slack {
      ledger.complain(
        .prompt, "nothing told for \(Int(waited)) s, locatorInterval is \(reports.locatorInterval) s",
        at: now)
      intervals.begin()
    }
  }
}
