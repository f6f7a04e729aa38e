import Model
import Storage

/// What a start finds.
struct Found {
  /// As many as the daemon reads at once, or so.
  static let page = 64

  let snapshot: Snapshot
  let messages: [Message]
  let points: [HistoryPoint]
  private let isIndexed: Bool

  /// By a daemon, through its loop.
  init(_ snapshot: Snapshot, _ messages: [Message], _ points: [HistoryPoint]) {
    self.snapshot = snapshot
    self.messages = messages
    self.points = points
    isIndexed = true
  }

  private init(_ file: StoreFile) throws(StoreError) {
    snapshot = try file.snapshot()
    var messages: [Message] = []
    while true {
      let more = try file.load(after: messages.last?.sequence ?? 0, limit: Self.page)
      messages += more
      if more.count < Self.page { break }
    }
    self.messages = messages
    points = try file.history(Self.allPoints)
    let entries = try file.index(after: 0, limit: messages.count + 1)
    isIndexed = entries.map(\.sequence) == messages.map(\.sequence)
  }

  static var allPoints: HistoryQuery {
    var query = HistoryQuery()
    query.limit = 100_000
    return query
  }

  /// Opens the store, says what is in it, proves that it can be written, and looks whether the start after this one
  /// finds the same.
  static func words(in folder: String) -> String {
    do throws(StoreError) {
      let (found, damage, proof) = try start(in: folder)
      let file = try StoreFile(directory: folder)
      let again = try Found(file)
      return found.words(
        damaged: max(damage.count, file.quarantined), notices: damage.notices + file.takeNotices(),
        isKept: again.isSame(as: found, with: proof))
    } catch {
      return "{\"error\":\(Words.text(error.sentence))}"
    }
  }

  /// The first start, with a message that it writes; it ends like a process that is killed, without a checkpoint.
  private static func start(
    in folder: String
  ) throws(StoreError) -> (Found, damage: (count: Int, notices: [String]), proof: Message) {
    let file = try StoreFile(directory: folder)
    let found = try Found(file)
    let proof = message(found.snapshot.lastSequence + 1)
    try file.apply([.insert(proof)])
    return (found, (file.quarantined, file.takeNotices()), proof)
  }

  private func isSame(as before: Found, with proof: Message) -> Bool {
    messages == before.messages + [proof] && points == before.points
      && snapshot.regions == before.snapshot.regions
      && Words.states(snapshot) == Words.states(before.snapshot)
  }

  private static func message(_ sequence: UInt64) -> Message {
    Message(
      sequence: sequence, topic: "owntracks/board/van", payload: Array("{\"proof\":\(sequence)}".utf8),
      qos: 1,
      isRetained: false, isEvent: true, time: 1_700_000_000)
  }

  func words(damaged: Int, notices: [String], isKept: Bool) -> String {
    let fields = [
      "\"messages\":"
        + Words.list(messages.map { Words.list(["\($0.sequence)", Words.sum($0), "\($0.size)"]) }),
      "\"regions\":"
        + Words.list(snapshot.regions.map { Words.list([Words.text($0.region.rid), Words.sum($0)]) }),
      "\"states\":" + Words.states(snapshot),
      "\"points\":"
        + Words.list(
          points.map { Words.list(["\($0.number)", Words.sum($0.report), "\($0.report.time.seconds)"]) }),
      "\"last\":\(snapshot.lastSequence)", "\"first\":\(snapshot.firstSequence)",
      "\"queued\":\(snapshot.queued)", "\"bytes\":\(snapshot.queuedBytes)",
      "\"counted\":\(snapshot.historyCount)", "\"isIndexed\":\(isIndexed)", "\"damaged\":\(damaged)",
      "\"notices\":" + Words.list(notices.map(Words.text)), "\"isKept\":\(isKept)",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }
}
