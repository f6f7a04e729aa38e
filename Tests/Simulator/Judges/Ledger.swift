import Core
import Model
import Timebase

/// What happened, written down by the world and not by the tracker: the judges hold it against what
/// reached the broker.
public struct Ledger {
  /// A message as the tracker made it.
  public struct Made {
    public var report: Report
    public var topic: String
    public var payload: [UInt8]
    public var isEvent: Bool
    /// World's time, and the process it was made by.
    public var at: Instant
    public var life: Int
    var wakeup: Int
    public var reason: Reason?
    public var mode: MonitoringMode
    /// Reported durable by the store.
    public var isStored = false
    /// Why the world may never hear of it.
    public var excuse: Excuse?
    /// The receiver's clock was all that the board had, and had lied.
    var isOfUnknownTime = false
  }

  public enum Excuse: Hashable, Sendable {
    /// The process ended before it could be durable.
    case crashed
    /// A person cleared the queue.
    case cleared
    /// The broker will never take it.
    case refused
    /// A bit flipped on the disk hit it.
    case flipped
  }

  /// A message as the broker took it.
  public struct Delivery {
    public var at: Instant
    public var topic: String
    public var payload: [UInt8]
  }

  /// From here on what was known of a region's crossings is no measure for the next.
  public struct Break {
    public var made: Int
    public var at: Instant
    /// Nil: of all regions.
    public var rid: String?
    /// The place that the tracker had in hand was wrong, and nobody could know: where a region lies to the board it may
    /// have learnt from that.
    public var isMisled: Bool
  }

  public var made: [Made] = []
  public var deliveries: [Delivery] = []
  public var breaks: [Break] = []
  /// Processes that ended with a disk that took nothing, as counts of `made`: what they had told they told
  /// anew, from an older state.
  var undurable: [Int] = []
  /// Messages that others pass: connections end over them, or overflow had them removed and a power cut brought them
  /// back.
  public var passed: Set<Content> = []
  /// Those that were turned away, and what was under way then.
  public var turnedAway: [Content: Set<Content>] = [:]
  private var turnedAwayAlone: [Content: Int] = [:]
  /// Order of these lives is judged by itself only: they began without their store.
  public var blindLives: Set<Int> = []
  /// Those of them whose store came into use later.
  public var takenUp: Set<Int> = []
  /// Locations that overflow has cost, as each life counted them.
  public var dropped = 0
  /// The newest location, as an index of `made`, when overflow was seen last to have taken any.
  public var newestOfOverflow: Int?
  /// What the tracker takes for the present place may be such a fix.
  var isMisled = false
  /// Fixes of these times were wrong and nobody could have known, Unix seconds.
  public var jumps: Set<Int> = []
  /// How far off places of vehicles that stand and drive may be, from these moments on, beside what they claim.
  private(set) var reaches: [(since: Int, standing: Double)] = []
  public var counts = [Int](repeating: 0, count: Fault.allCases.count)
  public var complaints: [Complaint] = []
  var crossings = 0
  var lostByCrash = 0
  var blindStarts = 0
  /// Messages, regions and records of what was announced that flipped bits have cost.
  var flippedAway = 0
  var old = OldMessages()
  /// Seconds of the world in which the board may have been inside of a private region.
  var veiled: Set<Int> = []
  /// The `rid` of regions of which a flipped bit has cost the record that they were left.
  var announcedAgain: Set<String> = []
  /// Regions that the store has, by rid, as far as it said so.
  public var regions: Set<String> = []
  private var arrived: Set<Content> = []
  public var crashes: [Instant] = []
  private var lives: [Int: Instant] = [:]
  /// When the last fault struck or was repaired.
  public var calmSince: Instant?
  public var ended = Instant.zero
  public var final: Final?

  /// Made messages by their bytes: two of the same bytes are the same to a consumer.
  private(set) var byContent: [Content: [Int]] = [:]
  /// The part of `made` that is not yet known to be stored, delivered or lost.
  private var open: [Int] = []
  /// The last wake-up after which nothing waited for the disk, and its time.
  private var settled: (wakeup: Int, at: Instant) = (0, .zero)
  private(set) var wakeup = 0

  public struct Content: Hashable, Sendable {
    public var topic: String
    public var payload: [UInt8]
  }

  /// Fixes are wrong, and the next few may be held against them.
  mutating func lies(at time: Int) { for second in 0...20 { jumps.insert(time + second) } }

  mutating func reach(_ metres: Double, since time: Int) {
    if metres != reaches.last?.standing ?? 0 { reaches.append((time, metres)) }
  }

  func reach(at time: Int) -> Double {
    // What has just begun or ended counts, too.
    reaches.indices.reversed().first { reaches[$0].since <= time + 30 }.map {
      max(reaches[$0].standing, $0 > 0 && reaches[$0].since > time - 120 ? reaches[$0 - 1].standing : 0)
    } ?? 0
  }

  mutating func note(_ fault: Fault) { counts[fault.rawValue] += 1 }
  mutating func note(breakOf rid: String?, at now: Instant) {
    breaks.append(Break(made: made.count, at: now, rid: rid, isMisled: isMisled))
  }

