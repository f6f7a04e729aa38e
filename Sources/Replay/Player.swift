import Answers
import Core
import Model
import OwnTracks
import Timebase

/// Plays a timeline to the tracker that the daemon runs, under a virtual clock. It performs effects as
/// the daemon would, with a broker and a store that exist only here.
///
/// What comes first at one instant: acknowledgements, the file's lines in their order, then timers.
public struct Player {
  private let output: ReplayOutput
  private let file: String
  /// What the settings of the command line and the file say.
  private let configuration: Configuration
  private let hostName: String
  private let waypoints: [WaypointEntry]
  private var encoder: Encoder
  private var store: MemoryStore
  private var broker = VirtualBroker()
  private var tracker: Tracker
  private var ledger = DeliveryLedger()
  private var board = Board()

  private var now = Self.start
  private var wall: (time: WallTime, at: Instant)?
  private var inbox: [Event] = []
  private var scan = ScanPlan.off
  private var isRunning = false
  private var hasEnded = false
  private var controlLines: UInt64 = 0

  /// A board that has been up for a while: instants before the first line stay positive.
  private static let start = Instant.zero + .seconds(1000)
  /// A tracker that asks again and again for the same moment would hang the replay.
  private static let mostTicksPerInstant = 10_000

  /// What adapters report again after a restart.
  private struct Board {
    var battery: Battery??
    var network: Network?
    var pressure: Double??
    /// A timeline without a word about it has a radio that hears.
    var scanner = ScannerState(isHearing: true)
  }

  /// Drives of 2016 and later can be played without a clock line, Unix seconds.
  private static let earliest = 1_451_606_400.0

  /// `file` is what errors name.
  public init(_ settings: ReplaySettings, file: String, state: StoredState, output: ReplayOutput) {
    self.output = output
    self.file = file
    configuration = settings.configuration
    hostName = settings.hostName
    waypoints = settings.waypoints
    encoder = Encoder(configuration, hostName: settings.hostName)
    store = MemoryStore(state)
    tracker = Tracker(
      configuration: configuration, snapshot: store.snapshot, encoder: encoder, earliest: Self.earliest)
  }

  // MARK: - Input

  /// False once the timeline has said `end`. `isUpBefore`: the connection at the start.
  public mutating func play(_ entry: TimelineEntry, isUpBefore: Bool) throws(ReplayError) -> Bool {
    if case .stored(let state) = entry.what {
      guard !isRunning else {
        throw ReplayError(file: file, line: entry.line, text: "state: expected before anything happens")
      }
      store = MemoryStore(state)
      tracker = Tracker(
        configuration: configuration, snapshot: store.snapshot, encoder: encoder, earliest: Self.earliest)
      return true
    }
    if !isRunning, entry.at == .zero, prepare(entry.what) { return true }
    begin(isUpBefore: isUpBefore)
    advance(to: Self.start + entry.at, firing: false)
    happen(entry.what)
    if case .end = entry.what { hasEnded = true }
    return !hasEnded
  }

  /// Without an `end` line the time goes on until the broker has acknowledged what it is about to.
  public mutating func finish(isUpBefore: Bool) {
    begin(isUpBefore: isUpBefore)
    advance(to: now, firing: true)
    while !hasEnded, let due = broker.due { advance(to: due, firing: true) }
    let queue = tracker.status(at: moment).queue.count
    // History reaches the store in lots; an orderly end writes the last one, and prunes.
    deliver(.stopping)
    output.final(
      mode: tracker.mode, regions: tracker.knownRegions, queue: queue, history: store.historyCount)
  }

  /// The surroundings may stand before the state; everything else needs the tracker to run.
  private mutating func prepare(_ what: TimelineEntry.Happening) -> Bool {
    switch what {
    case .clock(let seconds): wall = (WallTime(seconds: seconds), Self.start)
    case .broker(let change): change.isUp ? broker.rise(change, at: now) : broker.fall()
    case .battery(let battery): board.battery = .some(battery)
    case .network(let network): board.network = network
    case .pressure(let pressure): board.pressure = .some(pressure)
    case .scanner(let state): board.scanner = state
    case .unanswered: break
    case .reading, .sighting, .control, .message, .restart, .stored, .end: return false
    }
    return true
  }

