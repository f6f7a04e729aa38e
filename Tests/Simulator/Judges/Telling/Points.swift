import Model
import Timebase

/// No drive goes on for longer without a point than people have set, and none goes on at another speed.
struct Points: Judge {
  /// Metres, beside what the vehicle drives in some seconds: a fix comes late, and no two points share one second.
  private static let slack = (metres: 40.0, seconds: 4.0)
  /// Seconds.
  private static let known = 30.0
  /// So far from the last point a change of speed is another manoeuvre, metres, as far as fixes tell.
  private static let manoeuvre = 45.0
  /// What a speed may be wrong by, kilometres an hour.
  private static let doubt = 3.0

  /// After how many metres a point is asked for, and since when.
  private var wanted: (metres: Int, since: Instant)?
  /// Since when it has gone at another speed than at the last point, by more than a point is asked for.
  private var changedSince: Instant?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .second(let truth):
      let reference = known(world)
      judgeChangesOfSpeed(truth, reference, world)
      judgeDistance(truth, reference, world)
    default: break
    }
  }

  /// The last point, where every fix has been right since long before it; nil: that is not known.
  private func known(_ world: World) -> (fix: Fix, at: Instant)? {
    let telling = world.evidence.telling
    guard world.mayTell, let mode = world.evidence.mode.mode, world.tracker?.mode.mode == mode.0,
      world.seconds(since: mode.since) > Self.known, world.sound > Self.known, world.heard > Self.known,
      !world.receiver.haze.isNear(world.now), world.receiver.ground.tellsSpeed, !telling.isTrackLost,
      !telling.isClockSet
    else { return nil }
    return telling.reference
  }

  /// How far the vehicle has come from the last point.
  private mutating func judgeDistance(
    _ truth: Road.Position, _ reference: (fix: Fix, at: Instant)?, _ world: World
  ) {
    guard let reference, world.drives > Self.known,
      let metres = wantedDistance(world, waited: world.seconds(since: reference.at))
    else { return }
    // People may have asked for less a moment ago.
    if wanted?.metres != metres { wanted = (metres, world.now) }
    guard world.seconds(since: wanted?.since) > Self.slack.seconds else { return }
    let away = reference.fix.coordinate.distance(to: truth.point.coordinate)
    let most = Double(metres) + Self.slack.metres + Self.slack.seconds * truth.speed
    if away > most + world.receiver.ground.reach.driving {
      world.complain(.points, "\(Int(away)) m from the last point, \(metres) m are asked for")
    }
  }

  /// How much faster or slower it goes than at the last point.
  private mutating func judgeChangesOfSpeed(
    _ truth: Road.Position, _ reference: (fix: Fix, at: Instant)?, _ world: World
  ) {
    let adaptive = world.configuration.adaptive
    guard let reference, adaptive.isOn, world.tracker?.mode.mode == .move, world.isReceiverOn,
      world.noise == 0, let before = reference.fix.speed,
      reference.fix.coordinate.distance(to: truth.point.coordinate) > Self.manoeuvre,
      (truth.speed - before).magnitude * 3.6 > Double(adaptive.speed) + Self.doubt
    else {
      changedSince = nil
      return
    }
    let since = changedSince ?? world.now
    changedSince = since
    guard world.seconds(since: since) > Self.slack.seconds else { return }
    changedSince = nil
    let speeds = "\(Int(truth.speed * 3.6)) km/h, \(Int(before * 3.6)) at the last point"
    world.complain(.points, "\(speeds), \(adaptive.speed) km/h are asked for")
  }

  /// After which a point is due now, metres; nil: none is.
  private func wantedDistance(_ world: World, waited: Double) -> Int? {
    let (reports, adaptive) = (world.configuration.reports, world.configuration.adaptive)
    switch world.tracker?.mode.mode {
    case .move: return adaptive.isOn ? adaptive.distance : reports.locatorDisplacement
    case .significant:
      // Of a window the best fix is told, and that may lie far behind.
      let isDue = waited > Double(reports.significantInterval) + Self.slack.seconds
      return isDue && reports.significantWindow == 0 ? reports.significantDisplacement : nil
    case .manual, .quiet, nil: return nil
    }
  }
}
