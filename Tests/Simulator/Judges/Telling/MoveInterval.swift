import Model
import Timebase

/// `locatorInterval` after the last location of move mode the next fix is told; where there was none to tell, the first
/// one that comes.
struct MoveInterval: Judge {
  /// So long every fix has been right, and so much later a location may come, seconds.
  private static let (sound, slack) = (20.0, 20.0)

  /// Since when nothing has been in the way of a location of move mode.
  private var since: Instant?
  /// What people want, as it was counted by.
  private var wanted: (interval: Int, displacement: Int)?
  private var before: ModeState?

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .event: before = world.tracker?.mode
    // The mode is another one: the wait begins anew.
    case .handled: if let before, let mode = world.tracker?.mode, mode != before { begin() }
    case .second: look(world)
    default: break
    }
  }

  private mutating func begin() { (since, wanted) = (nil, nil) }

  private mutating func look(_ world: World) {
    let reports = world.configuration.reports
    guard world.mayTell, world.tracker?.mode.mode == .move, world.evidence.mode.mode?.0 == .move,
      reports.locatorInterval > 0, world.isReceiverOn
    else { return begin() }
    let now = (reports.locatorInterval, reports.locatorDisplacement)
    if wanted.map({ $0 != now }) ?? true { (wanted, since) = (now, world.now) }
    guard let since, world.sound > Self.sound, world.noise == 0, !world.receiver.haze.isNear(world.now)
    else { return }
    let waited = world.seconds(since: max(world.evidence.telling.reference?.at ?? since, since))
    guard waited > Double(reports.locatorInterval) + Self.slack else { return }
    world.complain(
      .prompt, "nothing told for \(Int(waited)) s, locatorInterval is \(reports.locatorInterval) s")
    begin()
  }
}
