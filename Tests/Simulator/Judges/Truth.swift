import Model
import OwnTracks
import Timebase

/// Whether what is told was so: places against the road, crossings against the road, and the road's
/// crossings against what was told.
extension Court {
  /// A crossing is told within this of being beyond doubt: confirmations, late fixes, a vehicle that comes to rest there.
  /// Seconds.
  private static let allowance = 110.0
  /// A vehicle that sets out is known to move within this, seconds.
  private static let settingOut = 40.0
  /// Metres a second.
  private static let driving = 5.0
  /// So often in a row is one place asked for, seconds.
  private static let mostShift = 10

  private func seconds(_ told: Consumer.Told) -> Double { Double(told.time) - BoardClock.epoch }

  private func hasJumped(around time: Int, within reach: Int) -> Bool {
    (time - reach...time + reach).contains { ledger.jumps.contains($0) }
  }

  mutating func truth() {
    let seconds = Set(consumer.locations.map(\.time))
    for told in consumer.locations
    where !hasJumped(around: told.time, within: isAgain(told) ? Self.mostShift : 1) && !isOfUnknownTime(told)
    {
      guard let latitude = told.payload["lat"]?.double, let longitude = told.payload["lon"]?.double,
        let place = Coordinate(latitude: latitude, longitude: longitude)
      else { continue }
      let shifts = shifts(told, among: seconds)
      let errors = shifts.map {
        road.position(at: self.seconds(told) - Double($0)).point.coordinate.distance(to: place)
      }
      let error = errors.min() ?? 0
      let accuracy = Double(told.payload["acc"]?.int ?? 0)
      if error > 3 * accuracy + 40 + ledger.reach(at: told.time) {
        complain(.truth, "\(Int(error)) m from where the vehicle was: \(told.payload)", at: told.at)
      }
    }
    for told in consumer.transitions where !isOfUnknownTime(told) { nearTheBoundary(told) }
    calmCrossings()
  }

  /// How much later than its place it may be: two locations never share a second, so that one of the same fix has the
  /// next that no other has. A place that is told again says when that was.
  private func shifts(_ told: Consumer.Told, among seconds: Set<Int>) -> ClosedRange<Int> {
    if isAgain(told) { return 0...Self.mostShift }
    let taken = (1...Self.mostShift).prefix { seconds.contains(told.time - $0) }
    return 0...taken.count
  }

  private func isAgain(_ told: Consumer.Told) -> Bool { told.payload["created_at"] != nil }

  private func isOfUnknownTime(_ told: Consumer.Told) -> Bool {
    told.made.map { ledger.made[$0].isOfUnknownTime } ?? false
  }

  /// Circular regions: the vehicle was near the boundary, or on the other side of it, just before.
  private mutating func nearTheBoundary(_ told: Consumer.Told) {
    guard let made = told.made, case .transition(let report) = ledger.made[made].report,
      report.region.kind == .circular, !hasJumped(around: told.time, within: 200)
    else { return }
    // Its region was changed or removed, or it was left long before.
    if case .leftSince = ledger.made[made].reason { return }
    let isEnter = told.event == "enter"
    let region = report.region
    let now = seconds(told)
    let metres = road.position(at: now).point.coordinate.distance(to: region.coordinate)
    let reach = 60 + ledger.reach(at: told.time)
    let isSo = isEnter ? metres < region.radius + reach : metres > region.radius - reach
    // Who is out of sight at walking pace is taken to have stayed.
    if !isSo, region.dwell == nil {
      complain(.truth, "\(Int(metres)) m from the middle: \(told.payload)", at: told.at)
    }
    if isDriving(at: now) { beyondTheEdge(report, told) }
    guard ledger.final?.isReceiverAwake == true else { return }
    // Long outages of the receiver delay what is seen.
    let back = stride(from: 0.0, through: 900 + Double(region.dwell ?? 0), by: 3).contains { seconds in
      let metres = road.position(at: now - seconds).point.coordinate.distance(to: region.coordinate)
      return isEnter ? metres > region.radius - 30 : metres < region.radius + 130
    }
    if !back, !isFirst(made), !ledger.isMisled(about: told.rid, before: made) {
      complain(.truth, "it was not on the other side before: \(told.payload)", at: told.at)
    }
  }

  /// Known to: without speeds it takes a while.
  private func isDriving(at second: Double) -> Bool {
    let since = ledger.final?.isSpeedTold == true ? 0 : Self.settingOut
    return stride(from: 0, through: since, by: 2).allSatisfy {
      road.position(at: second - $0).speed > Self.driving
    }
  }

  /// Who drives is inside where the fix is, and outside where it is by more than its error: what is nearer to the edge
  /// confirms what was. (What stands is looked at by the mean of its fixes.)
  private mutating func beyondTheEdge(_ report: TransitionReport, _ told: Consumer.Told) {
    let region = report.region
    guard !region.isHoldDown, region.dwell == nil, !region.isVeil, report.accuracy <= max(100, region.radius)
    else { return }
    let beyond = region.coordinate.distance(to: report.coordinate) - region.radius
    // What is told is rounded to a millionth of a degree, and its accuracy to a metre.
    let margin = min(max(report.accuracy, 10), 100) - 1
    if report.crossing == .enter ? beyond > 1 : beyond < margin {
      complain(
        .truth, "\(beyond) m beyond the edge, known to \(report.accuracy) m: \(told.payload)", at: told.at)
    }
    guard let final = ledger.final, let calm = ledger.calmSince, let made = told.made,
      ledger.made[made].at > calm + .seconds(300)
    else { return }
    // A fix a second, each of which was over there.
    let first = road.position(at: seconds(told) - Double(final.confirm - 1)).point.coordinate
    let over = region.coordinate.distance(to: first) - region.radius
    // Each knows of its own error, and the last one alone is told.
    let noise = max(report.accuracy, Receiver.worstAccuracy) + 5
    if report.crossing == .enter ? over > noise : over < margin - noise {
      complain(.truth, "too few fixes confirm it: \(Int(over)) m, \(told.payload)", at: told.at)
    }
  }

