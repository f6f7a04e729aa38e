import Model
import Timebase

/// What was seen so far that several judges go by. Each part holds what one subject is known to be.
final class Evidence {
  var telling = Telling()
  var fixes = RecentFixes()
  var packets = LastHeard()
  var motion = Motion()
  var mode = ModeInForce()
  var battery = VehicleBattery()
  var veil = Veil()
  var choosing = ChoosingWindow()
  var overflow = Overflow()

  /// Before the judges look at it.
  func saw(_ what: Seen, in world: World) {
    let now = world.now
    switch what {
    case .started:
      (fixes, mode, battery, choosing) = (RecentFixes(), ModeInForce(), VehicleBattery(), ChoosingWindow())
      packets.newLife()
    case .begun, .tookUp: telling = Telling()
    case .event(let event):
      telling.heard(event, world.tracker)
      battery.heard(event, in: world)
    case .heard(let reading):
      fixes.hear(reading, at: BoardClock.truth(now))
      choosing.hear(reading)
    case .sighted(let sighting): packets.note(sighting, at: now)
    // A place that is not believed is none to choose.
    case .withheld(.implausibleJump): choosing.refuse()
    case .withheld(.choosing): choosing.begin(ping: world.configuration.reports.ping, at: now)
    // The last place that the tracker knows may be an old one.
    case .withheld(.insidePrivateRegion): veil.lastNear = now
    case .second(let truth):
      motion.hears(noise: world.noise, at: now)
      veil.look(truth, in: world)
      mode.look(in: world)
      if world.isMeasured, world.working != nil, !world.isBlind {
        battery.look(world.configuration.power, at: now)
      }
      overflow.look(in: world)
    // It may change back within a second.
    case .handled:
      mode.look(in: world)
      // No second ends after the receiver has fallen silent.
      overflow.look(in: world)
    case .gone: overflow.look(in: world)
    default: break
    }
  }

  /// When they have.
  func judged(_ what: Seen, in world: World) {
    switch what {
    case .told(.location(let told), because: let reason?):
      telling.told(told, because: reason, at: world.now)
    case .told(.transition(let told), because: .beaconLost),
      .told(.transition(let told), because: .beaconFar):
      packets.left(told.region.rid, at: world.now)
    case .withheld(let reason): telling.withheld(reason)
    default: break
    }
  }
}

/// The mode that is in force, since when, and since when it is one that pings.
struct ModeInForce {
  /// What the timers of the mode count by.
  struct Timing {
    var ping, interval, displacement: Int

    init(_ reports: Configuration.Reports) {
      (ping, interval, displacement) = (
        reports.ping, reports.locatorInterval, reports.locatorDisplacement
      )
    }
  }

  private(set) var mode: (MonitoringMode, since: Instant)?
  private(set) var pingsSince: Instant?
  /// Since when the interval of move mode has been counted; another distance begins it anew as well.
  private(set) var intervalSince: Instant?
  private var counted: Timing?

  func isSo(since: Instant) -> Bool { mode.map { $0.since < since } ?? false }

  fileprivate mutating func look(in world: World) {
    guard let tracker = world.tracker, world.process.isRunning, !world.process.isStopping, !world.isVeiled
    else {
      (mode, pingsSince, intervalSince) = (nil, nil, nil)
      return
    }
    look(tracker.mode.mode, Timing(world.configuration.reports), at: world.now)
  }

  mutating func look(_ mode: MonitoringMode, _ timing: Timing, at now: Instant) {
    if self.mode?.0 != mode { (self.mode, intervalSince) = ((mode, now), nil) }
    let isPinging = mode == .move || mode == .significant
    if counted?.ping != timing.ping || counted?.interval != timing.interval || !isPinging { pingsSince = nil }
    if counted?.interval != timing.interval || counted?.displacement != timing.displacement {
      intervalSince = nil
    }
    counted = timing
    if isPinging { pingsSince = pingsSince ?? now }
    if mode == .move { intervalSince = intervalSince ?? now }
  }
}

/// The window in which the tracker looks for a better fix than the one that was due.
struct ChoosingWindow {
  /// When it began, and how accurate each fix has been since, metres.
  private(set) var open: (since: Instant, accuracies: [Double])?
  /// Minutes between signs of life when it began; what is set since counts from then on.
  private(set) var ping: Int?
  /// Of the last fix.
  private var last: WallTime?
  /// It is the newest of those to choose from.
  private var isLastOpen = false

  /// What comes behind a newer one is none to choose from.
  mutating func hear(_ reading: Reading) {
    isLastOpen = false
    guard reading.mode >= 2, let accuracy = reading.eph, let time = reading.time,
      last.map({ $0 < time }) ?? true
    else { return }
    last = time
    guard open != nil else { return }
    open?.accuracies.append(accuracy)
    isLastOpen = true
  }

  /// The tracker does not believe what it was told last.
  mutating func refuse() {
    if isLastOpen { _ = open?.accuracies.popLast() }
    isLastOpen = false
  }

  mutating func begin(ping: Int, at now: Instant) { if open == nil { (open, self.ping) = ((now, []), ping) } }
  mutating func end() { (open, ping, isLastOpen) = (nil, nil, false) }
}

/// What a full queue has cost, by the tracker's own count.
struct Overflow {
  /// As it was a second ago.
  private var seen = 0
  /// As it was counted last.
  private var counted = 0

  mutating func begin(_ dropped: Int) { (seen, counted) = (dropped, dropped) }

  /// How many more.
  mutating func count(_ dropped: Int) -> Int {
    defer { counted = dropped }
    return max(0, dropped - counted)
  }

  /// It takes many locations, and never the newest.
  fileprivate mutating func look(in world: World) {
    guard world.tracker != nil, world.process.takingUp == nil, let dropped = world.queue?.dropped else {
      return
    }
    defer { seen = dropped }
    guard dropped > seen else { return }
    let newest = world.ledger.made.lastIndex { !$0.isEvent && $0.life == world.life }
    let isPlace = newest.map { world.ledger.made[$0].isPlace } ?? false
    world.ledger.losses.newestOfOverflow = isPlace ? newest : nil
  }
}
