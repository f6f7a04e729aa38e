import Testing
import Timebase

@testable import Uplink

/// What is remembered of a filter's refusals and ends, and until when.
@Suite struct SubscriptionMemoryTests {
  private static let own = "o/j/p/cmd"
  private var now: Instant { .zero }

  private func fresh() -> BrokerSubscriptions {
    var subscriptions = BrokerSubscriptions([Self.own], own: [Self.own])
    subscriptions.connected(isSessionPresent: false)
    return subscriptions
  }

  /// Connections that the broker ends over it.
  private func end(_ subscriptions: inout BrokerSubscriptions, times: Int) {
    for _ in 0..<times {
      subscriptions.connected(isSessionPresent: false)
      subscriptions.asked(Self.own, number: 1)
      subscriptions.ended(isByBroker: true, hasMessages: false, at: now)
    }
  }

  private func refuse(_ subscriptions: inout BrokerSubscriptions) {
    subscriptions.asked(Self.own, number: 1)
    subscriptions.answered(1, [0x80], at: now)
  }

  @Test func anAnswerForgetsTheEnds() {
    var subscriptions = fresh()
    end(&subscriptions, times: 4)
    subscriptions.asked(Self.own, number: 2)
    subscriptions.answered(2, [1], at: now)
    end(&subscriptions, times: 4)
    #expect(subscriptions.leftOut.isEmpty)
    end(&subscriptions, times: 1)
    #expect(subscriptions.leftOut == [.init(filter: Self.own, gap: .ended)])
  }

  @Test func forgivingForgetsTheEnds() {
    var subscriptions = fresh()
    end(&subscriptions, times: 5)
    #expect(subscriptions.leftOut.count == 1)
    subscriptions.forgive()
    end(&subscriptions, times: 4)
    #expect(subscriptions.leftOut.isEmpty)
  }

  @Test func grantOrForgivingResetsTheRetryDelay() {
    var subscriptions = fresh()
    refuse(&subscriptions)
    refuse(&subscriptions)
    #expect(subscriptions.dueAgain == now + .seconds(60))
    var forgiven = subscriptions
    forgiven.forgive()
    refuse(&forgiven)
    #expect(forgiven.dueAgain == now + .seconds(30))
    subscriptions.asked(Self.own, number: 2)
    subscriptions.answered(2, [1], at: now)
    refuse(&subscriptions)
    #expect(subscriptions.dueAgain == now + .seconds(30))
  }

  @Test func anAnswerAfterTheEndCountsForNothing() {
    var subscriptions = fresh()
    subscriptions.asked(Self.own, number: 1)
    subscriptions.ended(isByBroker: false, hasMessages: false, at: now)
    subscriptions.answered(1, [1], at: now)
    #expect(subscriptions.granted.isEmpty)
    #expect(subscriptions.missing == [.init(filter: Self.own, gap: .unanswered)])
  }

  @Test func invalidFilterIsLeftOutAlone() {
    var subscriptions = BrokerSubscriptions([Self.own, "#bad"], own: [Self.own])
    subscriptions.impossible("#bad", at: now)
    #expect(subscriptions.leftOut == [.init(filter: "#bad", gap: .refused)])
    #expect(subscriptions.due(at: now) == [Self.own])
  }

  @Test func onlyGrantedFiltersCoverTopics() {
    var subscriptions = BrokerSubscriptions([Self.own, "o/+/+"], own: [Self.own])
    #expect(subscriptions.granted.isEmpty && !subscriptions.covers("o/j/p"))
    subscriptions.asked("o/+/+", number: 1)
    #expect(subscriptions.granted.isEmpty && !subscriptions.covers("o/j/p"))
    subscriptions.answered(1, [1], at: now)
    #expect(subscriptions.granted == ["o/+/+"])
    #expect(subscriptions.covers("o/j/p") && !subscriptions.covers(Self.own))
  }
}
