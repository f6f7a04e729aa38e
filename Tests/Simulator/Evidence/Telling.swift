import Core
import Model
import Timebase

/// What the process was just told, and what it published before.
struct Telling {
  /// The event that is being handled.
  private(set) var event: Event?
  private(set) var reading: Reading?
  private(set) var modeBefore = MonitoringMode.significant
  /// The newest entry of the journal then.
  private var entryBefore: UInt64 = 0
  private var coming: [Reason] = []
  /// The last published location that was no ping.
  private(set) var reference: (fix: Fix, at: Instant)?
  private(set) var lastPublish: Instant?
  /// Where the fix was lost, as it was told last, and when; the place is known until another one is told.
  private(set) var lost: Fix?
  private(set) var lostAt: Instant?
  /// The receiver had only begun to see when the broker was reached.
  private(set) var isConnectionOwed = false
  /// Somebody says what is to be: places and regions may be others after it.
  var isOfOrder: Bool { event?.isOfOrder ?? false }
  /// The `tst` of every location.
  private(set) var times: Set<Int> = []
  /// The tracker has found out that its clock was wrong: its track begins anew.
  private(set) var isClockSet = false
  private(set) var isTrackLost = false
  /// Of the last reading, seconds.
  private var latest: Double?
  /// Something crossed in this event: its name may have switched the mode.
  private(set) var hasSwitched = false

  mutating func heard(_ event: Event, _ tracker: LivingTracker?) {
    self.event = event
    hasSwitched = false
    reading = if case .reading(let reading) = event { reading } else { nil }
    // What was heard before it and claims to be later may have been taken back, with nothing told of it.
    if let time = reading?.time?.seconds {
      if let latest, time < latest { isClockSet = true }
      latest = time
    }
    if let tracker {
      (modeBefore, entryBefore) = (tracker.mode.mode, tracker.journal.entries.last?.number ?? 0)
    }
  }

  /// The mode was in force for a moment in this event: each location that is told may change it.
  func hasPassed(_ mode: MonitoringMode, _ tracker: LivingTracker?) -> Bool {
    let entries = tracker?.journal.entries.reversed().prefix { $0.number > entryBefore } ?? []
    return entries.contains { if case .modeChanged(_, mode, _) = $0.reason { true } else { false } }
  }

  /// The reasons of the publishes among these, in order.
  mutating func decided(_ effects: [Effect], _ tracker: LivingTracker?) {
    hasSwitched =
      hasSwitched || effects.contains { if case .published(.transition, _) = $0 { true } else { false } }
    let count = effects.count {
      switch $0 {
      // Distances come every second: the journal counts them in one entry.
      case .published(.beacon, _): false
      case .published: true
      default: false
      }
    }
    guard count > 0, let tracker else { return }
    let entries = tracker.journal.entries.filter { $0.isPublished && !$0.reason.isRanging }
    coming += entries.suffix(count).map(\.reason)
  }

  mutating func nextReason() -> Reason? { coming.isEmpty ? nil : coming.removeFirst() }

  mutating func withheld(_ reason: Reason) {
    switch reason {
    // A publish that went nowhere moved what distances are measured from.
    case .offline: (reference, lost, lastPublish, times, isTrackLost) = (nil, nil, nil, [], true)
    case .clockWasWrong: isClockSet = true
    case .settling: if case .brokerConnected = event { isConnectionOwed = true }
    default: break
    }
  }

  mutating func told(_ report: LocationReport, because reason: Reason, at now: Instant) {
    lastPublish = now
    times.insert(report.time.wholeSeconds)
    isConnectionOwed = false
    if case .fixLost = reason {
      (lost, lostAt) = (report.fix, now)
    } else if report.trigger != .ping {
      (isTrackLost, isClockSet) = (false, false)
      (reference, lost) = ((report.fix, now), nil)
    }
  }
}

extension Event {
  /// Somebody says what is to be.
  var isOfOrder: Bool {
    switch self {
    case .control, .asked, .configured, .commanded: true
    default: false
    }
  }
}

extension Reason {
  fileprivate var isRanging: Bool { if case .ranged = self { true } else { false } }
}
