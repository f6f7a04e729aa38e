import Core
import Model

/// Who is told that it is done may pull the plug: what people's requests have sent to the disk is there by then.
struct AnswersToPeople: Judge {
  /// What somebody has ordered, and would look for after a power cut.
  private enum Matter: Hashable {
    case mode, tag
    case region(rid: String)
    case message(Ledger.Content)
  }

  /// As things were when the order came that is being handled.
  private struct Before {
    var sender: UInt64
    var regions: [String: Region]
    var mode: ModeState?
    var made: Int
    var isTag: Bool
    /// The last batch that the disk was given without it.
    var batch: UInt64
    var isSettled = false
  }

  private struct Order {
    var batch: UInt64
    /// What no batch since has brought to the disk.
    var open: Set<Matter>
  }

  private var asking: Before?
  private var orders: [UInt64: Order] = [:]
  /// Who waits for which batches.
  private var awaited: [UInt64: Set<UInt64>] = [:]
  /// Who has the queue cleared, and what was on the card then and nowhere else.
  private var doomed: [UInt64: Set<UInt64>] = [:]
  /// The last batch.
  private var newest: UInt64 = 0
  /// Who still waits is answered before the end.
  private var isLeaving = false

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    case .event(let event):
      if case .stopping = event { isLeaving = true }
      settle(world.tracker, world.ledger.made)
      begin(event, world.tracker, made: world.ledger.made.count) {
        world.card.twin.queued.now.subtracting(Self.inFlight(world))
      }
    case .ordered(let batch, let writes):
      settle(world.tracker, world.ledger.made)
      ordered(batch, writes)
    case .answered(let answer, let sender): judge(answer, to: sender, world)
    default: break
    }
  }

  /// Those of batches among them, which the client knows only by their first.
  private static func inFlight(_ world: World) -> Set<UInt64> {
    let messages = world.client.inFlight.map(\.message)
    let parts = Set(messages.flatMap(world.parts).map(Ledger.Content.init))
    let known = world.process.writing.known.filter { parts.contains(Ledger.Content($0.value)) }
    return Set(messages.map(\.sequence)).union(known.keys)
  }

  private mutating func judge(_ answer: ControlAnswer, to sender: UInt64, _ world: World) {
    settle(world.tracker, world.ledger.made)
    let isAllGiven = orders.removeValue(forKey: sender)?.open.isEmpty ?? true
    let waits = awaited.removeValue(forKey: sender) ?? []
    let cleared = doomed.removeValue(forKey: sender) ?? []
    guard world.process.desk != nil, world.process.takingUp == nil, !isLeaving,
      world.queue?.isStoreFailing == false
    else { return }
    if let batch = waits.first(where: { world.process.writing.batches[$0] != nil }) {
      world.complain(.delivered, "a person has an answer, and batch \(batch) is not on the disk")
    }
    if case .done = answer, !isAllGiven {
      world.complain(.delivered, "a person is told that it is done, and the disk was not given all of it")
    }
    // With the next power cut it would be sent all the same.
    if let back = cleared.intersection(world.card.twin.queued.synced).min() {
      world.complain(.limits, "a person was told that the queue is empty, and \(back) is on the card")
    }
  }

  /// `kept`: what waits on the card.
  private mutating func begin(
    _ event: Event, _ tracker: LivingTracker?, made: Int, kept: () -> Set<UInt64>
  ) {
    asking = nil
    guard case .control(let request, let sender, _) = event, !request.isQuestion else { return }
    asking = Before(
      sender: sender, regions: Self.regions(of: tracker), mode: tracker?.mode, made: made,
      isTag: request.isTag, batch: newest)
    guard case .queueClear = request else { return }
    doomed[sender] = kept()
    // What waited to be written is not wanted any more.
    for (other, order) in orders {
      orders[other]?.open = order.open.filter { if case .message = $0 { false } else { true } }
    }
  }

  /// The order was carried out, as far as the tracker goes: what has come of it is owed to the disk.
  private mutating func settle(_ tracker: LivingTracker?, _ made: [Ledger.Made]) {
    guard let before = asking, !before.isSettled else { return }
    asking?.isSettled = true
    var open: Set<Matter> = before.isTag ? [.tag] : []
    if tracker?.mode != before.mode { open.insert(.mode) }
    let regions = Self.regions(of: tracker)
    for rid in Set(regions.keys).union(before.regions.keys) where regions[rid] != before.regions[rid] {
      // It goes along with what is told, ordered or not.
      if regions[rid]?.isFollow == true, before.regions[rid] != nil { continue }
      open.insert(.region(rid: rid))
    }
    for one in made[before.made...] where one.isEvent {
      open.insert(.message(one.content))
    }
    orders[before.sender] = Order(batch: before.batch, open: open)
  }

  private mutating func ordered(_ batch: UInt64, _ writes: [StoreWrite]) {
    // Another tracker has taken over, and counts anew.
    if batch <= newest { orders = [:] }
    newest = batch
    let brought = Set(writes.compactMap(Self.matter))
    // It may have had to wait for the batch before.
    for (sender, order) in orders where batch > order.batch && !order.open.isDisjoint(with: brought) {
      orders[sender]?.open.subtract(brought)
      awaited[sender, default: []].insert(batch)
    }
    guard let asking, writes.contains(where: Self.isOfConsequence) else { return }
    awaited[asking.sender, default: []].insert(batch)
  }

  private static func regions(of tracker: LivingTracker?) -> [String: Region] {
    let known = tracker?.knownRegions.map { ($0.region.rid, $0.region) } ?? []
    return Dictionary(known) { first, _ in first }
  }

  private static func matter(of write: StoreWrite) -> Matter? {
    switch write {
    case .mode: .mode
    case .tag: .tag
    case .region(let region, _): .region(rid: region.rid)
    case .regionRemoved(let rid): .region(rid: rid)
    case .insert(let message): .message(Ledger.Content(message))
    default: nil
    }
  }

  private static func isOfConsequence(_ write: StoreWrite) -> Bool {
    switch write {
    case .insert(let message): message.isEvent
    case .mode, .region, .regionRemoved, .remoteSettings, .removeRange, .tag: true
    default: false
    }
  }
}

extension ControlRequest {
  fileprivate var isTag: Bool { if case .tag = self { true } else { false } }
}
