import Answers
import Core
import Model
import OwnTracks
import Timebase

/// Plays a timeline to the tracker that the daemon runs, under a virtual clock; what it asks for is done in a
/// `ReplayWorld`.
///
/// The order at one instant: acknowledgements, the file's lines in their order, then timers.
public struct Player {
  private let file: String
  /// Settings from the file, and over them those of the command line.
  private let configuration: Configuration
  private let waypoints: [WaypointEntry]
  private var world: ReplayWorld
  private var tracker: Tracker
  private var board = Board()

  private var wall: (time: WallTime, at: Instant)?
  /// In the zone of this machine, unless a line says another one.
  private var schedule = LocalTimeSchedule(offset: LocalZone.offset)
  private var isRunning = false
  private var hasEnded = false
  private var controlLines: UInt64 = 0

  /// A tracker that asks again and again for the same moment would hang the replay.
  private static let mostTicksPerInstant = 10_000

  /// State that the adapters report again after a restart.
  private struct Board {
    var battery: Battery??
    var network: Network?
    var pressure: Double??
    /// Seconds east of Greenwich, where a line has said it.
    var zone = 0
    var ignition: Bool??
    var sos: Bool??
    var volts: Double??
    /// A timeline without a word about it has a radio that hears.
    var scanner = ScannerState(isHearing: true)
  }

  /// Drives of 2016 and later can be played without a clock line, Unix seconds.
  private static let earliest = 1_451_606_400.0

  /// `file` is what errors name.
  public init(_ settings: ReplaySettings, file: String, state: StoredState, output: ReplayOutput) {
    self.file = file
    configuration = settings.configuration
    waypoints = settings.waypoints
    world = ReplayWorld(configuration, hostName: settings.hostName, store: MemoryStore(state), output: output)
    tracker = Tracker(
      configuration: configuration, snapshot: world.store.snapshot, encoder: world.encoder,
      earliest: Self.earliest)
  }

  // MARK: - Input

  /// False once the timeline has said `end`. `isUpBefore`: the connection at the start.
  public mutating func play(_ entry: TimelineEntry, isUpBefore: Bool) throws(ReplayError) -> Bool {
    if case .stored(let state) = entry.what {
      guard !isRunning else {
        throw ReplayError(file: file, line: entry.line, text: "state: expected before anything happens")
      }
      world.store = MemoryStore(state)
      tracker = Tracker(
        configuration: configuration, snapshot: world.store.snapshot, encoder: world.encoder,
        earliest: Self.earliest)
      return true
    }
    if !isRunning, entry.at == .zero, prepare(entry.what) { return true }
    begin(isUpBefore: isUpBefore)
    advance(to: ReplayWorld.start + entry.at, firing: false)
    happen(entry.what)
    if case .end = entry.what { hasEnded = true }
    return !hasEnded
  }

  /// Without an `end` line the time goes on until the broker has acknowledged what it is about to.
  public mutating func finish(isUpBefore: Bool) {
    begin(isUpBefore: isUpBefore)
    advance(to: world.now, firing: true)
    while !hasEnded, let due = world.broker.due { advance(to: due, firing: true) }
    let queue = tracker.status(at: moment).queue.count
    // History reaches the store in lots; an orderly end writes the last one, and prunes.
    deliver(.stopping)
    world.output.ended(
      ReplayEnd(
        mode: tracker.mode, regions: tracker.knownRegions, queue: queue, history: world.store.historyCount),
      at: elapsed)
  }

  /// The surroundings may stand before the state; everything else needs the tracker to run.
  private mutating func prepare(_ what: TimelineEntry.Happening) -> Bool {
    switch what {
    case .clock(let seconds): setClock(seconds)
    case .zone(let seconds): enter(zone: seconds)
    case .broker(let change): change.isUp ? world.broker.rise(change, at: world.now) : world.broker.fall()
    case .battery(let battery): board.battery = .some(battery)
    case .network(let network): board.network = network
    case .pressure(let pressure): board.pressure = .some(pressure)
    case .ignition(let isOn): board.ignition = .some(isOn)
    case .sos(let isOn): board.sos = .some(isOn)
    case .vehicleVolts(let volts): board.volts = .some(volts)
    case .scanner(let state): board.scanner = state
    case .unanswered: break
    case .reading, .interference, .sighting, .control, .message, .restart, .carried, .stored, .end:
      return false
    }
    return true
  }

  private mutating func begin(isUpBefore: Bool) {
    guard !isRunning else { return }
    isRunning = true
    if isUpBefore { world.broker.rise(.init(isUp: true), at: world.now) }
    startTracker()
  }

