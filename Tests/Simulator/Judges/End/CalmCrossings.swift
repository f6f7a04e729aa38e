import Model
import Timebase

/// Each crossing of the calm part is told once.
struct CalmCrossings: Judge {
  /// A crossing is told within this of being beyond doubt: confirmations, late fixes, a vehicle that comes to rest there.
  /// Seconds.
  private static let allowance = 110.0
  /// A vehicle that sets out is known to move within this, seconds.
  private static let settingOut = 40.0

  func ending(_ court: inout Court) {
    guard let end = court.ledger.final, let calm = court.ledger.calmSince, end.mode != .quiet,
      end.isReceiverAwake,
      let first = court.ledger.breaks.last.map({
        $0.made < court.ledger.made.count ? court.ledger.made[$0.made].at : $0.at
      })
    else { return }
    let from = Span(nanoseconds: max(first, calm).nanoseconds).seconds + 90
    let to = Span(nanoseconds: end.at.nanoseconds).seconds
    let told = Dictionary(grouping: court.consumer.transitions, by: \.rid)
    for region in end.regions where region.kind == .circular && region.isMonitored && !region.isFollow {
      var known: (isInside: Bool, since: Double, at: Double)?
      // Of what need not be seen, neither half was: who was out for a moment has not come back.
      var isMissed = false
      // From the first crossing on it knows where it is.
      if court.ledger.isMisled(about: region.rid) { continue }
      let dwell = Double(region.dwell ?? 0)
      if region.hidesReports, !region.isShared { continue }
      for second in stride(from: from, to: to - Self.allowance - end.holdDown - dwell, by: 2) {
        guard let isInside = clearSide(court, of: region, at: second) else { continue }
        defer {
          let isSame = known.map { $0.isInside == isInside && second - $0.at <= 2 } ?? false
          known = (isInside, isSame ? known?.since ?? second : second, second)
        }
        guard let before = known, before.isInside != isInside,
          !region.isHoldDown
            || !isBriefly(court, outside: region, isInside ? before.since : second, end.holdDown)
        else { continue }
        if dwell > 0, !isStay(court, in: region, isInside ? second : before.since, to: second, dwell) {
          continue
        }
        let latest = second + Self.allowance + end.holdDown + dwell
        if !region.hidesReports, court.ledger.isVeiled(from: second - 30, to: latest) { continue }
        let event = isInside ? "enter" : "leave"
        let isTold = (told[region.rid] ?? []).contains {
          $0.event == event && $0.second >= before.at - 5 && $0.second <= latest
        }
        let mayMiss =
          !end.isSpeedTold && isDrivenThrough(court, region, since: before.since, at: second, isInside)
        defer { isMissed = mayMiss && !isTold }
        if !isTold, !mayMiss, !isMissed {
          court.complain(.truth, "\(event) of \(region.name) at \(Int(second)) s was never told")
        }
      }
    }
  }

  /// Whether what is inside since then is told of entering: for long enough, from there or up to the leave.
  private func isStay(_ court: Court, in region: Region, _ since: Double, to leave: Double, _ dwell: Double)
    -> Bool
  {
    let end = since == leave ? since + dwell + Self.allowance : leave
    guard end - since >= dwell + Self.allowance else { return false }
    return stride(from: since, through: end, by: 2).allSatisfy {
      clearSide(court, of: region, at: $0) == true || $0 == leave
    }
  }

  /// Who comes back in time has not left. From that second on, it is outside.
  private func isBriefly(_ court: Court, outside region: Region, _ second: Double, _ holdDown: Double) -> Bool
  {
    stride(from: second, through: second + holdDown + Self.allowance, by: 1).contains {
      clearSide(court, of: region, at: $0) != false
    }
  }

  /// What is only driven through while it is not yet known that the vehicle moves is not seen, where no speeds are told.
  private func isDrivenThrough(
    _ court: Court, _ region: Region, since: Double, at second: Double, _ isInside: Bool
  ) -> Bool {
    let near = stride(from: 0, through: Self.settingOut, by: 1)
    guard near.contains(where: { court.road.position(at: second - $0).speed == 0 }) else { return false }
    return second - since < Self.settingOut
      || near.contains { clearSide(court, of: region, at: second + $0) == !isInside }
  }

  private func clearSide(_ court: Court, of region: Region, at second: Double) -> Bool? {
    let metres = court.metres(to: region, at: second)
    if metres < region.radius - 35 { return true }
    return metres > region.radius + 60 ? false : nil
  }
}
