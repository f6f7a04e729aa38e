import Glibc
import Loop
import Model
import Storage
import Timebase

/// One life of a daemon as its store sees it: batches of every kind, through the loop and the worker, with a mark
/// before each is given and one after it was answered.
final class Writer {
  /// Batches that wait for their answer, at most: what begins and is not yet durable the judge tries in all ways.
  private static let mostUnderWay = 3
  /// Batches in a row that need no sync, for the same reason.
  private static let mostUnsynced = 5

  private let loop: EventLoop
  private let worker: Worker
  private let marks: Int32
  private var chance: Chance
  private var orders: Orders
  private lazy var store = Store(loop: loop, worker: worker) { [unowned self] in heard($0) }
  private var given: UInt64 = 0
  private var answered: UInt64 = 0
  private var unsynced = 0
  private var isReading = false
  private var page: [Message] = []
  private var notices: [String] = []

  init(folder: String, marks: Int32, seed: UInt64) throws {
    self.marks = marks
    chance = Chance(seed)
    orders = Orders(life: seed)
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "store")
    var opened: Result<Snapshot, StoreError>?
    store.open(directory: folder) { opened = $0 }
    while opened == nil { loop.runOnce(within: .milliseconds(20)) }
    switch opened {
    case .success(let snapshot):
      orders.goOn(from: snapshot)
      tell(snapshot)
    case .failure(let error): releaseAssert(false, error.sentence)
    case nil: break
    }
  }

  /// All that there is: the killing of a process takes nothing, and from here on it is promised.
  private func tell(_ snapshot: Snapshot) {
    var messages: [Message] = []
    repeat {
      read(after: messages.last?.sequence ?? 0, limit: Found.page)
      messages += page
    } while page.count == Found.page
    orders.queue = messages.map(\.sequence)
    var points: [HistoryPoint]?
    store.history(Found.allPoints) { points = try? $0.get() }
    wait { points != nil }
    let found = Found(snapshot, messages, points ?? [])
    let words = found.words(damaged: store.status.quarantined, notices: notices, isKept: true)
    put("found \(words)\n", to: marks)
  }

  /// Writes that many batches.
  func live(_ batches: Int) {
    for _ in 0..<batches {
      let writes = orders.next(&chance, isSyncWanted: unsynced >= Self.mostUnsynced)
      give(writes)
      // Mostly one after the other; sometimes some gather behind a busy disk and become one.
      let atOnce = chance.one(in: 4) ? Self.mostUnderWay : 1
      wait { self.given - self.answered < atOnce }
      if chance.one(in: 25) { read(after: UInt64(chance.below(1000))) }
    }
    wait { self.answered == self.given }
  }

  /// A daemon that is stopped.
  func close() {
    var isClosed = false
    store.close { isClosed = true }
    wait { isClosed }
    put("closed\n", to: marks)
  }

  private func give(_ writes: [StoreWrite]) {
    unsynced = Orders.isSynced(writes) ? 0 : unsynced + 1
    given += 1
    put("begin \(given) \(Words.list(writes.map(Words.order)))\n", to: marks)
    store.write(batch: given, writes)
  }

  private func read(after sequence: UInt64, limit: Int = 500) {
    isReading = true
    store.load(after: sequence, limit: limit)
    wait { !self.isReading }
  }

  private func wait(_ isDone: () -> Bool) {
    while !isDone() { loop.runOnce(within: .milliseconds(20)) }
  }

  private func heard(_ event: Store.Event) {
    switch event {
    case .stored(let batch, _):
      answered = batch
      put("stored \(batch)\n", to: marks)
    case .failed(_, let cause, _): releaseAssert(false, "a disk without faults: \(cause)")
    case .loaded(let messages):
      page = messages
      isReading = false
    case .indexed: break
    case .noticed(let line): notices.append(line)
    }
  }
}

/// SplitMix64: the same for the same seed, on every machine.
struct Chance {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  mutating func one(in count: Int) -> Bool { below(count) == 0 }
}
