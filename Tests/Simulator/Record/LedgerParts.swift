import Core
import Model
import Timebase

extension Ledger {
  /// Two messages of the same bytes are the same to a consumer.
  struct Content: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]

    /// All bytes at once: the way of arrays, byte by byte, is a thirtieth of what a world takes.
    func hash(into hasher: inout Hasher) {
      hasher.combine(topic)
      payload.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// A message as the tracker made it.
  struct Made {
    var report: Report
    var content: Content
    var isEvent: Bool
    /// World's time, and the process it was made by.
    var at: Instant
    var life: Int
    var wakeup: Int
    var reason: Reason?
    var mode: MonitoringMode
    /// Reported durable by the store.
    var isStored = false
    /// Why the world may never hear of it.
    var excuse: Excuse?
    /// The receiver's clock was all that the board had, and had lied.
    var isOfUnknownTime = false

    var payload: [UInt8] { content.payload }
    var isPlace: Bool { if case .location = report { true } else { false } }
    /// Of a transition, as it was told; nil without a name, and for everything else.
    var eventName: String? {
      guard case .transition(let report) = report, report.region.isShared else { return nil }
      return report.region.eventName
    }
    /// A crossing of this region.
    func isCrossing(of rid: String) -> Bool {
      if case .transition(let report) = report { report.region.rid == rid } else { false }
    }
  }

  enum Excuse: Hashable, Sendable {
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
  struct Delivery {
    var at: Instant
    var topic: String
    var payload: [UInt8]
    var content: Content { Content(topic: topic, payload: payload) }
  }

  /// From here on what was known of a region's crossings is no measure for the next.
  struct Break {
    var made: Int
    var at: Instant
    /// Nil: of all regions.
    var rid: String?
    /// The place that the tracker had in hand was wrong, and nobody could know: where a region lies to the board it may
    /// have learnt from that.
    var isMisled: Bool
  }

  /// The processes, one after the other.
  struct Lives {
    private var beginnings: [Int: Instant] = [:]
    /// Order of these is judged by itself only: they began without their store.
    var blind: Set<Int> = []
    /// Those of them whose store came into use later.
    var takenUp: Set<Int> = []
    var blindStarts = 0
    var crashes: [Instant] = []
    /// Processes that ended with a disk that took nothing, as counts of `made`: what they had told they told
    /// anew, from an older state.
    var undurable: [Int] = []

    mutating func began(_ life: Int, at now: Instant) { beginnings[life] = now }
    func began(_ life: Int) -> Instant? { beginnings[life] }
  }

  /// Messages that others may pass.
  struct Passing {
    /// Connections end over them, or overflow had them removed and a power cut brought them back.
    var passed: Set<Content> = []
    /// Those that were turned away, and what was under way then.
    private(set) var turnedAway: [Content: Set<Content>] = [:]
    private var turnedAwayAlone: [Content: Int] = [:]
    /// When the broker turned each away last, and whom.
    private var turnedAwayLast: [Content: (at: Instant, life: Int)] = [:]

    /// Seconds: the manual names it. What others pass is tried again so seldom in the end.
    private static let longestWait = 7200.0

    mutating func passed(_ message: Message) { passed.insert(Content(message)) }

    /// It was not taken, for now.
    mutating func turnedAway(_ message: Message, from life: Int, at now: Instant) {
      turnedAwayLast[Content(message)] = (now, life)
    }

    /// Whether others pass it, and this life of the process need not have tried it again.
    func mayWait(_ content: Content, in life: Int, at now: Instant) -> Bool {
      guard passed.contains(content), let last = turnedAwayLast[content] else { return false }
      return last.life == life && (now - last.at).seconds < Self.longestWait
    }

    /// These were under way when it was turned away.
    mutating func turnedAway(_ message: Message, beside others: [Message]) {
      let same = others.lazy.filter { $0.topic == message.topic }.map { Content($0) }
      if !same.isEmpty { turnedAway[Content(message), default: []].formUnion(same) }
    }

    /// The manual names it: others may pass what is turned away alone so often.
    mutating func turnedAwayAlone(_ message: Message) {
      turnedAwayAlone[Content(message), default: 0] += 1
      if turnedAwayAlone[Content(message)] ?? 0 >= 6 { passed(message) }
    }
  }

  /// What may be lost, and is counted.
  struct Losses {
    /// Locations that overflow has cost, as each life counted them.
    var dropped = 0
    /// The newest location, as an index of `made`, when overflow was seen last to have taken any.
    var newestOfOverflow: Int?
    var byCrash = 0
    /// Messages that the world ends too early for: the broker has turned them away, and they are not due yet.
    var putOff = 0
    /// Messages, regions and records of what was announced that flipped bits have cost.
    var flippedAway = 0
    /// The `rid` of regions of which a flipped bit has cost the record that they were left.
    var announcedAgain: Set<String> = []
  }

  /// Fixes that were wrong, and nobody could have known.
  struct WrongFixes {
    /// What the tracker takes for the present place may be such a fix.
    var isMisled = false
    /// Of these times, Unix seconds.
    var jumps: Set<Int> = []
    /// How far off places of vehicles that stand may be, from these moments on, beside what they claim.
    private var reaches: [(since: Int, standing: Double)] = []

    /// The next few may be held against them.
    mutating func lies(at time: Int) { jumps.formUnion(time...time + 20) }

    mutating func reach(_ metres: Double, since time: Int) {
      if metres != reaches.last?.standing ?? 0 { reaches.append((time, metres)) }
    }

    func reach(at time: Int) -> Double {
      // What has just begun or ended counts, too.
      guard let index = reaches.lastIndex(where: { $0.since <= time + 30 }) else { return 0 }
      let isNew = index > 0 && reaches[index].since > time - 120
      return max(reaches[index].standing, isNew ? reaches[index - 1].standing : 0)
    }
  }

  /// What is known of the disk by wake-ups.
  struct DiskRecord {
    private(set) var wakeup = 0
    /// The last wake-up after which nothing waited for the disk, and its time.
    private var settled: (wakeup: Int, at: Instant) = (0, .zero)

    mutating func wokeUp() { wakeup += 1 }
    mutating func settled(at now: Instant) { settled = (wakeup, now) }
    /// Nothing has happened since.
    var isSettled: Bool { settled.wakeup == wakeup }

    /// It may not have taken it yet.
    func mayLack(_ message: Made) -> Bool {
      settled.wakeup < message.wakeup || (!message.isEvent && settled.at < message.at + .seconds(1))
    }
  }

  /// Made messages by their bytes.
  struct Contents {
    private(set) var indices: [Content: [Int]] = [:]
    var arrived: Set<Content> = []
    /// Those not yet known to be stored, delivered or lost.
    private var open: [Int] = []

    mutating func made(_ content: Content, _ index: Int) {
      indices[content, default: []].append(index)
      open.append(index)
    }

    mutating func takeOpen() -> [Int] {
      defer { open = [] }
      return open
    }
  }

  /// How things stood when the receiver fell silent, near the end of the run.
  struct Final: Sendable {
    var at: Instant
    /// Seconds since the last fault.
    var calm: Double
    var mode: MonitoringMode
    /// Minutes; 0: none.
    var ping: Int
    /// For how long the mode has been one that pings, with no other interval, seconds.
    var pinging: Double
    /// How long it may look for a better fix, seconds.
    var window: Int
    /// For how long a place waits to travel with others, and then stays behind where it has grown old, seconds.
    var together: Int
    var regions: [Region]
    /// Seconds.
    var holdDown: Double
    /// The receiver was not put to rest by the tracker.
    var isReceiverAwake: Bool
    var isSpeedTold: Bool
    /// Fixes in a row.
    var confirm: Int
  }
}

extension Ledger.Content {
  init(_ message: Message) { self.init(topic: message.topic, payload: message.payload) }
}
