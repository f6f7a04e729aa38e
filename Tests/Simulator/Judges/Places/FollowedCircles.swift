import Core
import Model
import Timebase

/// Who leaves a circle that goes along is told where that is, as soon as there is a fix good enough to tell.
struct FollowedCircles: Judge {
  /// Metres beyond the edge where every fix is outside.
  private static let beyond = 60.0
  /// Seconds in which some fix is good enough: about every second one is.
  private static let patience = 60.0

  /// A place was told in this life, around which the circles lie, and nothing but vague fixes holds back the next.
  private var life: Int?
  private var isToldNow = false
  /// Since when it surely is outside of each, by rid.
  private var outside: [String: Instant] = [:]

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .told(.location, because: _): (isToldNow, outside) = (true, [:])
    case .withheld(let reason): if reason.isNobodysToBeTold { self = Self() }
    case .second(let truth): look(truth.point.coordinate, world)
    default: break
    }
  }

  private mutating func look(_ place: Coordinate, _ world: World) {
    guard let tracker = world.working, !world.isVeiled,
      [.significant, .manual].contains(tracker.mode.mode), world.isReceiverOn,
      world.board.clock.isSynchronised
    else {
      self = Self()
      return
    }
    // Nothing is known before a place was told.
    if isToldNow { (life, isToldNow) = (world.life, false) }
    guard life == world.life else { return }
    let limit = Double(world.configuration.reports.ignoreInaccurateLocations)
    let isPlain = world.receiver.ground.tellsAccuracy || limit == 0
    // A receiver that stands in noise may claim to be too vague for hours.
    let isAnyGood = world.evidence.fixes.heard.count { limit == 0 || $0.accuracy <= limit } > 1
    let isKnown =
      isPlain && isAnyGood && world.sound > Self.patience && !world.receiver.haze.isNear(world.now)
    for known in tracker.knownRegions where known.region.isFollow && known.region.radius > 0 {
      guard known.region.kind == .circular else { continue }
      let metres = known.region.coordinate.distance(to: place) - known.region.radius
      let rid = known.region.rid
      outside[rid] = isKnown && metres > Self.beyond + world.noise ? outside[rid] ?? world.now : nil
      let seconds = world.seconds(since: outside[rid])
      guard seconds > Self.patience else { continue }
      world.complain(
        .prompt, "\(known.region.name) was left \(Int(seconds)) s ago, \(Int(metres)) m, and nothing is told")
      self = Self()
    }
  }
}

extension Reason {
  /// It was not to be told, and is not told later.
  var isNobodysToBeTold: Bool {
    switch self {
    case .modeIsQuiet, .followInMove, .insidePrivateRegion, .offline, .noIdentity, .clockUntrusted: true
    default: false
    }
  }
}
