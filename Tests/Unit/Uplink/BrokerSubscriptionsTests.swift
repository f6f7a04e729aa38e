import Testing
import Timebase

@testable import Uplink

// behaviour: Subscribing and receiving
/// What counts as subscribed, what is asked for again, and what is left out.
struct BrokerSubscriptionsTests {
  private static let own = ["o/j/p/cmd", "o/j/p/listento"]
  private static let others = ["o/+/+", "o/+/+/info"]

  private var now: Instant { .zero }

  private func fresh() -> BrokerSubscriptions {
    var subscriptions = BrokerSubscriptions(Self.others + Self.own, own: Self.own)
    subscriptions.connected(isSessionPresent: false)
    return subscriptions
  }

  /// Asks for what is due; the numbers are 1, 2, 3 ... in that order.
  private func ask(_ subscriptions: inout BrokerSubscriptions, at now: Instant = .zero) -> [String] {
    let due = subscriptions.due(at: now)
    for (index, filter) in due.enumerated() { subscriptions.asked(filter, number: Int32(index + 1)) }
    return due
  }

  @Test func ourCommandsAreAskedForFirst() {
    var subscriptions = fresh()
    #expect(ask(&subscriptions) == Self.own + Self.others)
  }

  @Test func onlyAnAnswerCounts() {
    var subscriptions = fresh()
    _ = ask(&subscriptions)
    #expect(subscriptions.missing.map(\.filter) == Self.own + Self.others)
    subscriptions.answered(1, [1], at: now)
    #expect(subscriptions.missing.map(\.filter) == [Self.own[1]] + Self.others)
    #expect(subscriptions.missing.allSatisfy { $0.gap == .unanswered })
  }

  @Test func unansweredFiltersAreRequestedAgainInKeptSession() {
    var subscriptions = fresh()
    _ = ask(&subscriptions)
    subscriptions.answered(1, [1], at: now)
    subscriptions.ended(isByBroker: false, hasMessages: true, at: now)
    subscriptions.connected(isSessionPresent: true)
    #expect(ask(&subscriptions) == [Self.own[1]] + Self.others)
  }

  @Test func aLostSessionIsAskedForWhole() {
    var subscriptions = fresh()
    _ = ask(&subscriptions)
    for number in Int32(1)...4 { subscriptions.answered(number, [1], at: now) }
    subscriptions.ended(isByBroker: true, hasMessages: false, at: now)
    subscriptions.connected(isSessionPresent: true)
    #expect(ask(&subscriptions).isEmpty)
    subscriptions.connected(isSessionPresent: false)
    #expect(ask(&subscriptions).count == 4)
  }

  @Test func aRefusedFilterIsNamedAndOurOwnAskedForAgain() {
    var subscriptions = fresh()
    _ = ask(&subscriptions)
    for number in Int32(1)...4 { subscriptions.answered(number, [number == 1 ? 0x80 : 1], at: now) }
    #expect(subscriptions.missing == [.init(filter: Self.own[0], gap: .refused)])
    let again = subscriptions.dueAgain
    #expect(again == now + .seconds(30))
    #expect(ask(&subscriptions, at: now + .seconds(29)).isEmpty)
    #expect(ask(&subscriptions, at: now + .seconds(30)) == [Self.own[0]])
    subscriptions.answered(1, [0x87], at: now)
    #expect(subscriptions.dueAgain == now + .seconds(60))
  }

  @Test func firstUnansweredFilterIsBlamedForTheEnd() {
    var subscriptions = fresh()
    _ = ask(&subscriptions)
    for number in Int32(1)...2 { subscriptions.answered(number, [1], at: now) }
    subscriptions.ended(isByBroker: true, hasMessages: false, at: now)
    #expect(subscriptions.leftOut == [.init(filter: Self.others[0], gap: .ended)])
    subscriptions.connected(isSessionPresent: true)
    #expect(ask(&subscriptions) == [Self.others[1]])
  }

  @Test func withMessagesUnderWayTheNextConnectionIsCareful() {
    var subscriptions = fresh()
    _ = ask(&subscriptions)
    subscriptions.ended(isByBroker: true, hasMessages: true, at: now)
    #expect(subscriptions.isCareful && subscriptions.leftOut.isEmpty)
    subscriptions.connected(isSessionPresent: false)
    _ = ask(&subscriptions)
    for number in Int32(1)...4 { subscriptions.answered(number, [1], at: now) }
    #expect(!subscriptions.isCareful)
  }

  /// A connection that ends with messages under way may have ended over one of them: no filter is given up for that.
  @Test func endWithMessagesInFlightBlamesNoFilter() {
    var subscriptions = fresh()
    for _ in 0..<20 {
      #expect(ask(&subscriptions) == Self.own + Self.others)
      subscriptions.ended(isByBroker: true, hasMessages: true, at: now)
      subscriptions.connected(isSessionPresent: false)
    }
    #expect(subscriptions.missing.allSatisfy { $0.gap == .unanswered })
  }

