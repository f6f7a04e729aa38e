import Core
import Model
import Timebase

/// A board that has woken by itself to check in is switched off again in time: with a place and with nothing left to tell,
/// or at the limit. Whoever drives keeps it on. And what was to sleep knows of it at its next start.
struct CheckIns: Judge {
  /// Seconds: of stores that take their time, and of wake-ups.
  private static let slack = 130.0

  /// The board was asked for with an alarm, and the disk takes what it is given.
  private var isSleepOwed = false
  /// The sleep that this life began with, as the disk had it.
  private var sleep: Sleep?
  private var wasDriven = false
  private var hasPlace = false

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: (sleep, wasDriven, hasPlace) = (nil, false, false)
    case .opened(_, let snapshot):
      sleep = snapshot.sleep
      if isSleepOwed, snapshot.sleep == nil, !world.hasFlipped {
        world.complain(.checkIn, "switched off with an alarm, and the disk knows nothing of it")
      }
      isSleepOwed = false
    case .tookUp: isSleepOwed = false
    case .heard(let reading): if reading.mode >= 2 { hasPlace = true }
    case .second: look(world)
    case .halts(nil): isSleepOwed = false
    case .halts(let cause?): judge(cause, world)
    default: break
    }
  }

  private mutating func look(_ world: World) {
    if world.isWired, world.board.ignition { wasDriven = true }
    guard let tracker = world.working, tracker.status(at: world.moment).vehicle.isCheckingIn else { return }
    let limit = Double(world.configuration.power.parkedWakeLimit) + Self.slack
    if world.age > limit, !wasDriven, !tracker.status(at: world.moment).vehicle.isHalting {
      world.complain(
        .checkIn, "checks in for \(Int(world.age)) s, of \(world.configuration.power.parkedWakeLimit)")
    }
  }

  private mutating func judge(_ cause: HaltCause, _ world: World) {
    isSleepOwed =
      world.configuration.power.parkedWake > 0 && world.board.alarm != nil && !world.isBlind
      && world.process.desk?.isFailing == false
    if cause == .ordered, world.isWired, world.board.ignition {
      world.complain(.checkIn, "parks by an order, and the ignition is on")
    }
    guard case .checkedIn(let missed) = cause else { return }
    // A store that came late is not shown.
    if sleep == nil, !world.isBlind { world.complain(.checkIn, "a check-in is over, and nobody was asleep") }
    if world.isWired, world.board.ignition {
      world.complain(.checkIn, "a check-in is over, and the ignition is on")
    }
    if missed == nil, !hasPlace { world.complain(.checkIn, "checked in, and the receiver has told no place") }
    guard let queue = world.tracker?.status(at: world.moment).queue else { return }
    if missed == nil, queue.count > queue.waitingOld {
      world.complain(.checkIn, "checked in, and \(queue.count - queue.waitingOld) messages wait")
    }
  }
}
