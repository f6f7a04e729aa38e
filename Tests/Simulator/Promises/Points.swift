import Core
import Model
import Timebase

/// Points of a drive where the way turns or the speed changes: what each says of itself is true, and they do not stay away.
extension World {
  /// As `AdaptiveRecording` promises, metres: with a turn that is worth a point, and without.
  private static let deviation = (turning: 4.0, straight: 5.5)
  /// Metres, beside what the vehicle drives in some seconds: a fix comes late, and no two points share one second.
  private static let slack = (metres: 40.0, seconds: 4.0)
  /// Seconds.
  private static let known = 30.0
  /// So far from the last point a change of speed is another manoeuvre, metres, as far as fixes tell.
  private static let manoeuvre = 45.0
  /// What a speed may be wrong by, kilometres an hour.
  private static let doubt = 3.0

  func lie(turned degrees: Double, _ metres: Double, _ fix: Fix) -> String? {
    guard let before = judging.reference else { return "there is nothing to measure from" }
    guard configuration.adaptive.isOn else { return "points lie at fixed distances" }
    let truly = before.fix.coordinate.distance(to: fix.coordinate)
    if (truly - metres).magnitude > 0.5 { return "it was \(truly) m" }
    let deviation = metres * degrees * .pi / 180 / 8
    let isTurn = degrees >= Double(configuration.adaptive.heading) && deviation >= Self.deviation.turning
    return isTurn || deviation >= Self.deviation.straight ? nil : "that is \(deviation) m off the line"
  }

  func lie(paceFrom before: Double, to now: Double, _ fix: Fix) -> String? {
    guard let reference = judging.reference else { return "there is nothing to measure from" }
    let truly = (reference.fix.speed.map { $0 * 3.6 }, fix.speed.map { $0 * 3.6 })
    guard configuration.adaptive.isOn else { return "points lie at fixed distances" }
    // An old place is told without its speed.
    guard let one = truly.0, let other = truly.1 else { return nil }
    if (one - before).magnitude > 0.01 || (other - now).magnitude > 0.01 { return "from \(one) to \(other)" }
    return (now - before).magnitude < Double(configuration.adaptive.speed) - 0.01 ? "that is no change" : nil
  }

  /// Once a second: how far the vehicle has come from the last point.
  func judgePoints(_ truth: Road.Position) {
    judgeChangesOfSpeed(truth)
    guard mayTell, let mode = upkeep.inForce, (now - mode.since).seconds > Self.known,
      tracker?.mode.mode == mode.0, let reference = judging.reference,
      let wanted = wantedDistance(mode.0, waited: (now - reference.at).seconds),
      let sound = receiver.soundSince, (now - sound).seconds > Self.known, !receiver.haze.isNear(now),
      receiver.ground.tellsSpeed, let drives = watch.drivesSince, (now - drives).seconds > Self.known,
      !judging.isTrackLost, !judging.isClockSet, let heard = receiver.heard,
      (now - heard.since).seconds > Self.known
    else { return }
    // People may have asked for less a moment ago.
    if pace.wanted?.metres != wanted { pace.wanted = (wanted, now) }
    guard let since = pace.wanted?.since, (now - since).seconds > Self.slack.seconds else { return }
    let metres = reference.fix.coordinate.distance(to: truth.point.coordinate)
    let most =
      Double(wanted) + Self.slack.metres + Self.slack.seconds * truth.speed + receiver.ground.reach.driving
    if metres > most {
      ledger.complain(.points, "\(Int(metres)) m from the last point, \(wanted) m are asked for", at: now)
    }
  }

  /// Once a second: how much faster or slower it goes than at the last point.
  private func judgeChangesOfSpeed(_ truth: Road.Position) {
    guard configuration.adaptive.isOn, mayTell, let mode = upkeep.inForce, mode.0 == .move,
      tracker?.mode.mode == .move, (now - mode.since).seconds > Self.known,
      configuration.receiver.dutyCycle == 0, receiver.ground.tellsSpeed, receiver.ground.reach.standing == 0,
      let sound = receiver.soundSince, (now - sound).seconds > Self.known, !receiver.haze.isNear(now),
      let heard = receiver.heard, (now - heard.since).seconds > Self.known,
      !judging.isTrackLost, !judging.isClockSet, let reference = judging.reference,
      let before = reference.fix.speed,
      reference.fix.coordinate.distance(to: truth.point.coordinate) > Self.manoeuvre,
      (truth.speed - before).magnitude * 3.6 > Double(configuration.adaptive.speed) + Self.doubt
    else {
      pace.changedSince = nil
      return
    }
    let since = pace.changedSince ?? now
    pace.changedSince = since
    guard (now - since).seconds > Self.slack.seconds else { return }
    pace.changedSince = nil
    ledger.complain(
      .points,
      "\(Int(truth.speed * 3.6)) km/h, \(Int(before * 3.6)) at the last point, \(configuration.adaptive.speed) "
        + "km/h are asked for", at: now)
  }

  /// After which a point is due now, metres; nil: none is.
  private func wantedDistance(_ mode: MonitoringMode, waited: Double) -> Int? {
    let reports = configuration.reports
    switch mode {
    case .move:
      return configuration.adaptive.isOn ? configuration.adaptive.distance : reports.locatorDisplacement
    case .significant:
      // Of a window the best fix is told, and that may lie far behind.
      let isDue = waited > Double(reports.significantInterval) + Self.slack.seconds
      return isDue && reports.significantWindow == 0 ? reports.significantDisplacement : nil
    case .manual, .quiet: return nil
    }
  }
}
