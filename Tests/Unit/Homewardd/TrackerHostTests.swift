import Core
import Model
import Testing

@testable import homewardd

/// Who may decide, and in which order.
struct TrackerHostTests {
  private let scene: DaemonScene
  private var host: TrackerHost { scene.host }

  init() throws { scene = try DaemonScene() }

  /// Drains; who was answered.
  private func answered(_ more: (UInt64) -> Void = { _ in }) -> [UInt64] {
    var senders: [UInt64] = []
    _ = host.drain { effect in
      guard case .answer(_, let sender) = effect else { return }
      senders.append(sender)
      more(sender)
    }
    return senders
  }

  @Test func untilThereIsATrackerTheNewestWait() {
    for sender in 0..<1000 { host.post(.control(.why, from: UInt64(sender))) }
    #expect(!host.drain { _ in })
    #expect(host.inbox.count == TrackerHost.waitingLimit && host.wall == nil && host.status == nil)
    host.begin(scene.tracker())
    #expect(answered() == (100..<1000).map { UInt64($0) })
  }

  @Test func eventsPostedWhileDrainingJoinTheSameTurn() {
    host.begin(scene.tracker())
    host.post(.control(.why, from: 1))
    host.post(.control(.why, from: 2))
    #expect(answered { if $0 == 1 { host.post(.control(.why, from: 3)) } } == [1, 2, 3])
    #expect(host.inbox.isEmpty && answered() == [])
  }

  @Test func configurationPrecedesQueuedEvents() {
    host.post(.tick)
    host.postFirst(.configured(scene.settings.configuration, waypoints: []))
    #expect(host.waiting == ["configured", "tick"])
  }

  @Test func aTrackerThatWasHandedOverDecidesNothingBeforeItGoesOn() throws {
    host.begin(scene.tracker())
    let (before, _) = try #require(host.handOver(to: Snapshot()))
    host.post(.control(.why, from: 1))
    #expect(answered() == [] && host.inbox.count == 1)
    host.restore(before)
    #expect(answered() == [1])
  }

  @Test func withoutATrackerNothingIsHandedOver() {
    #expect(host.handOver(to: Snapshot())?.effects.count == nil)
  }
}
