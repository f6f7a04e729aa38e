import Core
import Model
import Timebase

/// Enters that wait for a dwell. That they come in time, where the vehicle stays, is looked at with all other crossings.
extension World {
  /// Seconds of a dwell in which the vehicle may still be on its way in, and those of fixes that are not in time.
  private static let slack = (begin: 4.0, sound: 10.0)
  /// Beyond the edge, metres: where a fix does not say that it has left.
  private static let reach = 45.0

  /// It was inside for all the time before.
  func judge(dwellOf report: Report, because reason: Reason?) {
    guard case .dwelt(_, let seconds) = reason, case .transition(let told) = report else { return }
    guard let sound = receiver.soundSince, (now - sound).seconds > seconds + Self.slack.sound,
      let began = ledger.lifeBegan(life), (now - began).seconds > seconds + Self.slack.sound,
      configuration.receiver.dutyCycle == 0, !receiver.haze.isSeen(since: sound)
    else { return }
    let last = Span(nanoseconds: now.nanoseconds).seconds
    let reach = told.region.radius + Self.reach + receiver.ground.reach.standing
    let farthest = stride(from: last - seconds + Self.slack.begin, through: last, by: 1).map {
      road.position(at: $0).point.coordinate.distance(to: told.region.coordinate)
    }.max()
    if let farthest, farthest > reach {
      ledger.complain(
        .truth,
        "\(told.region.name) is entered for a dwell of \(seconds) s, and it was \(Int(farthest)) m from its middle",
        at: now)
    }
  }
}
