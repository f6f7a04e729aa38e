import Core
import Model
import Timebase

/// What happened, written down by the world and not by the tracker: the judges hold it against what
/// reached the broker.
struct Ledger {
  var made: [Made] = []
  var deliveries: [Delivery] = []
  var breaks: [Break] = []
  var lives = Lives()
  var passing = Passing()
  var losses = Losses()
  var fixes = WrongFixes()
  var old = OldRecord()
  var disk = DiskRecord()
  /// Of messages, by their bytes.
  private var contents = Contents()
  /// By `Fault`.
  var counts = [Int](repeating: 0, count: Fault.allCases.count)
  var complaints: [Complaint] = []
  /// Seconds of the world in which the board may have been inside of a private region.
  var veiled: Set<Int> = []
  /// Regions that the store has, by rid, as far as it said so.
  var regions: Set<String> = []
  /// When the last fault struck or was repaired.
  var calmSince: Instant?
  var ended = Instant.zero
  var final: Final?

  mutating func note(_ fault: Fault) { counts[fault.rawValue] += 1 }

  mutating func note(breakOf rid: String?, at now: Instant) {
    breaks.append(Break(made: made.count, at: now, rid: rid, isMisled: fixes.isMisled))
  }

  /// Crossings may have happened of which nobody was told.
  mutating func hidden(at now: Instant) {
    if let last = breaks.last, last.made == made.count, last.rid == nil {
      breaks[breaks.count - 1].at = now
    } else {
      breaks.append(Break(made: made.count, at: now, rid: nil, isMisled: false))
    }
  }

  func isVeiled(from: Double, to: Double) -> Bool {
    !veiled.isEmpty && from <= to && (Int(from)...Int(to)).contains(where: veiled.contains)
  }

  /// Whether it learnt from a wrong place where it is to this region, and has told no crossing between that and this message;
  /// nil: the last one.
  func isMisled(about rid: String, before index: Int? = nil) -> Bool {
    let index = index ?? made.count
    guard
      let misled = breaks.last(where: { $0.isMisled && $0.made <= index && ($0.rid == nil || $0.rid == rid) })
    else { return false }
    return !made[misled.made..<index].contains {
      // The change itself may have it left.
      guard case .transition(let report) = $0.report, report.region.rid == rid else { return false }
      if case .leftSince = $0.reason { return false }
      return true
    }
  }

  mutating func complain(_ promise: Promise, _ text: String, at now: Instant) {
    // One line per judge says where to look; thousands say nothing.
    guard complaints.count < 50 else { return }
    complaints.append(Complaint(promise: promise, text: text, at: now))
  }

  // MARK: The life of a message

  mutating func made(
    _ report: Report, _ message: Message, because reason: Reason?, mode: MonitoringMode, life: Int,
    at now: Instant
  ) {
    let one = Made(
      report: report, content: Content(message), isEvent: message.isEvent, at: now, life: life,
      wakeup: disk.wakeup, reason: reason, mode: mode)
    contents.made(one.content, made.count)
    made.append(one)
  }

  /// Of what was made last.
  mutating func lastIsOfUnknownTime() { if !made.isEmpty { made[made.count - 1].isOfUnknownTime = true } }

  mutating func stored(_ message: Message) {
    for index in indices(of: message) { made[index].isStored = true }
  }

  mutating func delivered(_ message: Message, at now: Instant) {
    deliveries.append(Delivery(at: now, topic: message.topic, payload: message.payload))
    contents.arrived.insert(Content(message))
  }

  mutating func refused(_ message: Message) {
    excuse(message, .refused)
    passing.passed(message)
  }

  mutating func excuse(_ message: Message, _ excuse: Excuse) {
    for index in indices(of: message) { made[index].excuse = excuse }
  }

  /// Everything that still waits: a person wanted it gone.
  mutating func cleared() {
    for index in made.indices where isOpen(index) { made[index].excuse = .cleared }
  }

  /// The process is gone. What was not durable may be lost with it, if that is recent (locations: a
  /// second) or if the disk had not taken it yet; anything else is a broken promise.
  mutating func crashed(at now: Instant) {
    lives.crashes.append(now)
    for index in contents.takeOpen() where !made[index].isStored && isOpen(index) {
      let message = made[index]
      let isRecent = !message.isEvent && now < message.at + .seconds(1)
      if isRecent || disk.mayLack(message) {
        made[index].excuse = .crashed
        losses.byCrash += 1
      }
    }
  }

  /// An orderly end: everything in hand went to the disk, unless the disk took nothing.
  mutating func ended(isAllStored: Bool, at now: Instant) {
    guard isAllStored else { return crashed(at: now) }
    // What a timer made after the last write to the disk.
    for index in contents.takeOpen()
    where made[index].at == now && !made[index].isStored && !made[index].isEvent {
      made[index].excuse = .crashed
    }
  }

  /// Messages that the store had, the world has not, and that are not among these: excused, and counted.
  mutating func lost(but kept: Set<Content>) -> Int {
    let lost = made.indices.filter {
      made[$0].isStored && isOpen($0) && !kept.contains(made[$0].content)
    }
    for index in lost { made[index].excuse = .flipped }
    return lost.count
  }

  /// What others pass and is not due again before the world ends, in this life of the process, and locations of the queue
  /// that may wait for each other for so long: excused, and counted.
  mutating func putOff(in life: Int, batching span: Span = .zero, queue: Set<Content> = [], at now: Instant) {
    let waiting = made.indices.filter { index in
      guard isOpen(index) else { return false }
      let one = made[index]
      let isForBatch = one.isPlace && !one.isEvent && one.at + span + .seconds(30) > now
      return passing.mayWait(one.content, in: life, at: now)
        || span > .zero && isForBatch && queue.contains(one.content)
    }
    for index in waiting { made[index].excuse = .refused }
    losses.putOff = waiting.count
  }

  func hasArrived(_ index: Int) -> Bool { contents.arrived.contains(made[index].content) }
  private func isOpen(_ index: Int) -> Bool { made[index].excuse == nil && !hasArrived(index) }

  /// Made by this life of the process, and not reported durable.
  func isUndurable(_ message: Message, life: Int) -> Bool {
    let same = indices(of: message)
    return !same.isEmpty && same.allSatisfy { made[$0].life == life && !made[$0].isStored }
  }

  func indices(of content: Content) -> [Int] { contents.indices[content] ?? [] }
  func indices(of message: Message) -> [Int] { indices(of: Content(message)) }
}