  private mutating func begin(isUpBefore: Bool) {
    guard !isRunning else { return }
    isRunning = true
    if isUpBefore { broker.rise(.init(isUp: true), at: now) }
    startTracker()
  }

  private mutating func startTracker() {
    if !waypoints.isEmpty { deliver(.configured(configuration, waypoints: waypoints)) }
    deliver(.gpsdReached(true))
    deliver(.scannerChanged(board.scanner))
    if let battery = board.battery { deliver(.batteryChanged(battery)) }
    if let network = board.network { deliver(.networkChanged(network)) }
    if let pressure = board.pressure { deliver(.pressureMeasured(pressure)) }
    if isConnected { deliver(.brokerConnected(receiveMaximum: nil)) }
  }

  private mutating func happen(_ what: TimelineEntry.Happening) {
    switch what {
    case .clock(let seconds): wall = (WallTime(seconds: seconds), now)
    case .reading(let reading): deliver(.reading(reading))
    case .battery(let battery):
      board.battery = .some(battery)
      deliver(.batteryChanged(battery))
    case .network(let network):
      board.network = network
      deliver(.networkChanged(network))
    case .pressure(let pressure):
      board.pressure = .some(pressure)
      deliver(.pressureMeasured(pressure))
    case .sighting(let sighting): hear(sighting)
    case .scanner(let state):
      board.scanner = state
      deliver(.scannerChanged(state))
    case .broker(let change): brokerChanged(change)
    case .control(let words): control(words)
    case .message(let topic, let payload, let isRetained, let isEncrypted):
      arrived(topic: topic, payload, isRetained: isRetained, isEncrypted: isEncrypted)
    case .restart(let isKilled): restart(isKilled: isKilled)
    case .end: advance(to: now, firing: true)
    case .stored, .unanswered: break
    }
  }

  /// As the scanner does: what nobody asked for is not reported, and a radio that is off hears nothing. One
  /// that listens for a share of the time hears every line: which ones it would miss is chance.
  private mutating func hear(_ sighting: Sighting) {
    guard board.scanner.isHearing, scan.duty > 0 else { return }
    if scan.wanted.contains(where: { $0.matches(sighting.beacon) }) { deliver(.sighted(sighting)) }
  }

  private mutating func brokerChanged(_ change: TimelineEntry.BrokerChange) {
    let wasConnected = isConnected
    if change.isUp { broker.rise(change, at: now) } else { broker.fall() }
    guard wasConnected != isConnected else { return }
    deliver(isConnected ? .brokerConnected(receiveMaximum: nil) : .brokerLost)
  }

  private var numberBase: BeaconNumberBase {
    BeaconNumberBase(rawValue: configuration.beaconNumberBase) ?? .auto
  }

  private mutating func control(_ words: [String]) {
    controlLines += 1
    do {
      if let request = try FriendLine.parse(words) { return answer(request) }
      if words.first == "export" { return export() }
      deliver(.control(try ControlLine.parse(words, numberBase: numberBase), from: controlLines))
    } catch {
      output.answer(Answer.failure(error.description), at: elapsed)
    }
  }

  private mutating func answer(_ request: FriendLine) {
    let answer = store.friends.answer(
      request, own: encoder.topics.base, now: tracker.wall(at: moment),
      days: tracker.settings.ignoreStaleLocations)
    if case .forget(let topic, true) = request, answer["ok"] == true {
      return deliver(.control(.friendForget(topic: topic), from: controlLines))
    }
    output.answer(answer, at: elapsed)
  }

  /// What `homeward export gpx` writes, as one text.
  private mutating func export() {
    var everything = HistoryQuery()
    everything.limit = .max
    deliver(.control(.history(everything), from: 0))
    output.answer(["ok": true, "gpx": .string(GPXTrack.text(of: store.history(everything)))], at: elapsed)
  }