  /// Whether it learnt from a wrong place where it is to this region, and has told no crossing between that and this message.
  func isMisled(about rid: String, before index: Int) -> Bool {
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
  mutating func complain(_ judge: Judge, _ text: String, at now: Instant) {
    // One line per judge says where to look; thousands say nothing.
    guard complaints.count < 50 else { return }
    complaints.append(Complaint(judge: judge, text: text, at: now))
  }

  mutating func began(life: Int, at now: Instant) { lives[life] = now }
  /// Of what was made last.
  mutating func lastIsOfUnknownTime() { if !made.isEmpty { made[made.count - 1].isOfUnknownTime = true } }
  func lifeBegan(_ life: Int) -> Instant? { lives[life] }

  // MARK: The life of a message

  mutating func wokeUp() { wakeup += 1 }

  /// Nothing has happened since.
  var isSettled: Bool { settled.wakeup == wakeup }

  mutating func settled(at now: Instant) { settled = (wakeup, now) }

  mutating func made(
    _ report: Report, _ message: Message, because reason: Reason?, mode: MonitoringMode, life: Int,
    at now: Instant
  ) {
    let content = Content(topic: message.topic, payload: message.payload)
    byContent[content, default: []].append(made.count)
    open.append(made.count)
    made.append(
      Made(
        report: report, topic: message.topic, payload: message.payload, isEvent: message.isEvent, at: now,
        life: life, wakeup: wakeup, reason: reason, mode: mode))
    if case .transition = report { crossings += 1 }
  }

  mutating func stored(_ message: Message) {
    for index in indices(of: message) { made[index].isStored = true }
  }

  mutating func delivered(_ message: Message, at now: Instant) {
    deliveries.append(Delivery(at: now, topic: message.topic, payload: message.payload))
    arrived.insert(Content(topic: message.topic, payload: message.payload))
  }

  mutating func refused(_ message: Message) {
    excuse(message, .refused)
    passed(message)
  }

  mutating func excuse(_ message: Message, _ excuse: Excuse) {
    for index in indices(of: message) { made[index].excuse = excuse }
  }

  /// These were under way when it was turned away.
  mutating func turnedAway(_ message: Message, beside others: [Message]) {
    let content = Content(topic: message.topic, payload: message.payload)
    for other in others where other.topic == message.topic {
      turnedAway[content, default: []].insert(Content(topic: other.topic, payload: other.payload))
    }
  }

  /// The manual names it: others may pass what is turned away alone so often.
  mutating func turnedAwayAlone(_ message: Message) {
    let content = Content(topic: message.topic, payload: message.payload)
    turnedAwayAlone[content, default: 0] += 1
    if turnedAwayAlone[content] ?? 0 >= 6 { passed(message) }
  }

  mutating func passed(_ message: Message) {
    passed.insert(Content(topic: message.topic, payload: message.payload))
  }

  /// Everything that still waits: a person wanted it gone.
  mutating func cleared() {
    for index in made.indices where made[index].excuse == nil && !hasArrived(index) {
      made[index].excuse = .cleared
    }
  }

  /// The process is gone. What was not durable may be lost with it, if that is recent (locations: a
  /// second) or if the disk had not taken it yet; anything else is a broken promise.
  mutating func crashed(at now: Instant) {
    crashes.append(now)
    for index in open where !made[index].isStored && made[index].excuse == nil && !hasArrived(index) {
      let message = made[index]
      let isDisksDoing = settled.wakeup < message.wakeup || settled.at < message.at + .seconds(1)
      let isRecent = !message.isEvent && now < message.at + .seconds(1)
      if isRecent || (message.isEvent ? settled.wakeup < message.wakeup : isDisksDoing) {
        made[index].excuse = .crashed
        lostByCrash += 1
      }
    }
    open = []
  }

  /// An orderly end: everything in hand went to the disk, unless the disk took nothing.
  mutating func ended(isAllStored: Bool, at now: Instant) {
    guard isAllStored else { return crashed(at: now) }
    // What a timer made after the last write to the disk.
    for index in open where made[index].at == now && !made[index].isStored && !made[index].isEvent {
      made[index].excuse = .crashed
    }
    open = []
  }

  /// Messages that the store had, the world has not, and that are not among these: excused, and counted.
  mutating func lost(but kept: Set<[UInt8]>) -> Int {
    var lost = 0
    for index in made.indices where made[index].isStored && made[index].excuse == nil && !hasArrived(index) {
      if kept.contains([UInt8](made[index].topic.utf8) + made[index].payload) { continue }
      made[index].excuse = .flipped
      lost += 1
    }
    return lost
  }

  func hasArrived(_ index: Int) -> Bool {
    arrived.contains(Content(topic: made[index].topic, payload: made[index].payload))
  }

  /// Made by this life of the process, and not reported durable.
  func isUndurable(_ message: Message, life: Int) -> Bool {
    let same = indices(of: message)
    return !same.isEmpty && same.allSatisfy { made[$0].life == life && !made[$0].isStored }
  }

  func indices(of content: Content) -> [Int] { byContent[content] ?? [] }

  private func indices(of message: Message) -> [Int] {
    byContent[Content(topic: message.topic, payload: message.payload)] ?? []
  }
}

/// One finding of one judge.
public struct Complaint: Sendable {
  public var judge: Judge
  public var text: String
  public var at: Instant
}
