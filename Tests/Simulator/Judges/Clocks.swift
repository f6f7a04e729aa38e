import Core
import Model
import Timebase

/// What wrong clocks of a receiver must not do: tell of the future, and silence what is right.
extension World {
  /// So long after the last wrong fix the place is known again, seconds: half a minute of contradiction at most, a
  /// jump that was believed, and a start.
  private static let patience = 60.0

  /// Whether nothing but the truth can be known: a board without a clock has to believe what a receiver insists on.
  var isTimeKnown: Bool { clock.isSynchronised || !receiver.time.hasLied }

  func judge(timeOf report: Report) {
    let time: WallTime
    switch report {
    case .location(let location): time = location.time
    case .transition(let transition): time = transition.time
    default: return
    }
    let ahead = (time - BoardClock.truth(now)).seconds
    if isTimeKnown, ahead > 2 { ledger.complain(.times, "\(ahead) s ahead: \(report)", at: now) }
  }

  /// Once a second.
  func judgeSilence() {
    guard isRunning, let tracker, let sound = receiver.soundSince, (now - sound).seconds > Self.patience,
      let began = ledger.lifeBegan(life), (now - began).seconds > Self.patience
    else { return }
    let age = tracker.status(at: clock.moment(at: now)).fixAge
    if age.map({ $0.seconds > 20 }) ?? true {
      ledger.complain(.times, "a receiver that is well is not believed: age \(age?.seconds ?? -1) s", at: now)
    }
  }
}
