import Model
import Timebase

/// Performs the effects of the tracker: a board, a replay or a simulation. `perform` is the only place that
/// interprets an `Effect`; each world implements the actions.
public protocol EffectWorld {
  /// The report has become this message and is in the queue.
  mutating func published(_ report: Report, as message: Message)
  /// Bypasses the queue; not acknowledged.
  mutating func announce(_ report: Report, as message: Message)
  /// Only while connected, never more than the window allows.
  mutating func send(_ message: Message)
  /// Sent messages without an answer are given back, each by `sendFailed`; the connection has ended over this one.
  mutating func takeBack(over message: Message?)
  /// A dead letter, kept for a person.
  mutating func keep(_ message: Message, because reason: String)
  /// The refused messages are read from a file of their own, for a person; answered by `refusedTaken`, or to that
  /// person.
  mutating func takeRefused(first: UInt64, for sender: UInt64)
  /// The messages that were taken are in the store.
  mutating func forgetRefused(first: UInt64)

  /// All or nothing; answered by `stored` or `storeFailed`.
  mutating func write(_ batch: UInt64, _ writes: [StoreWrite])
  /// Answered by `loaded`.
  mutating func load(after sequence: UInt64, limit: Int)
  /// Answered by `indexed`.
  mutating func loadIndex(after sequence: UInt64, limit: Int)

  /// Points of the history, for a person.
  mutating func recall(_ query: HistoryQuery, for sender: UInt64)
  /// To a person.
  mutating func reply(_ answer: ControlAnswer, to sender: UInt64)
  /// Why something was not published.
  mutating func explain(withheld reason: Reason)
  /// The board's certificate; answered by `certificateSettled`.
  mutating func renew(_ order: CertificateOrder)
  /// A line for the journal.
  mutating func journal(_ news: SettingsNews)

  /// In force from here on.
  mutating func adopt(_ settings: Configuration)
  /// Which beacons to listen for, and how hard.
  mutating func setScan(_ plan: ScanPlan)
  /// Let the receiver rest, or wake it. `rest`: until it is woken; nil: not known.
  mutating func setReceiver(isAwake: Bool, rest: Span?)
  /// Nil: it need not be switched off any more. `wakeAfter`: seconds until its alarm switches it on again; nil: it has none.
  mutating func switchOff(_ cause: HaltCause?, wakeAfter: Int?)
}

extension EffectWorld {
  /// For a world that is a value.
  @inlinable
  @inline(__always)
  public mutating func perform(_ effect: Effect) { Self.perform(effect, in: &self) }

  /// Inlined, so that each world has a copy of its own and none of them pays for the others: optimised for size, the
  /// compiler would make one for all, which looks up every action.
  @inlinable
  @inline(__always)
  public static func perform(_ effect: Effect, in world: inout Self) {
    switch effect {
    case .published(let report, let message): world.published(report, as: message)
    case .announce(let report, let message): world.announce(report, as: message)
    case .send(let message): world.send(message)
    case .takeBack(let message): world.takeBack(over: message)
    case .deadLetter(let message, let reason): world.keep(message, because: reason)
    case .takeRefused(let first, let sender): world.takeRefused(first: first, for: sender)
    case .forgetRefused(let first): world.forgetRefused(first: first)
    case .store(let batch, let writes): world.write(batch, writes)
    case .load(let after, let limit): world.load(after: after, limit: limit)
    case .loadIndex(let after, let limit): world.loadIndex(after: after, limit: limit)
    case .recall(let query, let sender): world.recall(query, for: sender)
    case .answer(let answer, let sender): world.reply(answer, to: sender)
    case .withheld(let reason): world.explain(withheld: reason)
    case .renew(let order): world.renew(order)
    case .settingsChanged(let news): world.journal(news)
    case .adopt(let settings): world.adopt(settings)
    case .setScan(let plan): world.setScan(plan)
    case .setReceiver(let isAwake, let rest): world.setReceiver(isAwake: isAwake, rest: rest)
    case .halt(let cause, let seconds): world.switchOff(cause, wakeAfter: seconds)
    }
  }
}

extension EffectWorld where Self: AnyObject {
  /// For a world that is an object: the reference stays the same.
  @inlinable
  @inline(__always)
  public func perform(_ effect: Effect) {
    var world = self
    Self.perform(effect, in: &world)
  }
}
