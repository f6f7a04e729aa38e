import Model
import Timebase

/// The contents of the daemon's database, kept in memory: they outlive a restart within the replay.
struct MemoryStore {
  private var regions: [Snapshot.KnownRegion] = []
  private var mode: ModeState?
  private var position: Fix?
  private var reference: Fix?
  private var tag: String?
  private var imported: String?
  private var journey = JourneyState()
  private var remote = RemoteSettings()
  private var commandsSeen: [SeenCommand] = []
  private var volume = DataVolume()
  private var power: (sleep: Sleep?, steps: BatterySteps) = (nil, BatterySteps())
  private var clientIDForm = ClientIDForm.apart
  private var entered: [EnteredRegion] = []
  private var announced: [String] = []
  /// In sequence.
  private var queue: [Message] = []
  private var lastSequence: UInt64 = 0
  private var dropped = 0
  /// In the order in which they came.
  private var history: [HistoryPoint] = []
  private var lastPoint: Int64 = 0
  var friends = MemoryFriends()

  init(_ state: StoredState) {
    regions = state.regions
    mode = state.mode
  }

  /// The snapshot for a tracker that starts now.
  var snapshot: Snapshot {
    var snapshot = Snapshot()
    snapshot.regions = regions
    snapshot.mode = mode
    snapshot.position = position
    snapshot.reference = reference
    snapshot.tag = tag
    snapshot.imported = imported
    snapshot.journey = journey
    snapshot.remote = remote
    snapshot.commandsSeen = commandsSeen
    snapshot.clientIDForm = clientIDForm
    snapshot.entered = entered
    snapshot.announced = announced
    snapshot.queued = queue.count
    snapshot.queuedBytes = queue.reduce(0) { $0 + $1.size }
    snapshot.firstSequence = queue.first?.sequence ?? 0
    snapshot.lastSequence = lastSequence
    snapshot.volume = volume
    (snapshot.sleep, snapshot.batterySteps) = power
    snapshot.dropped = dropped
    snapshot.historyCount = history.count
    return snapshot
  }

  mutating func apply(_ write: StoreWrite) {
    switch write {
    case .insert(let message): insert(message)
    case .remove(let sequences):
      let gone = Set(sequences)
      queue.removeAll { gone.contains($0.sequence) }
    case .removeRange(let after, let through):
      queue.removeAll { $0.sequence > after && $0.sequence <= through }
    case .region(let region, let presence): put(region, presence)
    case .regionRemoved(let rid): regions.removeAll { $0.region.rid == rid }
    case .mode(let state): mode = state
    case .position(let fix): position = fix
    case .reference(let fix): reference = fix
    case .history(let report):
      lastPoint += 1
      history.append(HistoryPoint(number: lastPoint, report: report))
    case .pruneHistory(let keep, let since): prune(keep: keep, since: since)
    case .removePoints(let part):
      history.removeAll { point in
        part.numbers.contains(point.number) && part.times.contains(point.report.time.seconds)
      }
    case .tag(let text): tag = text
    case .imported(let digest): imported = digest
    case .journey(let state): journey = state
    case .remoteSettings(let settings): remote = settings
    case .commandsSeen(let seen): commandsSeen = seen
    case .clientIDForm(let form): clientIDForm = form
    case .entered(let all): entered = all
    case .announced(let topics): announced = topics
    case .volume(let used): volume = used
    case .sleep(let planned): power.sleep = planned
    case .batterySteps(let steps): power.steps = steps
    case .dropped(let count): dropped = count
    }
  }

  var historyCount: Int { history.count }

  func history(_ query: HistoryQuery) -> [HistoryPoint] {
    let wanted = history.lazy.filter { point in
      let seconds = point.report.time.seconds
      return point.number > query.after && seconds >= query.from ?? -.infinity
        && seconds <= query.to ?? .infinity
    }
    return query.isFromEnd ? Array(wanted).suffix(query.limit) : Array(wanted.prefix(query.limit))
  }

  var sequences: Set<UInt64> { Set(queue.map(\.sequence)) }

  func messages(after sequence: UInt64, limit: Int) -> [Message] {
    Array(queue.lazy.filter { $0.sequence > sequence }.prefix(limit))
  }

  func index(after sequence: UInt64, limit: Int) -> [QueueEntry] {
    messages(after: sequence, limit: limit).map {
      QueueEntry(sequence: $0.sequence, time: $0.time, isEvent: $0.isEvent, size: $0.size)
    }
  }

  private mutating func insert(_ message: Message) {
    lastSequence = max(lastSequence, message.sequence)
    let index = queue.lastIndex { $0.sequence < message.sequence }.map { $0 + 1 } ?? 0
    queue.insert(message, at: index)
  }

  private mutating func put(_ region: Region, _ presence: Presence) {
    let known = Snapshot.KnownRegion(region: region, presence: presence)
    if let index = regions.firstIndex(where: { $0.region.rid == region.rid }) {
      regions[index] = known
    } else {
      regions.append(known)
    }
  }

  private mutating func prune(keep: Int?, since: Double?) {
    if let since { history.removeAll { $0.report.time.seconds < since } }
    if let keep, history.count > keep { history = Array(history.suffix(keep)) }
  }
}
