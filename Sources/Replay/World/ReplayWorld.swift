import Answers
import Core
import Model
import OwnTracks
import Timebase

/// The world of a replay: it does what the tracker asks for as the daemon would, with a broker and a store that exist
/// only here. Where nobody is there to do it nothing is printed.
struct ReplayWorld: EffectWorld {
  /// A board that has been up for a while: instants before the first line stay positive.
  static let start = Instant.zero + .seconds(1000)

  let output: ReplayOutput
  var now = Self.start
  /// Events that the tracker has not been given yet.
  var inbox: [Event] = []
  var store: MemoryStore
  var broker = VirtualBroker()
  var ledger = DeliveryLedger()
  var scan = ScanPlan.off
  private(set) var encoder: Encoder
  private let hostName: String

  init(_ settings: Configuration, hostName: String, store: MemoryStore, output: ReplayOutput) {
    self.output = output
    self.hostName = hostName
    self.store = store
    encoder = Encoder(settings, hostName: hostName)
  }

  /// Since the timeline's beginning.
  var elapsed: Span { now - Self.start }

  /// Another process goes by these settings.
  mutating func restarted(with settings: Configuration) {
    encoder = Encoder(settings, hostName: hostName)
  }

  mutating func published(_ report: Report, as message: Message) {
    ledger.created(message)
    output.publish(report, as: message, at: elapsed)
  }

  mutating func announce(_ report: Report, as message: Message) {
    output.publish(report, as: message, at: elapsed)
  }

  mutating func send(_ message: Message) {
    ledger.note(message)
    broker.take(message, at: now)
  }

  mutating func takeBack(over message: Message?) { inbox += broker.giveBack().map { .sendFailed($0) } }

  mutating func keep(_ message: Message, because reason: String) {
    inbox.append(.letterKept(message.sequence))
  }

  mutating func takeRefused(first: UInt64, for sender: UInt64) {
    reply(.failed("a replay has no file of refused messages"), to: sender)
  }
  mutating func forgetRefused(first: UInt64) {}
  mutating func renew(_ order: CertificateOrder) {
    inbox.append(.certificateSettled(order.result(.refused, reason: "a replay has no certificate")))
  }

  mutating func write(_ batch: UInt64, _ writes: [StoreWrite]) {
    for write in writes {
      if case .insert(let message) = write { ledger.note(message) }
      store.apply(write)
    }
    inbox.append(.stored(batch: batch, points: store.historyCount))
  }

  mutating func load(after sequence: UInt64, limit: Int) {
    inbox.append(.loaded(store.messages(after: sequence, limit: limit)))
  }

  mutating func loadIndex(after sequence: UInt64, limit: Int) {
    inbox.append(.indexed(store.index(after: sequence, limit: limit)))
  }

  mutating func recall(_ query: HistoryQuery, for sender: UInt64) {
    // Sender 0 is the export alone: it only wants everything in the store.
    guard sender != 0 else { return }
    let points = store.history(query)
    output.answer(HistoryQuery.answer(points, encoder, isLast: points.count < query.limit), at: elapsed)
  }

  mutating func reply(_ answer: ControlAnswer, to sender: UInt64) {
    output.answer(Answer.json(answer, encoder.topics), at: elapsed)
  }

  mutating func explain(withheld reason: Reason) { output.withheld(reason, at: elapsed) }
  mutating func journal(_ news: SettingsNews) {}

  /// Another connection is made at once, where the broker is up.
  mutating func adopt(_ settings: Configuration) {
    let old = encoder
    encoder = Encoder(settings, hostName: hostName)
    guard broker.isUp, settings.broker.port != 0, !old.isSameConnection(as: encoder) else { return }
    inbox += [.brokerLost(ConnectionEnd(.replaced)), .brokerConnected(receiveMaximum: nil)]
  }

  mutating func setScan(_ plan: ScanPlan) { scan = plan }
  mutating func setReceiver(isAwake: Bool, rest: Span?) {}
  mutating func switchOff(_ cause: HaltCause?, wakeAfter: Int?) {}
}
