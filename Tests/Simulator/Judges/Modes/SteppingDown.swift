import Core
import Model
import Timebase

/// As far as a battery has been low for a minute the board steps down, and no further; each step is told as it comes, and
/// a receiver that is off looks only where somebody asks.
struct SteppingDown: Judge {
  /// Seconds: a level counts that has lasted, at a check-in less; a look that somebody has asked for; the store of a start.
  private static let (lasting, atCheckIn, look, storeSlack) = (60.0, 10.0, 62.0, 130.0)

  private var before: BatteryStep?
  /// Of the step that it is now, since when; and when somebody has asked for a look.
  private var since: Instant?
  private var asked: Instant?
  private var isTold = false
  /// Since when the board's own battery has been below this and not charged, percent: the lowest limit comes first.
  private var low: [(limit: BatteryLimits.Limit, since: Instant)] = []

  mutating func saw(_ what: Seen, in world: World) {
    guard world.mayStepDown else { return }
    switch what {
    case .started: self = Self()
    case .begun, .tookUp: (before, since) = (step(world), world.now)
    case .event(let event):
      isTold = false
      heard(event, world)
    case .told(.location, because: .batteryStep): isTold = true
    case .withheld: isTold = true
    case .handled: compare(world)
    case .second: look(world)
    default: break
    }
  }

  private func step(_ world: World) -> BatteryStep? {
    world.tracker?.status(at: world.moment).vehicle.step?.step
  }

  private mutating func heard(_ event: Event, _ world: World) {
    switch event {
    case .control(.publish, _, _), .commanded: asked = world.now
    case .batteryChanged(let battery):
      let limits = world.configuration.power.batterySteps.value?.limits.filter { $0.source == .board } ?? []
      let below = limits.filter { limit in
        battery.map { !$0.isCharging && Double($0.level) < limit.level } ?? false
      }
      low = below.map { limit in (limit, low.first { $0.limit == limit }?.since ?? world.now) }
    default: break
    }
  }

  private mutating func compare(_ world: World) {
    guard let tracker = world.living else { return }
    let now = step(world)
    guard now != before else { return }
    if !isTold { world.complain(.steps, "\(before?.word ?? "none") became \(now?.word ?? "none"), untold") }
    if tracker.journal.entries.last(where: { if case .batteryStep = $0.reason { true } else { false } })
      == nil
    {
      world.complain(.steps, "\(now?.word ?? "none") has no reason")
    }
    judgeFall(to: now, tracker.status(at: world.moment).vehicle, world)
    (before, since) = (now, world.now)
  }

  /// Only where nothing but the board's own battery can be the cause.
  private func judgeFall(to now: BatteryStep?, _ vehicle: VehicleStatus, _ world: World) {
    let limits = world.configuration.power.batterySteps.value?.limits ?? []
    guard let now, now > (before ?? .receiver) || before == nil, limits.allSatisfy({ $0.source == .board })
    else { return }
    let needed = vehicle.isCheckingIn ? Self.atCheckIn : Self.lasting
    let lasted = low.filter { $0.limit.step >= now }.map { world.seconds(since: $0.since) }.max()
    if (lasted ?? 0) < needed - 0.1 {
      world.complain(.steps, "\(now.word) after \(lasted ?? 0) s of a low battery")
    }
  }

  private mutating func look(_ world: World) {
    guard let tracker = world.working, !world.isBlind else { return }
    let status = tracker.status(at: world.moment)
    let vehicle = status.vehicle
    // A call for help wants the receiver on; what comes after it is a look.
    if status.journey.sos != nil { asked = world.now }
    let due = low.last { world.seconds(since: $0.since) > Self.lasting + 2 }
    if let due, (vehicle.step?.step ?? .receiver) < due.limit.step, world.age > Self.lasting + Self.storeSlack
    {
      world.complain(.steps, "\(vehicle.step?.step?.word ?? "none"), and \(due.limit.step.word) is due")
      low = []
    }
    guard vehicle.step?.step == .beacons, world.receiver.isAwake, !vehicle.isCheckingIn,
      world.seconds(since: since) > 2, world.age > 2
    else { return }
    if asked.map({ world.seconds(since: $0) > Self.look }) ?? true {
      world.complain(.steps, "the receiver is on at beacons, and nobody has asked")
    }
  }
}
