import Model
import Timebase

/// What crosses the edge of a circle beyond doubt is told within seconds where it drives, and else within a minute.
struct PromptCrossings: Judge {
  /// After a start or a gap the first fixes tell what is so, seconds.
  static let start = 80.0
  /// So long it has to have driven before it counts as driving, and to be on one side before that is known, seconds.
  static let drive = 30.0
  private static let clear = 20.0
  /// A crossing is told so long after it is beyond doubt: of a vehicle that drives, where every fix is right, beside a
  /// second for each fix that has to confirm it; and of any other, as the one that is pushed. Seconds.
  private static let lateness = (driving: 1.5, others: 75.0)
  /// Where the receiver tells speeds and has no more noise than it says, who has surely set out is known to drive: what it
  /// crosses is told as quickly, give or take. Seconds.
  private static let departure = 2.0

  private struct Circle {
    var region: Region
    /// On which side it is, beyond doubt, and since when.
    var clear: (isInside: Bool, since: Instant)?
    /// The side that the tracker has to know.
    var known: Bool?
    /// Told since that was so.
    var told: Crossing?
    /// When it became another one, and how long that may take to be told, seconds.
    var crossed: (at: Instant, allowed: Double)?
    /// The same of who has only just set out.
    var isDueSince: Instant?
    /// It may have been learnt from a wrong place, until it is seen to cross.
    var isMisled: Bool
  }

  private var circles: [Circle] = []
  /// What the circles were taken from.
  private var breaks = -1

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .told(.transition(let told), because: _)
    where told.region.kind == .circular && !told.region.isFollow:
      for index in circles.indices where circles[index].region.rid == told.region.rid {
        circles[index].told = told.crossing
      }
    case .second(let truth): look(truth, world)
    default: break
    }
  }

  private mutating func look(_ truth: Road.Position, _ world: World) {
    guard let tracker = world.working, !world.isBlind, world.isReceiverOn, tracker.mode.mode != .quiet,
      !world.isVeiled, !world.receiver.haze.isNear(world.now), world.silence < 2, world.heard > Self.start
    else {
      (circles, breaks) = ([], -1)
      return
    }
    if breaks != world.ledger.breaks.count {
      breaks = world.ledger.breaks.count
      circles = tracker.knownRegions.map(\.region).filter {
        $0.kind == .circular && $0.isMonitored && !$0.isFollow
      }.map { Circle(region: $0, isMisled: world.ledger.isMisled(about: $0.rid)) }
    }
    let place = truth.point.coordinate
    let hasDeparted = world.evidence.motion.hasDeparted(to: truth.point) && isPlain(world)
    circles = circles.map {
      var circle = $0
      look(&circle, place, world)
      lookAtDeparture(&circle, hasDeparted, world)
      return circle
    }
  }

  private func look(_ circle: inout Circle, _ place: Coordinate, _ world: World) {
    let (region, now, motion) = (circle.region, world.now, world.evidence.motion)
    guard let isInside = side(of: region, place, world) else {
      (circle.clear, circle.crossed) = (nil, nil)
      return
    }
    let wait = Self.wait(of: region, isInside ? .enter : .leave, world)
    if circle.clear?.isInside != isInside {
      if circle.isMisled, circle.clear != nil { circle.isMisled = false }
      circle.clear = (isInside, now)
    }
    // Fixes that were wrong meanwhile confirm nothing.
    circle.crossed = circle.crossed.map { ($0.at, max($0.allowed, lateness(world))) }
    if let crossed = circle.crossed, now > crossed.at + .seconds(crossed.allowed + wait) {
      circle.crossed = nil
      let event: Crossing = isInside ? .enter : .leave
      if circle.told != event { world.complain(.prompt, "\(event) of \(region.name) is not told yet") }
      (circle.known, circle.told) = (isInside, nil)
      return
    }
    if circle.known == isInside {
      circle.crossed = nil
    } else if circle.known != nil {
      circle.crossed = circle.crossed ?? (now, lateness(world))
    } else if !circle.isMisled, motion.drivesSince != nil, world.drives > motion.patience(at: now),
      world.seconds(since: circle.clear?.since) > Self.clear + wait
    {
      (circle.known, circle.told) = (isInside, nil)
    }
  }

  /// Every fix has been right since long before it set out.
  private func isPlain(_ world: World) -> Bool {
    guard world.receiver.ground.tellsSpeed, let sound = world.receiver.soundSince,
      let quiet = world.evidence.motion.quietSince, let drives = world.evidence.motion.drivesSince
    else { return false }
    return (drives - max(sound, quiet)).seconds > Motion.departure.stood
  }

  /// What is crossed beyond doubt by who has just set out.
  private func lookAtDeparture(_ circle: inout Circle, _ hasDeparted: Bool, _ world: World) {
    guard hasDeparted, circle.crossed != nil, let isInside = circle.clear?.isInside, !circle.isMisled else {
      circle.isDueSince = nil
      return
    }
    let since = circle.isDueSince ?? world.now
    circle.isDueSince = since
    let event: Crossing = isInside ? .enter : .leave
    let confirm = Double(world.configuration.regions.confirm)
    let allowed = Self.departure + confirm + Self.wait(of: circle.region, event, world)
    guard world.seconds(since: since) > allowed, circle.told != event else { return }
    (circle.isDueSince, circle.crossed, circle.known, circle.told) = (nil, nil, isInside, nil)
    world.complain(
      .prompt, "\(event) of \(circle.region.name) is not told yet, \(allowed) s after it set out")
  }

  /// Of a crossing, as the last half minute was.
  private func lateness(_ world: World) -> Double {
    world.drives > Self.drive && world.sound > Self.drive
      ? Self.lateness.driving + Double(world.configuration.regions.confirm) : Self.lateness.others
  }

  private func side(of region: Region, _ place: Coordinate, _ world: World) -> Bool? {
    let reach = world.receiver.ground.reach
    let doubt = 14 + (world.evidence.motion.standsSince == nil ? reach.driving : reach.standing)
    let beyond = region.coordinate.distance(to: place) - region.radius
    if beyond < -doubt { return true }
    return beyond > doubt + 18 ? false : nil
  }

  /// Seconds that people let a crossing wait.
  static func wait(of region: Region, _ crossing: Crossing, _ world: World) -> Double {
    world.hold(of: region) + (crossing == .enter ? Double(region.dwell ?? 0) : 0)
  }
}
