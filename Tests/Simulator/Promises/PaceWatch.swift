import Core
import Model
import Timebase

/// How fast the vehicle truly goes against what its regions and people allow. Kept by the world, one for each life of the
/// process.
struct PaceWatch {
  /// When it stood last, with every fix right: from there on it is known that no alarm is on.
  fileprivate var stood: Instant?
  /// The last alarm.
  fileprivate var told: Instant?
  /// Since when it is surely too fast.
  fileprivate var fastSince: Instant?
  /// After how many metres a point is asked for, and since when.
  var wanted: (metres: Int, since: Instant)?
  /// Since when it has gone at another speed than at the last point, by more than a point is asked for.
  var changedSince: Instant?

  /// Kilometres an hour beyond what is allowed: the tolerance, and what a speed is wrong by.
  fileprivate static let excess = 5.0
  /// Seconds: standing, after which any alarm is over; and too fast, after which one is told.
  fileprivate static let known = (calm: 12.0, fast: 12.0)
}

extension World {
  private func limits(within metres: Double, _ place: Coordinate) -> [Int] {
    tracker?.knownRegions.compactMap { known in
      guard let limit = known.region.speedLimit, known.region.kind == .circular else { return nil }
      // Held down it is still inside.
      return known.presence.isWithin || known.region.distanceBeyondEdge(place) < metres ? limit : nil
    } ?? []
  }

  /// An alarm is of a limit that holds there.
  func judge(limitOf report: Report, because reason: Reason?) {
    guard case .alarm = report, case .tooFast(_, let limit, _) = reason else { return }
    pace.told = now
    guard let sound = receiver.soundSince, (now - sound).seconds > 30 else { return }
    let seconds = Span(nanoseconds: now.nanoseconds).seconds
    let reach = 150 + receiver.ground.reach.standing
    let places = [0.0, 5, 10].map { road.position(at: seconds - $0).point.coordinate }
    let limits = places.flatMap { self.limits(within: reach, $0) } + [configuration.journey.overspeed]
    if !limits.contains(limit) {
      ledger.complain(.truth, "too fast for \(limit) km/h, which is allowed nowhere here", at: now)
    }
  }

  /// Once a second.
  func judgePace(_ truth: Road.Position) {
    guard
      configuration.journey.overspeed > 0
        || tracker?.knownRegions.contains(where: { $0.region.speedLimit != nil }) == true,
      mayTell, let mode = upkeep.inForce, mode.0 == .move || mode.0 == .significant,
      receiver.ground.tellsSpeed, configuration.receiver.dutyCycle == 0, let sound = receiver.soundSince,
      (now - sound).seconds > PaceWatch.known.calm, receiver.ground.reach.standing == 0
    else {
      (pace.stood, pace.fastSince) = (nil, nil)
      return
    }
    if let stands = watch.standsSince, (now - stands).seconds > PaceWatch.known.calm { pace.stood = now }
    guard let stood = pace.stood else { return }
    let here =
      tracker?.knownRegions.filter {
        $0.presence.isWithin && $0.region.kind == .circular
          && $0.region.distanceBeyondEdge(truth.point.coordinate) < -25
      }.compactMap(\.region.speedLimit) ?? []
    let everywhere = configuration.journey.overspeed
    let near = limits(within: 100, truth.point.coordinate)
    // Where another one may hold as well, which holds is not known.
    let limit = here.min() ?? (everywhere > 0 && near.isEmpty ? everywhere : nil)
    guard let limit, truth.speed * 3.6 > Double(limit) + PaceWatch.excess else {
      pace.fastSince = nil
      return
    }
    let since = pace.fastSince ?? now
    pace.fastSince = since
    guard (now - since).seconds > PaceWatch.known.fast, pace.told.map({ $0 < stood }) ?? true else { return }
    pace.stood = nil
    let speed = Int(truth.speed * 3.6)
    ledger.complain(.prompt, "\(speed) km/h where \(limit) are allowed, and no alarm is told", at: now)
  }
}