  /// However often it was refused, an hour later it is asked for again.
  @Test func ourCommandsAreLeftOutForAnHourAtMost() {
    var subscriptions = BrokerSubscriptions(["o/j/p/cmd"], own: ["o/j/p/cmd"])
    var moment = now
    var waits: [Double] = []
    for _ in 0..<12 {
      #expect(ask(&subscriptions, at: moment) == ["o/j/p/cmd"])
      subscriptions.answered(1, [0x87], at: moment)
      let due = subscriptions.dueAgain ?? moment
      waits.append((due - moment).seconds)
      moment = due
    }
    #expect(waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600])
  }

  @Test func ourCommandsAreGivenUpLateAndNotForLong() {
    var subscriptions = BrokerSubscriptions(["o/j/p/cmd"], own: ["o/j/p/cmd"])
    for _ in 0..<5 {
      subscriptions.connected(isSessionPresent: false)
      #expect(ask(&subscriptions) == ["o/j/p/cmd"])
      subscriptions.ended(isByBroker: true, hasMessages: false, at: now)
    }
    #expect(subscriptions.missing == [.init(filter: "o/j/p/cmd", gap: .ended)])
    #expect(subscriptions.dueAgain == now + .seconds(30))
    // One more end leaves it out for longer, one answer forgets it all.
    subscriptions.connected(isSessionPresent: false)
    #expect(ask(&subscriptions, at: now + .seconds(30)) == ["o/j/p/cmd"])
    subscriptions.ended(isByBroker: true, hasMessages: false, at: now + .seconds(30))
    #expect(subscriptions.dueAgain == now + .seconds(90))
    #expect(ask(&subscriptions, at: now + .seconds(90)) == ["o/j/p/cmd"])
    subscriptions.answered(1, [1], at: now + .seconds(90))
    #expect(subscriptions.missing.isEmpty)
  }

  @Test func aNetworkThatIsLostCountsAgainstNoFilter() {
    var subscriptions = fresh()
    for _ in 0..<50 {
      subscriptions.connected(isSessionPresent: false)
      #expect(ask(&subscriptions).count == 4)
      subscriptions.ended(isByBroker: false, hasMessages: false, at: now)
    }
    #expect(subscriptions.leftOut.isEmpty)
  }

  @Test func overrunDropsFiltersOfOthersFirst() {
    var subscriptions = fresh()
    #expect(subscriptions.reachesOthers)
    subscriptions.overran(evenOwn: false, at: now)
    #expect(!subscriptions.reachesOthers)
    #expect(subscriptions.due(at: now) == Self.own)
    subscriptions.overran(evenOwn: true, at: now)
    #expect(subscriptions.due(at: now).isEmpty)
    #expect(subscriptions.dueAgain != nil)
  }

  // MARK: Any cut

  /// A broker that keeps sessions, a line that is cut anywhere, restarts on either side: whatever was, what counts
  /// as subscribed is subscribed, and after one whole connection everything is.
  @Test func randomCutsLeaveAllFiltersSubscribed() {
    for seed in UInt64(1)...10_000 {
      var world = DeafWorld(seed: seed)
      let deaf = world.run()
      #expect(deaf == nil, "seed \(seed): \(deaf ?? "")")
    }
  }
}

/// The machine against a broker's memory.
private struct DeafWorld {
  private static let filters = ["cmd", "listento", "o/+/+"]
  private var dice: Dice
  private var subscriptions = DeafWorld.machine
  private var session: Set<String>?
  private var now = Instant.zero

  private static var machine: BrokerSubscriptions { .init(filters, own: ["cmd", "listento"]) }

  init(seed: UInt64) { dice = Dice(seed) }

  mutating func run() -> String? {
    for _ in 0..<dice.below(20) {
      switch dice.below(10) {
      case 0: session = nil
      case 1: subscriptions = Self.machine
      case 2:
        // A greeting that never arrives: the broker has the session now, if it had none before.
        session = session ?? []
        subscriptions.sessionInDoubt()
      case _: if let wrong = connect(cut: true) { return wrong }
      }
      now = now + .seconds(Double(dice.below(4000)))
    }
    // Long enough for everything that was left out.
    now = now + .minutes(61)
    if let wrong = connect(cut: false) { return wrong }
    return session?.isSuperset(of: Self.filters) == true ? nil : "only \(session ?? []) are subscribed"
  }

  /// The broker hears the first so many requests, we hear fewer of its answers.
  private mutating func connect(cut: Bool) -> String? {
    subscriptions.connected(isSessionPresent: session != nil)
    let due = subscriptions.due(at: now)
    for (index, filter) in due.enumerated() { subscriptions.asked(filter, number: Int32(index)) }
    let heard = cut ? dice.below(due.count + 1) : due.count
    let answered = cut ? dice.below(heard + 1) : heard
    session = (session ?? []).union(due.prefix(heard))
    for number in 0..<answered { subscriptions.answered(Int32(number), [1], at: now) }
    let granted = Set(Self.filters).subtracting(subscriptions.missing.map(\.filter))
    guard session?.isSuperset(of: granted) == true else { return "\(granted) count, \(session ?? []) are" }
    subscriptions.ended(isByBroker: dice.below(2) == 0, hasMessages: dice.below(2) == 0, at: now)
    return nil
  }
}

/// Numbers that are the same for a seed, always (splitmix64).
private struct Dice {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ mixed >> 31) % UInt64(max(1, limit)))
  }
}