  private mutating func startTracker() {
    if !waypoints.isEmpty { deliver(.configured(configuration, waypoints: waypoints)) }
    deliver(.sourceReached("gpsd", true))
    deliver(.scannerChanged(board.scanner))
    if let battery = board.battery { deliver(.batteryChanged(battery)) }
    if let network = board.network { deliver(.networkChanged(network)) }
    if let pressure = board.pressure { deliver(.pressureMeasured(pressure)) }
    if let isOn = board.ignition { deliver(.ignition(isOn)) }
    if let isOn = board.sos { deliver(.sosLine(isOn)) }
    if let volts = board.volts { deliver(.vehicleVolts(volts)) }
    if isConnected { deliver(.brokerConnected(receiveMaximum: nil)) }
  }

  private mutating func happen(_ what: TimelineEntry.Happening) {
    switch what {
    case .clock(let seconds):
      setClock(seconds)
      deliverMinute()
    case .zone(let seconds):
      enter(zone: seconds)
      deliverMinute()
    case .reading(let reading):
      if reading.mode >= 2, reading.latitude != nil { world.output.position(at: elapsed) }
      deliver(.reading(reading))
    case .interference(let found): deliver(.interference(found))
    case .battery(let battery):
      board.battery = .some(battery)
      deliver(.batteryChanged(battery))
    case .network(let network):
      board.network = network
      deliver(.networkChanged(network))
    case .pressure(let pressure):
      board.pressure = .some(pressure)
      deliver(.pressureMeasured(pressure))
    case .ignition(let isOn):
      board.ignition = .some(isOn)
      deliver(.ignition(isOn))
    case .vehicleVolts(let volts):
      board.volts = .some(volts)
      deliver(.vehicleVolts(volts))
    case .sos(let isOn):
      board.sos = .some(isOn)
      deliver(.sosLine(isOn))
    case .sighting(let sighting): hear(sighting)
    case .scanner(let state):
      board.scanner = state
      deliver(.scannerChanged(state))
    case .broker(let change): brokerChanged(change)
    case .carried(let bytes): deliver(.carried(bytes: bytes, zone: board.zone))
    case .control(let words): control(words)
    case .message(let topic, let payload, let isRetained, let isEncrypted):
      arrived(topic: topic, payload, isRetained: isRetained, isEncrypted: isEncrypted)
    case .restart(let isKilled): restart(isKilled: isKilled)
    case .end: advance(to: world.now, firing: true)
    case .stored, .unanswered: break
    }
  }

  /// As the scanner does: sightings that were not asked for are not reported, and a radio that is off hears nothing.
  /// One that listens for a share of the time hears every line: which ones it would miss is chance.
  private mutating func hear(_ sighting: Sighting) {
    guard board.scanner.isHearing, world.scan.duty > 0 else { return }
    if world.scan.wanted.contains(where: { $0.matches(sighting.beacon) }) { deliver(.sighted(sighting)) }
  }

  private mutating func brokerChanged(_ change: TimelineEntry.BrokerChange) {
    let wasConnected = isConnected
    if change.isUp { world.broker.rise(change, at: world.now) } else { world.broker.fall() }
    guard wasConnected != isConnected else { return }
    deliver(isConnected ? .brokerConnected(receiveMaximum: nil) : .brokerLost())
  }

  private mutating func control(_ words: [String]) {
    controlLines += 1
    do throws(ControlError) {
      if words.first == "export" { return export() }
      // Shown by the command line out of the status.
      let words = words == ["mode"] ? ["status"] : words
      switch try Request(words: words, over: tracker.settings) {
      case .tracker(let request): deliver(.control(request, from: controlLines))
      case .store(let request): deliver(.asked(request, from: controlLines))
      case .friends(let request): answer(request)
      case .daemon(.beacons(ofStrangers: false)): beacons()
      // A tracker by itself has the last hundred.
      case .daemon(.why): deliver(.control(.why, from: controlLines))
      case .daemon: throw ControlError("\(words[0]): only a running daemon does that")
      }
    } catch {
      world.output.answer(Answer.failure(error.description), at: elapsed)
    }
  }

  private mutating func answer(_ request: FriendRequest) {
    let answer = world.store.friends.answer(
      request, own: world.encoder.topics.base, now: tracker.wall(at: moment),
      days: tracker.settings.friends.ignoreStale)
    if case .forget(let topic, true) = request, OutcomeRecord(answer: answer)?.isDone == true {
      return deliver(.control(.friendForget(topic: topic), from: controlLines))
    }
    world.output.answer(answer, at: elapsed)
  }

  /// As the daemon answers, but for the radio's own part.
  private mutating func beacons() {
    var list = BeaconList()
    list.beacons = tracker.beacons(at: moment).map(Answer.beacon)
    world.output.answer(list.done, at: elapsed)
  }

