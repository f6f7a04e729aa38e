import Core
import Model
import Timebase

/// The last fixes that this life of the process heard: what a crossing is confirmed by.
struct Approach {
  struct Heard {
    var time: WallTime
    var place: Coordinate
    var accuracy: Double
    /// By the world's clock.
    var arrived: WallTime
  }

  private static let most = 12
  private(set) var heard: [Heard] = []

  /// One from the future is not believed.
  mutating func hear(_ reading: Reading, at truth: WallTime) {
    guard reading.mode >= 2, let time = reading.time, time <= truth,
      heard.last.map({ $0.time < time }) ?? true,
      let latitude = reading.latitude, let longitude = reading.longitude, let accuracy = reading.eph,
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return }
    heard.append(Heard(time: time, place: place, accuracy: accuracy, arrived: truth))
    if heard.count > Self.most { heard.removeFirst() }
  }

  /// What one fix says of a circle; nil: it is too poor to say anything.
  private static func side(_ heard: Heard, of region: Region) -> Side? {
    let beyond = region.coordinate.distance(to: heard.place) - region.radius
    if heard.accuracy > max(100, region.radius) {
      if beyond <= -heard.accuracy { return .inside }
      return beyond > heard.accuracy ? .outside : nil
    }
    if beyond <= 0 { return .inside }
    return beyond > min(100, max(10, heard.accuracy)) ? .outside : .edge
  }

  enum Side { case inside, edge, outside }

  /// How many of the last fixes, without one in between that says otherwise, are over there; nil: there may be more
  /// than are remembered.
  func confirmations(of crossing: Crossing, _ region: Region) -> Int? {
    let sides = heard.reversed().lazy.compactMap { Self.side($0, of: region) }
    let agreeing = sides.prefix { $0 == (crossing == .enter ? .inside : .outside) }.count
    return agreeing < sides.count ? agreeing : nil
  }

  /// Whether any of what is remembered says on which side the board is; that of a very vague fix says nothing.
  func isTelling(of region: Region) -> Bool { heard.contains { Self.side($0, of: region) != nil } }
}

extension World {
  /// For so long every fix has been right and in time, seconds: what is heard is what counts.
  private static let sound = 20.0
  /// What was heard so long ago is not the last that was said, seconds.
  private static let fresh = 2.5

  /// Who drives has crossed when as many fixes in a row as are wanted say so. (Of what stands its mean place decides.)
  func judge(confirmationOf report: Report, because reason: Reason?) {
    guard case .crossed = reason, case .transition(let told) = report, told.region.kind == .circular,
      !told.region.isHoldDown, told.region.dwell == nil, !told.region.isFollow, receiver.ground.tellsAccuracy,
      let sound = receiver.soundSince, (now - sound).seconds > Self.sound,
      let last = approach.heard.last, last.time.wholeSeconds == told.time.wholeSeconds,
      let drives = watch.drivesSince, (now - drives).seconds > Watch.drive,
      let seen = approach.confirmations(of: told.crossing, told.region)
    else { return }
    let wanted = configuration.regions.confirm
    if seen < wanted {
      ledger.complain(
        .truth, "\(told.crossing) of \(told.region.name): \(seen) fixes in a row say so, not \(wanted)",
        at: now)
    }
  }

  private var isDriving: Bool { watch.drivesSince.map { (now - $0).seconds > Watch.drive } ?? false }

  /// Who waited whether the board comes back is not left when the last fixes were inside. (The wait may end as the first
  /// of them arrives.)
  func judge(leaveOf report: Report, because reason: Reason?) {
    guard case .crossed = reason, case .transition(let told) = report, told.region.kind == .circular,
      told.crossing == .leave, told.region.isHoldDown, receiver.ground.tellsAccuracy,
      let sound = receiver.soundSince, (now - sound).seconds > Self.sound,
      // A date of its own that was once too late leaves nothing that is newer.
      let last = approach.heard.last, (BoardClock.truth(now) - last.arrived).seconds < Self.fresh,
      approach.isTelling(of: told.region),
      approach.confirmations(of: .enter, told.region).map({ $0 > (isDriving ? 1 : 5) }) ?? true
    else { return }
    ledger.complain(.truth, "\(told.region.name) is left, and the last fixes are inside", at: now)
  }

  /// Nothing tells a place that is known worse than people want.
  func judge(accuracyOf report: Report) {
    // An old place is told with what may have come of it meanwhile.
    guard case .location(let told) = report,
      approach.heard.contains(where: { $0.time == told.fix.time && $0.accuracy == told.fix.accuracy })
    else { return }
    let limit = Double(configuration.reports.ignoreInaccurateLocations)
    if limit > 0, told.fix.accuracy > limit {
      ledger.complain(
        .reasons, "told though it is known to \(told.fix.accuracy) m, and \(limit) are asked for", at: now)
    }
  }
}
