import Model
import Timebase

/// Who is faster than regions and people allow is told so, and only of a limit that holds there.
struct SpeedLimits: Judge {
  /// Kilometres an hour beyond what is allowed: the tolerance, and what a speed is wrong by.
  private static let excess = 5.0
  /// Seconds: standing, after which any alarm is over; and too fast, after which one is told.
  private static let known = (calm: 12.0, fast: 12.0)

  /// When it stood last, with every fix right: from there on it is known that no alarm is on.
  private var stood: Instant?
  /// The last alarm.
  private var told: Instant?
  /// Since when it is surely too fast.
  private var fastSince: Instant?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .told(.alarm, because: .tooFast(_, let limit, _)): judge(limit, world)
    case .second(let truth): look(truth, world)
    default: break
    }
  }

  private func limits(within metres: Double, _ place: Coordinate, _ world: World) -> [Int] {
    world.tracker?.knownRegions.compactMap { known in
      guard let limit = known.region.speedLimit, known.region.kind == .circular else { return nil }
      // Held down it is still inside.
      return known.presence.isWithin || known.region.distanceBeyondEdge(place) < metres ? limit : nil
    } ?? []
  }

  private mutating func judge(_ limit: Int, _ world: World) {
    told = world.now
    guard world.sound > 30 else { return }
    let places = [0.0, 5, 10].map { world.place(before: $0).coordinate }
    let allowed = places.flatMap { limits(within: 150 + world.noise, $0, world) }
    if !allowed.contains(limit), limit != world.configuration.journey.overspeed {
      world.complain(.truth, "too fast for \(limit) km/h, which is allowed nowhere here")
    }
  }

  private mutating func look(_ truth: Road.Position, _ world: World) {
    let (place, everywhere) = (truth.point.coordinate, world.configuration.journey.overspeed)
    let regions = world.tracker?.knownRegions ?? []
    guard everywhere > 0 || regions.contains(where: { $0.region.speedLimit != nil }), world.mayTell,
      let mode = world.evidence.mode.mode?.0, mode == .move || mode == .significant,
      world.receiver.ground.tellsSpeed, world.isReceiverOn, world.sound > Self.known.calm, world.noise == 0
    else {
      (stood, fastSince) = (nil, nil)
      return
    }
    if world.stands > Self.known.calm { stood = world.now }
    guard let stood else { return }
    let here = regions.filter {
      $0.presence.isWithin && $0.region.kind == .circular && $0.region.distanceBeyondEdge(place) < -25
    }
    let near = limits(within: 100, place, world)
    // Where another one may hold as well, which holds is not known.
    let limit =
      here.compactMap(\.region.speedLimit).min() ?? (everywhere > 0 && near.isEmpty ? everywhere : nil)
    guard let limit, truth.speed * 3.6 > Double(limit) + Self.excess else {
      fastSince = nil
      return
    }
    let since = fastSince ?? world.now
    fastSince = since
    guard world.seconds(since: since) > Self.known.fast, told.map({ $0 < stood }) ?? true else { return }
    self.stood = nil
    world.complain(
      .prompt, "\(Int(truth.speed * 3.6)) km/h where \(limit) are allowed, and no alarm is told")
  }
}
