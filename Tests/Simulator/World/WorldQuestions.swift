import Core
import Model
import Timebase

/// What judges ask of the world again and again.
extension World {
  var tracker: LivingTracker? { process.tracker }
  /// Inlined: callers read one value of it, and a copy of the whole each time is a twentieth of what a world takes.
  @inline(__always) var configuration: Configuration { process.configuration }
  var life: Int { process.life }
  var isCalm: Bool { phases.isCalm }

  func complain(_ promise: Promise, _ text: String) { ledger.complain(promise, text, at: now) }
  /// Of how the board connects, if there is anything to say.
  func complain(_ text: String?) { if let text { complain(.connecting, text) } }

  /// The tracker of a process that has nothing else to do than to track; nil: there is none.
  var working: LivingTracker? {
    process.isRunning && !process.isStopping && process.takingUp == nil ? tracker : nil
  }
  /// The tracker of a process that goes on.
  var living: LivingTracker? { process.isRunning && !process.isStopping ? tracker : nil }
  var isDiskWell: Bool { process.desk?.isSettled == true && queue?.isStoreFailing == false }
  var moment: Moment { board.clock.moment(at: now) }
  /// What the board's monotonic clock shows.
  var boardTime: Instant { board.clock.instant(at: now) }
  /// Of the tracker that there is.
  var queue: QueueStatus? { tracker?.status(at: moment).queue }
  /// Nothing waits for the disk, or for the tracker.
  var isSettled: Bool {
    process.takingUp == nil && isDiskWell && ledger.disk.isSettled && process.inbox.isEmpty
  }

  /// The disk's faults are not for a question that no process asks.
  func asking<Answer>(_ question: () -> Answer) -> Answer {
    let fault = card.disk.fault
    card.disk.fault = .none
    defer { card.disk.fault = fault }
    return question()
  }

  // MARK: For how long, in seconds; less than nothing: not at all

  func seconds(since instant: Instant?) -> Double { instant.map { (now - $0).seconds } ?? -1 }
  /// Since the world began, since its last fault, and since this process began.
  var second: Double { (now - .zero).seconds }
  var calm: Double { seconds(since: ledger.calmSince) }
  var age: Double { seconds(since: ledger.lives.began(life)) }
  /// Every fix has been right and in time.
  var sound: Double { seconds(since: receiver.soundSince) }
  /// Fixes whose time can be believed have come without a pause, and the last one was heard so long ago.
  var heard: Double { seconds(since: receiver.heard?.since) }
  var silence: Double { receiver.heard.map { (now - $0.last).seconds } ?? .infinity }
  var stands: Double { seconds(since: evidence.motion.standsSince) }
  var drives: Double { seconds(since: evidence.motion.drivesSince) }
  /// The receiver is not in noise, in which a vehicle that stands seems to move.
  var quiet: Double { seconds(since: evidence.motion.quietSince) }

  // MARK: How it is

  /// Metres that a place of a vehicle that stands may be off, beside what it claims.
  var noise: Double { receiver.ground.reach.standing }
  /// The receiver does not rest between looks, and is never off.
  var isReceiverOn: Bool { configuration.receiver.dutyCycle == 0 && !mayStepDown }
  /// The board does without things where a battery runs down.
  var mayStepDown: Bool { !configuration.power.batterySteps.text.isEmpty }
  /// This process began without its store.
  var isBlind: Bool { ledger.lives.blind.contains(life) }
  var hasFlipped: Bool { ledger.counts[Fault.bitFlipped.rawValue] > 0 }
  /// Its username and a port: without, nobody is told anything.
  var isAddressed: Bool { configuration.broker.port != 0 && !configuration.identity.username.isEmpty }
  /// Nothing that people have set keeps a location back.
  var mayTell: Bool {
    working != nil && !isVeiled && board.clock.isSynchronised && isAddressed
      && configuration.reports.ignoreInaccurateLocations == 0 && !isBlind
  }
  /// Whether nothing but the truth can be known: a board without a clock has to believe what a receiver insists on.
  var isTimeKnown: Bool { board.clock.isSynchronised || !receiver.time.hasLied }

  /// Where the vehicle was so many seconds ago.
  func place(before seconds: Double = 0) -> Point { road.position(at: second - seconds).point }
  func hold(of region: Region) -> Double { region.isHoldDown ? Double(configuration.regions.holdDown) : 0 }
}