  /// Whether the tracker had not known for long where it was: it compares with what an earlier life knew.
  private func isFirst(_ made: Int) -> Bool {
    let (life, at) = (ledger.made[made].life, ledger.made[made].at)
    guard let began = ledger.lifeBegan(life), at - began >= .seconds(300) else { return true }
    return !ledger.made[..<made].contains {
      guard case .location(let location) = $0.report, $0.life == life else { return false }
      // A beacon's crossing tells the last known place, which may be of an earlier life, too.
      let isOfThisLife = location.fix.time.seconds >= BoardClock.truth(began).seconds
      return isOfThisLife && location.time == location.fix.time && $0.at + .seconds(60) < at
    }
  }

  // MARK: What was not told

  /// Crossings of the calm part, each of which has to be told once.
  private mutating func calmCrossings() {
    guard let end = ledger.final, let calm = ledger.calmSince, end.mode != .quiet, end.isReceiverAwake,
      let first = ledger.breaks.last.map({ $0.made < ledger.made.count ? ledger.made[$0.made].at : $0.at })
    else { return }
    let from = Span(nanoseconds: max(first, calm).nanoseconds).seconds + 90
    let to = Span(nanoseconds: end.at.nanoseconds).seconds
    let told = Dictionary(grouping: consumer.transitions, by: \.rid)
    for region in end.regions where region.kind == .circular && region.isMonitored && !region.isFollow {
      var known: (isInside: Bool, since: Double, at: Double)?
      // Of what need not be seen, neither half was: who was out for a moment has not come back.
      var isMissed = false
      // From the first crossing on it knows where it is.
      let isMisled = ledger.isMisled(about: region.rid, before: ledger.made.count)
      if isMisled { continue }
      let dwell = Double(region.dwell ?? 0)
      if region.isVeil, !region.isShared { continue }
      for second in stride(from: from, to: to - Self.allowance - end.holdDown - dwell, by: 2) {
        guard let isInside = clearSide(of: region, at: second) else { continue }
        defer {
          let isSame = known.map { $0.isInside == isInside && second - $0.at <= 2 } ?? false
          known = (isInside, isSame ? known?.since ?? second : second, second)
        }
        guard let before = known, before.isInside != isInside,
          !region.isHoldDown || !isBriefly(outside: region, isInside ? before.since : second, end.holdDown)
        else { continue }
        if dwell > 0, !isStay(in: region, isInside ? second : before.since, to: second, dwell) { continue }
        let latest = second + Self.allowance + end.holdDown + dwell
        if !region.isVeil, ledger.isVeiled(from: second - 30, to: latest) { continue }
        let event = isInside ? "enter" : "leave"
        let isTold = (told[region.rid] ?? []).contains {
          $0.event == event && seconds($0) >= before.at - 5 && seconds($0) <= latest
        }
        let mayMiss = !end.isSpeedTold && isDrivenThrough(region, since: before.since, at: second, isInside)
        defer { isMissed = mayMiss && !isTold }
        if !isTold, !mayMiss, !isMissed {
          complain(.truth, "\(event) of \(region.name) at \(Int(second)) s was never told")
        }
      }
    }
  }

  /// Whether what is inside since then is told of entering: for long enough, from there or up to the leave.
  private func isStay(in region: Region, _ since: Double, to leave: Double, _ dwell: Double) -> Bool {
    let end = since == leave ? since + dwell + Self.allowance : leave
    guard end - since >= dwell + Self.allowance else { return false }
    return stride(from: since, through: end, by: 2).allSatisfy {
      clearSide(of: region, at: $0) == true || $0 == leave
    }
  }

  /// Who comes back in time has not left. From that second on, it is outside.
  private func isBriefly(outside region: Region, _ second: Double, _ holdDown: Double) -> Bool {
    stride(from: second, through: second + holdDown + Self.allowance, by: 1).contains {
      clearSide(of: region, at: $0) != false
    }
  }

  /// What is only driven through while it is not yet known that the vehicle moves is not seen, where no speeds are told.
  private func isDrivenThrough(
    _ region: Region, since: Double, at second: Double, _ isInside: Bool
  ) -> Bool {
    let near = stride(from: 0, through: Self.settingOut, by: 1)
    guard near.contains(where: { road.position(at: second - $0).speed == 0 }) else { return false }
    return second - since < Self.settingOut
      || near.contains { clearSide(of: region, at: second + $0) == !isInside }
  }

  private func clearSide(of region: Region, at second: Double) -> Bool? {
    let metres = road.position(at: second).point.coordinate.distance(to: region.coordinate)
    if metres < region.radius - 35 { return true }
    return metres > region.radius + 60 ? false : nil
  }
}