  /// As the daemon reads what the broker delivers.
  private mutating func arrived(
    topic: String, _ payload: [UInt8], isRetained: Bool, isEncrypted: Bool
  ) {
    var refusal: CommandRefusal?
    let incoming = Incoming.read(
      topic: topic, payload: payload, isRetained: isRetained, isEncrypted: isEncrypted,
      topics: encoder.topics, configuration: tracker.settings
    ) { [settings = tracker.settings] action in
      refusal = CommandDoor.refusal(of: action, isRetained: isRetained, isEncrypted: isEncrypted, settings)
      return refusal == nil
    }
    switch incoming {
    case .command(let command, let problems):
      for problem in problems { output.complain("\(file): \(problem)") }
      deliver(.commanded(command))
    case .barred(let action):
      if let refusal { deliver(.commandBarred(action: action ?? "of unknown action", refusal)) }
    case .friend(let topic, let news):
      store.friends.note(news, of: topic, positions: tracker.settings.positions)
    case .notice(let text): output.notice(text, at: elapsed)
    case .malformed(let text): output.complain("\(file): message: \(text)")
    case .nothing: break
    }
  }

  private mutating func restart(isKilled: Bool) {
    if !isKilled { deliver(.stopping) }
    broker.forgetSender()
    ledger.forget(keeping: store.sequences)
    scan = .off
    tracker = Tracker(
      configuration: configuration, snapshot: store.snapshot, encoder: encoder, earliest: Self.earliest)
    encoder = Encoder(tracker.settings, hostName: hostName)
    startTracker()
  }

  // MARK: - Time

  private var elapsed: Span { now - Self.start }

  private var moment: Moment {
    Moment(instant: now, wall: wall.map { $0.time + (now - $0.at) })
  }

  /// Goes to `limit`, stopping wherever an acknowledgement or a timer is due; timers that are due at
  /// `limit` itself only where `firing`.
  private mutating func advance(to limit: Instant, firing: Bool) {
    var ticks = 0
    while true {
      let due = broker.due.map { max($0, now) }
      let deadline = tracker.nextDeadline.map { max($0, now) }
      let next = min(due ?? limit, deadline ?? limit)
      guard next <= limit else { break }
      if next > now { ticks = 0 }
      if let due, due <= next {
        now = due
        acknowledge()
      } else if let deadline, deadline < limit || (firing && deadline == limit) {
        now = deadline
        deliver(.tick)
        ticks += 1
        insist(ticks < Self.mostTicksPerInstant, "the tracker's deadline at \(elapsed) never passes")
      } else {
        break
      }
    }
    now = max(now, limit)
  }

  private mutating func acknowledge() {
    let sequences = broker.acknowledged(at: now)
    for sequence in sequences {
      if let number = ledger.delivered(sequence) { output.delivered(number, at: elapsed) }
    }
    deliver(.acknowledged(sequences))
  }

  // MARK: - The tracker

  private var isConnected: Bool { broker.isUp && tracker.settings.port != 0 }

  private mutating func deliver(_ event: Event) {
    inbox.append(event)
    while !inbox.isEmpty {
      perform(tracker.handle(inbox.removeFirst(), at: moment))
    }
  }

  private mutating func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .published(_, let message):
        ledger.created(message)
        output.publish(message, at: elapsed)
      case .announce(_, let message): output.publish(message, at: elapsed)
      case .send(let message):
        ledger.note(message)
        broker.take(message, at: now)
      case .store(let batch, let writes):
        for write in writes {
          if case .insert(let message) = write { ledger.note(message) }
          store.apply(write)
        }
        inbox.append(.stored(batch: batch))
      case .load(let after, let limit):
        inbox.append(.loaded(store.messages(after: after, limit: limit)))
      case .loadIndex(let after, let limit):
        inbox.append(.indexed(store.index(after: after, limit: limit)))
      case .recall(let query, let sender):
        // Nobody but the export asks as 0: it only wants everything in the store.
        guard sender != 0 else { break }
        let points = store.history(query)
        output.answer(HistoryLine.answer(points, encoder, isLast: points.count < query.limit), at: elapsed)
      case .answer(let answer, _): output.answer(Answer.json(answer, encoder.topics), at: elapsed)
      case .adopt(let settings): adopt(settings)
      case .withheld(let reason): output.withheld(reason, at: elapsed)
      case .setScan(let plan): scan = plan
      case .setReceiver, .halt, .deadLetter, .settingsChanged: break
      }
    }
  }

  /// Another connection is made at once, where the broker is up.
  private mutating func adopt(_ settings: Configuration) {
    let old = encoder
    encoder = Encoder(settings, hostName: hostName)
    guard isConnected, !old.isSameConnection(as: encoder) else { return }
    inbox += [.brokerLost, .brokerConnected(receiveMaximum: nil)]
  }
}
