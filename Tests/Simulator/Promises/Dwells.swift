import Core
import Model
import Timebase

/// Enters that wait for a dwell. That they come in time, where the vehicle stays, is looked at with all other crossings.
extension World {
  /// Seconds of a dwell in which the vehicle may still be on its way in, and those of fixes that are not in time.
  private static let slack = (begin: 4.0, sound: 10.0)
  /// Beyond the edge, metres: where a fix does not say that it has left.
  private static let reach = 45.0

  /// A leave that was held down, of who has come back meanwhile with fixes too vague to say so.
  func isReturnUnseen(_ report: Report, because reason: Reason?) -> Bool {
    guard case .crossed(_, .leave, .some(0)) = reason, case .transition = report else { return false }
    return receiver.haze.isSeen(since: now - .seconds(configuration.regions.holdDown))
  }

  /// It was inside for all the time before.
  func judge(dwellOf report: Report, because reason: Reason?) {
    guard case .dwelt(_, let seconds) = reason, case .transition(let told) = report else { return }
    // Who comes back while a leave is held down has stayed.
    if told.region.isHoldDown { return }
    guard let sound = receiver.soundSince, (now - sound).seconds > seconds + Self.slack.sound,
      let began = ledger.lifeBegan(life), (now - began).seconds > seconds + Self.slack.sound,
      configuration.receiver.dutyCycle == 0, !receiver.haze.isSeen(since: sound), let heard = receiver.heard,
      (now - heard.last).seconds < Self.slack.sound
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

  /// Metres beyond the edge where it is surely outside, and seconds back to where a leave began.
  private static let outside = (metres: 60.0, seconds: 120.0)

  /// Who was inside for less than the dwell has not entered, and does not leave.
  func judge(passingOf report: Report, because reason: Reason?) {
    guard case .crossed = reason, case .transition(let told) = report, told.crossing == .leave,
      !told.region.isHoldDown,
      let dwell = told.region.dwell.map(Double.init), told.region.kind == .circular,
      configuration.receiver.dutyCycle == 0, let sound = receiver.soundSince,
      let began = ledger.lifeBegan(life)
    else { return }
    let last = Span(nanoseconds: now.nanoseconds).seconds
    let edge = told.region.radius + Self.outside.metres + receiver.ground.reach.standing
    func isOutside(_ seconds: Double) -> Bool {
      road.position(at: last - seconds).point.coordinate.distance(to: told.region.coordinate) > edge
    }
    let left = stride(from: 0, through: Self.outside.seconds, by: 1).first { !isOutside($0) }
    guard let left, let entered = stride(from: left, through: left + dwell, by: 1).first(where: isOutside),
      entered - left < dwell - 5,
      min((now - sound).seconds, (now - began).seconds) > entered + Self.outside.seconds,
      !receiver.haze.isSeen(since: sound), isUnchanged(for: entered + Self.outside.seconds)
    else { return }
    ledger.complain(
      .truth, "\(told.region.name) is left after \(entered - left) s, and its dwell is \(dwell) s", at: now)
  }

  /// Nobody has changed a region for so long, seconds: what is changed around the board it is inside of at once.
  private func isUnchanged(for seconds: Double) -> Bool {
    guard let last = ledger.breaks.last else { return true }
    guard last.made < ledger.made.count else { return false }
    return (now - ledger.made[last.made].at).seconds > seconds
  }
}
