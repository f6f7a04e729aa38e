import Model
import Timebase

/// What a daemon would order next, by lots: each kind of batch as it comes together there.
struct Orders {
  /// More would wait than one cut can be judged by in a few milliseconds.
  private static let mostQueued = 250
  private static let regions = 12
  private static let keptPoints = 120

  private let made: Made
  /// Sequence numbers of what waits for the broker.
  var queue: [UInt64] = []
  private var lastSequence: UInt64 = 0
  private var points = 0
  private var dropped = 0
  /// Grows with whatever is made.
  private var number: Int

  init(life: UInt64) {
    made = Made(life: life)
    number = Int(life % 1_000_000) * 1000
  }

  mutating func goOn(from snapshot: Snapshot) {
    lastSequence = snapshot.lastSequence
    points = snapshot.historyCount
    dropped = snapshot.dropped
  }

  /// Whether the store promises that a power cut cannot take it. Said here once more, and not asked of the store.
  static func isSynced(_ writes: [StoreWrite]) -> Bool {
    writes.contains { write in
      switch write {
      case .remove, .position, .reference, .pruneHistory: false
      default: true
      }
    }
  }

  mutating func next(_ chance: inout Chance, isSyncWanted: Bool) -> [StoreWrite] {
    if queue.count > Self.mostQueued { return isSyncWanted ? overflow(&chance) : acknowledged(100, &chance) }
    while true {
      let writes = draw(&chance)
      if !writes.isEmpty, !isSyncWanted || Self.isSynced(writes) { return writes }
    }
  }

  private mutating func draw(_ chance: inout Chance) -> [StoreWrite] {
    number += 1
    switch chance.below(100) {
    case ..<32: return locations(1 + chance.below(6), length: 180 + chance.below(1200), &chance)
    case ..<54: return acknowledged(1 + chance.below(12), &chance)
    case ..<61: return [.position(made.fix(number)), .reference(made.fix(number + 1))]
    case ..<71: return crossing(&chance)
    case ..<75: return [.region(made.region(chance.below(Self.regions), form: number), .unknown)]
    case ..<77: return [.regionRemoved(rid: "rid\(chance.below(Self.regions))")]
    case ..<79: return [.mode(made.mode(number))]
    case ..<81: return [.tag(chance.one(in: 3) ? nil : "tag \(number)"), .imported("as of \(number)")]
    case ..<83: return [.remoteSettings(made.settings(number)), .commandsSeen(made.seen(number))]
    case ..<84: return [.announced((0...number % 5).map { "homeassistant/\($0)/\(number)" })]
    case ..<87: return [.pruneHistory(keep: Self.keptPoints - chance.below(60), since: nil)]
    case ..<89: return overflow(&chance)
    case ..<90: return [.removePoints(HistoryPart(numbers: Int64(number % 50)...Int64(number % 50 + 20)))]
    case ..<92: return [.journey(made.journey(number)), .position(made.fix(number))]
    case ..<97: return locations(1, length: 3000 + chance.below(18_000), &chance)
    // Too long for the log: a commit of its own. Not often, because the log begins anew with it and is never full.
    case ..<98 where chance.one(in: 3): return locations(3, length: 12_000, &chance)
    default: return many(&chance)
    }
  }

  private mutating func insert(isEvent: Bool, length: Int) -> StoreWrite {
    lastSequence += 1
    queue.append(lastSequence)
    return .insert(made.message(lastSequence, isEvent: isEvent, length: length))
  }

  /// The group commit of a board without coverage.
  private mutating func locations(_ count: Int, length: Int, _ chance: inout Chance) -> [StoreWrite] {
    var writes: [StoreWrite] = []
    for _ in 0..<count {
      number += 1
      writes.append(insert(isEvent: false, length: length))
      if chance.one(in: 2) { writes.append(.history(made.report(number))) }
    }
    return writes + [.position(made.fix(number))]
  }

  /// The broker has the oldest of them, or some.
  private mutating func acknowledged(_ count: Int, _ chance: inout Chance) -> [StoreWrite] {
    guard !queue.isEmpty else { return [] }
    var gone: [UInt64] = []
    for _ in 0..<min(count, queue.count) {
      gone.append(queue.remove(at: chance.one(in: 4) ? chance.below(min(20, queue.count)) : 0))
    }
    let removal = StoreWrite.remove(gone.sorted())
    return chance.one(in: 2) ? [removal, .position(made.fix(number))] : [removal]
  }

  private mutating func crossing(_ chance: inout Chance) -> [StoreWrite] {
    var region = made.region(chance.below(Self.regions), form: number)
    // Others are never told, and whether they are is not kept with those that were.
    region.isShared = true
    let isEnter = chance.one(in: 2)
    return [
      insert(isEvent: true, length: 300), .region(region, isEnter ? .inside : .outside),
      .entered(isEnter ? [EnteredRegion(region: region, isChanged: false)] : []),
      .journey(made.journey(number)),
    ]
  }

  /// The queue is full: some of it goes, and is counted.
  private mutating func overflow(_ chance: inout Chance) -> [StoreWrite] {
    guard queue.count > 20 else { return [] }
    let first = chance.below(10)
    let part = queue[first...(first + 1 + chance.below(9))]
    guard let from = part.first, let through = part.last else { return [] }
    queue.removeAll { $0 >= from && $0 <= through }
    dropped += part.count
    return [.removeRange(after: from - 1, through: through), .dropped(dropped)]
  }

  /// A batch of several sectors whose parts are small: where it is torn, most of them are whole.
  private mutating func many(_ chance: inout Chance) -> [StoreWrite] {
    var writes = (0..<Self.regions).map { StoreWrite.region(made.region($0, form: number), .outside) }
    writes += [.mode(made.mode(number)), .remoteSettings(made.settings(number)), .announced(["\(number)"])]
    return writes + acknowledged(8, &chance)
  }
}
