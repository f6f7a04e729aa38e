import Core
import Model
import Testing
import Timebase

/// Every effect reaches the verb that is meant, in worlds that are values and in those that are objects.
struct EffectWorldTests {
  private static let message = Message(
    sequence: 7, topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false, time: 0)
  private static let report = Report.friendForgotten(topic: "t")

  private static let effects: [(effect: Effect, word: String)] = [
    (.published(report, message), "published 7"), (.announce(report, message), "announced 7"),
    (.send(message), "sent 7"), (.takeBack(over: message), "took back over 7"),
    (.takeBack(over: nil), "took back"),
    (.deadLetter(message, because: "too large"), "kept 7, too large"),
    (.takeRefused(first: 5, for: 9), "took refused as 5 for 9"), (.forgetRefused(first: 5), "forgot 5"),
    (.store(batch: 3, []), "wrote 3"), (.load(after: 5, limit: 6), "loaded 6 after 5"),
    (.loadIndex(after: 5, limit: 6), "indexed 6 after 5"), (.recall(HistoryQuery(), to: 9), "recalled for 9"),
    (.answer(.done(""), to: 9), "answered 9"), (.withheld(.offline), "withheld offline"),
    (.renew(.init(.request, id: .number(7), topic: nil)), "renewed"), (.adopt(Configuration()), "adopted"),
    (.setScan(.off), "duty 0"),
    (.setReceiver(isAwake: false, rest: .seconds(9)), "awake false 9.0"), (.halt(nil), "stays on"),
    (.halt(.batteryLow(volts: 11)), "off"),
  ]

  @Test func everyEffectReachesItsVerb() {
    var world = Notes()
    let page = Page()
    for (effect, _) in Self.effects {
      world.perform(effect)
      page.perform(effect)
    }
    #expect(world.words == Self.effects.map(\.word))
    #expect(page.notes.words == world.words)
  }

  /// A world that only writes down.
  private struct Notes: EffectWorld {
    var words: [String] = []

    mutating func published(_ report: Report, as message: Message) {
      words.append("published \(message.sequence)")
    }
    mutating func announce(_ report: Report, as message: Message) {
      words.append("announced \(message.sequence)")
    }
    mutating func send(_ message: Message) { words.append("sent \(message.sequence)") }
    mutating func takeBack(over message: Message?) {
      words.append("took back" + (message.map { " over \($0.sequence)" } ?? ""))
    }
    mutating func keep(_ message: Message, because reason: String) {
      words.append("kept \(message.sequence), \(reason)")
    }
    mutating func takeRefused(first: UInt64, for sender: UInt64) {
      words.append("took refused as \(first) for \(sender)")
    }
    mutating func forgetRefused(first: UInt64) { words.append("forgot \(first)") }
    mutating func write(_ batch: UInt64, _ writes: [StoreWrite]) { words.append("wrote \(batch)") }
    mutating func load(after sequence: UInt64, limit: Int) {
      words.append("loaded \(limit) after \(sequence)")
    }
    mutating func loadIndex(after sequence: UInt64, limit: Int) {
      words.append("indexed \(limit) after \(sequence)")
    }
    mutating func recall(_ query: HistoryQuery, for sender: UInt64) { words.append("recalled for \(sender)") }
    mutating func reply(_ answer: ControlAnswer, to sender: UInt64) { words.append("answered \(sender)") }
    mutating func explain(withheld reason: Reason) { words.append("withheld \(reason.word)") }
    mutating func renew(_ order: CertificateOrder) { words.append("renewed") }
    mutating func journal(_ news: SettingsNews) { words.append("told") }
    mutating func adopt(_ settings: Configuration) { words.append("adopted") }
    mutating func setScan(_ plan: ScanPlan) { words.append("duty \(plan.duty)") }
    mutating func setReceiver(isAwake: Bool, rest: Span?) {
      words.append("awake \(isAwake) \(rest?.seconds ?? 0)")
    }
    mutating func switchOff(_ cause: HaltCause?, wakeAfter: Int?) {
      words.append(cause == nil ? "stays on" : "off" + (wakeAfter.map { " for \($0) s" } ?? ""))
    }
  }

  /// The same, as an object.
  private final class Page: EffectWorld {
    var notes = Notes()

    func published(_ report: Report, as message: Message) { notes.published(report, as: message) }
    func announce(_ report: Report, as message: Message) { notes.announce(report, as: message) }
    func send(_ message: Message) { notes.send(message) }
    func takeBack(over message: Message?) { notes.takeBack(over: message) }
    func keep(_ message: Message, because reason: String) { notes.keep(message, because: reason) }
    func takeRefused(first: UInt64, for sender: UInt64) { notes.takeRefused(first: first, for: sender) }
    func forgetRefused(first: UInt64) { notes.forgetRefused(first: first) }
    func write(_ batch: UInt64, _ writes: [StoreWrite]) { notes.write(batch, writes) }
    func load(after sequence: UInt64, limit: Int) { notes.load(after: sequence, limit: limit) }
    func loadIndex(after sequence: UInt64, limit: Int) { notes.loadIndex(after: sequence, limit: limit) }
    func recall(_ query: HistoryQuery, for sender: UInt64) { notes.recall(query, for: sender) }
    func reply(_ answer: ControlAnswer, to sender: UInt64) { notes.reply(answer, to: sender) }
    func explain(withheld reason: Reason) { notes.explain(withheld: reason) }
    func renew(_ order: CertificateOrder) { notes.renew(order) }
    func journal(_ news: SettingsNews) { notes.journal(news) }
    func adopt(_ settings: Configuration) { notes.adopt(settings) }
    func setScan(_ plan: ScanPlan) { notes.setScan(plan) }
    func setReceiver(isAwake: Bool, rest: Span?) { notes.setReceiver(isAwake: isAwake, rest: rest) }
    func switchOff(_ cause: HaltCause?, wakeAfter: Int?) { notes.switchOff(cause, wakeAfter: wakeAfter) }
  }
}
