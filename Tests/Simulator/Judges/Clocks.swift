import Core
import Model
import Timebase

/// What wrong clocks of a receiver must not do: tell of the future, and silence what is right.
extension World {
  /// So long after the last wrong fix the place is known again, seconds: half a minute of contradiction at most, a
  /// jump that was believed, and a start.
  private static let patience = 60.0
  /// The same where nothing but the time was wrong.
  private static let patienceWithTime = 35.0
  /// No board tells another date, whatever its receiver says: before this program was made, or far ahead; Unix seconds.
  private static let possible = BoardClock.epoch - 100 * 86_400...BoardClock.epoch + 3800 * 86_400

  /// Whether nothing but the truth can be known: a board without a clock has to believe what a receiver insists on.
  var isTimeKnown: Bool { clock.isSynchronised || !receiver.time.hasLied }

  func judge(timeOf report: Report) {
    let time: WallTime
    switch report {
    case .location(let location): time = location.time
    case .transition(let transition): time = transition.time
    default: return
    }
    if !Self.possible.contains(time.seconds) { ledger.complain(.times, "impossible: \(report)", at: now) }
    let ahead = (time - BoardClock.truth(now)).seconds
    if isTimeKnown, ahead > 2 { ledger.complain(.times, "\(ahead) s ahead: \(report)", at: now) }
  }

  /// Once a second: a receiver that is well is believed, and one that is off by the leap seconds is put right.
  func judgeSilence() {
    guard isRunning, let tracker, let sound = receiver.soundSince ?? receiver.leapSince?.at,
      let began = ledger.lifeBegan(life), (now - began).seconds > Self.patience,
      (now - sound).seconds
        > (receiver.hasMisplaced(since: sound - .seconds(Self.patience))
          ? Self.patience : Self.patienceWithTime)
    else { return }
    let age = tracker.status(at: clock.moment(at: now)).fixAge
    // White noise beyond every claim is a jump with each fix, and has to last.
    let most = 20 + receiver.ground.reach.standing
    if age.map({ $0.seconds > most }) ?? true {
      ledger.complain(.times, "a receiver that is well is not believed: age \(age?.seconds ?? -1) s", at: now)
    }
  }
}
