import Model
import Timebase

/// A circle was crossed where that is told: the vehicle was near its edge, or on the other side of it, just before.
struct TrueCrossings: Judge {
  /// A vehicle that sets out is known to move within this, seconds.
  private static let settingOut = 40.0
  /// Metres a second.
  private static let driving = 5.0

  func ending(_ court: inout Court) {
    for told in court.consumer.transitions where !court.isOfUnknownTime(told) {
      nearTheBoundary(&court, told)
    }
  }

  private func nearTheBoundary(_ court: inout Court, _ told: Consumer.Told) {
    guard let made = told.made, case .transition(let report) = court.ledger.made[made].report,
      report.region.kind == .circular, !court.hasJumped(around: told.time, within: 200)
    else { return }
    // Its region was changed or removed, or it was left long before.
    if case .leftSince = court.ledger.made[made].reason { return }
    let isEnter = told.event == "enter"
    let region = report.region
    let now = told.second
    let metres = court.metres(to: region, at: now)
    let reach = 60 + court.ledger.fixes.reach(at: told.time)
    let isSo = isEnter ? metres < region.radius + reach : metres > region.radius - reach
    // Who is out of sight at walking pace is taken to have stayed.
    if !isSo, region.dwell == nil {
      court.complain(.truth, "\(Int(metres)) m from the middle: \(told.payload)", at: told.at)
    }
    if isDriving(court, at: now) { beyondTheEdge(&court, report, told) }
    guard court.ledger.final?.isReceiverAwake == true else { return }
    // Long outages of the receiver delay what is seen.
    let back = stride(from: 0.0, through: 900 + Double(region.dwell ?? 0), by: 3).contains { seconds in
      let metres = court.metres(to: region, at: now - seconds)
      return isEnter ? metres > region.radius - 30 : metres < region.radius + 130
    }
    if !back, !isFirst(court, made), !court.ledger.isMisled(about: told.rid, before: made) {
      court.complain(.truth, "it was not on the other side before: \(told.payload)", at: told.at)
    }
  }

  /// Known to: without speeds it takes a while.
  private func isDriving(_ court: Court, at second: Double) -> Bool {
    let since = court.ledger.final?.isSpeedTold == true ? 0 : Self.settingOut
    return stride(from: 0, through: since, by: 2).allSatisfy {
      court.road.position(at: second - $0).speed > Self.driving
    }
  }

  /// Who drives is inside where the fix is, and outside where it is by more than its error: what is nearer to the edge
  /// confirms what was. (What stands is looked at by the mean of its fixes.)
  private func beyondTheEdge(_ court: inout Court, _ report: TransitionReport, _ told: Consumer.Told) {
    let region = report.region
    guard !region.isHoldDown, region.dwell == nil, !region.hidesReports,
      report.accuracy <= max(100, region.radius)
    else { return }
    let beyond = region.coordinate.distance(to: report.coordinate) - region.radius
    // What is told is rounded to a millionth of a degree, and its accuracy to a metre.
    let margin = min(max(report.accuracy, 10), 100) - 1
    if report.crossing == .enter ? beyond > 1 : beyond < margin {
      court.complain(
        .truth, "\(beyond) m beyond the edge, known to \(report.accuracy) m: \(told.payload)", at: told.at)
    }
    guard let final = court.ledger.final, let calm = court.ledger.calmSince, let made = told.made,
      court.ledger.made[made].at > calm + .seconds(300)
    else { return }
    // A fix a second, each of which was over there.
    let first = court.road.position(at: told.second - Double(final.confirm - 1)).point.coordinate
    let over = region.coordinate.distance(to: first) - region.radius
    // Each knows of its own error, and the last one alone is told.
    let noise = max(report.accuracy, Receiver.worstAccuracy) + 5
    if report.crossing == .enter ? over > noise : over < margin - noise {
      court.complain(.truth, "too few fixes confirm it: \(Int(over)) m, \(told.payload)", at: told.at)
    }
  }

  /// Whether the tracker had not known for long where it was: it compares with what an earlier life knew.
  private func isFirst(_ court: Court, _ made: Int) -> Bool {
    let (life, at) = (court.ledger.made[made].life, court.ledger.made[made].at)
    guard let began = court.ledger.lives.began(life), at - began >= .seconds(300) else { return true }
    return !court.ledger.made[..<made].contains {
      guard case .location(let location) = $0.report, $0.life == life else { return false }
      // A beacon's crossing tells the last known place, which may be of an earlier life, too.
      let isOfThisLife = location.fix.time.seconds >= BoardClock.truth(began).seconds
      return isOfThisLife && location.time == location.fix.time && $0.at + .seconds(60) < at
    }
  }
}