  /// The output of `homeward export gpx`, as one text.
  private mutating func export() {
    var everything = HistoryQuery()
    everything.limit = .max
    deliver(.asked(.history(everything), from: 0))
    world.output.answer(
      ["ok": true, "gpx": .string(GPXTrack.text(of: world.store.history(everything)))], at: elapsed)
  }

  /// As the daemon reads what the broker delivers.
  private mutating func arrived(
    topic: String, _ payload: [UInt8], isRetained: Bool, isEncrypted: Bool
  ) {
    var refusal: CommandRefusal?
    let incoming = Incoming.read(
      topic: topic, payload: payload, isRetained: isRetained, isEncrypted: isEncrypted,
      topics: world.encoder.topics, configuration: tracker.settings
    ) { [settings = tracker.settings] action in
      refusal = CommandGate.refusal(of: action, isRetained: isRetained, isEncrypted: isEncrypted, settings)
      return refusal == nil
    }
    switch incoming {
    case .command(let command, let problems):
      for problem in problems { world.output.warn("\(file): \(problem)") }
      deliver(.commanded(command))
    case .barred(let action, let id):
      if let refusal { deliver(.commandBarred(action: action, id: id, refusal)) }
    case .malformedCommand(let action, let id, let reason, let line):
      world.output.warn("\(file): message: \(line)")
      deliver(.commandMalformed(action: action, id: id, reason))
    case .friend(let topic, let news):
      world.store.friends.note(news, of: topic, positions: tracker.settings.history.positions)
    case .notice(let text): world.output.notice(text, at: elapsed)
    case .malformed(let text): world.output.warn("\(file): message: \(text)")
    case .birth: deliver(.discoveryDoubted(isBirth: true))
    case .nothing: break
    }
  }

  private mutating func restart(isKilled: Bool) {
    if !isKilled { deliver(.stopping) }
    world.broker.forgetSender()
    world.ledger.forget(keeping: world.store.sequences)
    world.scan = .off
    tracker = Tracker(
      configuration: configuration, snapshot: world.store.snapshot, encoder: world.encoder,
      earliest: Self.earliest)
    world.restarted(with: tracker.settings)
    schedule.reportAnew()
    startTracker()
  }

  // MARK: - Time

  private mutating func setClock(_ seconds: Double) {
    let time = WallTime(seconds: seconds)
    wall = (time, world.now)
    world.output.clock(time, at: elapsed)
  }

  private var elapsed: Span { world.elapsed }

  private var moment: Moment {
    Moment(instant: world.now, wall: wall.map { $0.time + (world.now - $0.at) })
  }

  /// Goes to `limit`, stopping wherever an acknowledgement or a timer is due; timers that are due at
  /// `limit` itself only where `firing`.
  private mutating func advance(to limit: Instant, firing: Bool) {
    var ticks = 0
    while true {
      let due = world.broker.due.map { max($0, world.now) }
      let deadline = (tracker.wakeAt.map { min($0, schedule.due ?? $0) } ?? schedule.due)
        .map { max($0, world.now) }
      let next = min(due ?? limit, deadline ?? limit)
      guard next <= limit else { break }
      if next > world.now { ticks = 0 }
      if let due, due <= next {
        world.now = due
        acknowledge()
      } else if let deadline, deadline < limit || (firing && deadline == limit) {
        world.now = deadline
        deliver(.tick)
        ticks += 1
        releaseAssert(ticks < Self.mostTicksPerInstant, "the tracker's deadline at \(elapsed) never passes")
      } else {
        break
      }
    }
    world.now = max(world.now, limit)
  }

  private mutating func acknowledge() {
    let sequences = world.broker.acknowledged(at: world.now)
    for sequence in sequences {
      if let number = world.ledger.delivered(sequence) { world.output.delivered(number, at: elapsed) }
    }
    deliver(.acknowledged(sequences))
  }

  // MARK: - The tracker

  private var isConnected: Bool { world.broker.isUp && tracker.settings.broker.port != 0 }

  private mutating func deliver(_ event: Event) {
    world.inbox.append(event)
    repeat {
      while !world.inbox.isEmpty {
        for effect in tracker.handle(world.inbox.removeFirst(), at: moment) { world.perform(effect) }
      }
      if let minute = dueMinute() { world.inbox.append(.localTime(minute: minute)) }
    } while !world.inbox.isEmpty
  }

  // MARK: - The time of day

  private mutating func enter(zone seconds: Int) {
    schedule = LocalTimeSchedule { _ in seconds }
    board.zone = seconds
  }

  private mutating func deliverMinute() {
    if let minute = dueMinute() { deliver(.localTime(minute: minute)) }
  }

  private mutating func dueMinute() -> Int? {
    schedule.look(tracker.settings.localTimes, wall: tracker.wall(at: moment), at: world.now)
  }
}
