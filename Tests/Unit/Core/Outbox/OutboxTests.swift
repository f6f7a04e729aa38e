import Core
import Model
import Testing

@Suite struct OutboxTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }, regions: [Snapshot.KnownRegion] = [])
    -> Scene
  {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
        $0.reports.locatorInterval = 0
        change(&$0)
      }, regions: regions)
  }

  // behaviour: What is durable when
  @Test func anAcknowledgedLocationNeverReachesTheDisk() {
    var scene = scene()
    scene.connect()
    for second in 1...50 { scene.fix(at: Double(second), 0) }
    scene.run(until: 60)
    #expect(scene.sent.count == 50)
    #expect(!scene.writes.contains { if case .insert = $0 { true } else { false } })
  }

  // behaviour: What is durable when
  @Test func anUnacknowledgedLocationIsOnTheDiskWithinASecond() {
    var scene = scene()
    scene.connect()
    scene.acknowledges = false
    scene.fix(at: 1, 0)
    scene.run(until: 1.95)
    #expect(scene.disk.count == 1)
  }

  // behaviour: What is durable when
  @Test func anEventIsDurableBeforeItIsSent() {
    var scene = scene(regions: [Scene.home()])
    scene.connect()
    scene.isDiskSlow = true
    scene.fix(at: 1, 500)
    scene.fix(at: 2, 0)
    #expect(scene.sent.count == 1)
    scene.finishWrites(at: 3)
    #expect(scene.sent.map(\.isEvent) == [false, true, false])
  }

  // behaviour: The window and the limits
  @Test func theWindowStartsSmallAndGrowsWithAcknowledgements() {
    var scene = scene()
    for second in 1...300 { scene.fix(at: Double(second), 0) }
    scene.acknowledges = false
    scene.connect(at: 301)
    #expect(scene.sent.count == 20)
    scene.post(.acknowledged(scene.sent.map(\.sequence)), at: 302)
    #expect(scene.sent.count == 60)
  }

  @Test func messagesResentOnReconnectAreCounted() {
    var scene = scene()
    scene.connect()
    scene.acknowledges = false
    for second in 1...5 { scene.fix(at: Double(second), 0) }
    scene.post(.brokerLost(), at: 6)
    scene.connect(at: 7)
    let again = scene.tracker.status(at: scene.now).queue
    #expect(again.resent == 5 && again.lastConfirmed == nil)
    scene.post(.acknowledged([1]), at: 8)
    scene.run(until: 20)
    #expect(scene.tracker.status(at: scene.now).queue.lastConfirmed == 12)
  }

  // behaviour: The window and the limits
  @Test func theBrokersReceiveMaximumIsHonoured() {
    var scene = scene()
    for second in 1...300 { scene.fix(at: Double(second), 0) }
    scene.acknowledges = false
    scene.connect(at: 301, receiveMaximum: 5)
    #expect(scene.sent.count == 5)
  }

  // behaviour: What is durable when
  @Test func aLongBacklogIsSentInOrderAndNothingTwice() {
    var scene = scene()
    for second in 1...3000 { scene.fix(at: Double(second), 0) }
    scene.connect(at: 3001)
    for second in 3002...3010 { scene.fix(at: Double(second), 0) }
    scene.run(until: 3020)
    let times = scene.sent.map(\.time)
    #expect(times.count == 3009)
    #expect(times == times.sorted() && Set(times).count == times.count)
    #expect(scene.disk.isEmpty)
    #expect(scene.tracker.status(at: scene.now).queue.count == 0)
  }

  // behaviour: The window and the limits
  @Test func aFullQueueThinsLocationsEvenlyAndKeepsEveryEvent() {
    var scene = scene({ $0.queue.limit = 100 }, regions: [Scene.home()])
    for second in 1...1000 { scene.fix(at: Double(second), second % 100 == 0 ? 0 : 5000) }
    let queue = scene.tracker.status(at: scene.now).queue
    #expect(queue.count <= 101)
    scene.connect(at: 1001)
    scene.run(until: 1010)
    #expect(scene.sent.filter(\.isEvent).count == 19)
    #expect(scene.sent.count + queue.dropped == scene.reports.count)
    let times = scene.sent.filter { !$0.isEvent }.map(\.time)
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect((gaps.max() ?? 0) <= 32)
  }

  // behaviour: The window and the limits
  @Test func aFullQueueOnTheDiskIsThinnedThere() {
    var scene = scene({ $0.queue.limit = 1000 })
    for second in 1...5000 { scene.fix(at: Double(second), 0) }
    scene.run(until: 5010)
    #expect(scene.disk.count <= 1001)
    #expect(scene.tracker.status(at: scene.now).queue.count == scene.disk.count)
  }

  // behaviour: The window and the limits
  @Test(arguments: [10, 100, 600, 1000]) func tenTimesTooMuchLeavesAnEvenTrack(limit: Int) {
    var scene = scene { $0.queue.limit = limit }
    for second in 1...limit * 10 { scene.fix(at: Double(second), 0) }
    scene.connect(at: Double(limit * 10 + 1))
    scene.run(until: Double(limit * 10 + 10))
    let times = scene.sent.map(\.time)
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(times == times.sorted())
    #expect((gaps.max() ?? 0) <= 24)
    #expect(times.count > limit / 2)
    #expect(times.count + scene.tracker.status(at: scene.now).queue.dropped == limit * 10)
  }

  // behaviour: A disk that fails, fills or lies
  @Test func failedBatchDoesNotRestoreRemovedRegion() {
    var scene = scene(regions: [Scene.home()])
    scene.isDiskBroken = true
    scene.fix(at: 1, 500)
    scene.fix(at: 2, 0)
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 3)
    scene.isDiskBroken = false
    scene.run(until: 30)
    #expect(!scene.writes.contains { if case .region = $0 { true } else { false } })
    #expect(scene.writes.contains(.regionRemoved(rid: "Home")))
  }

  // behaviour: A disk that fails, fills or lies
  @Test func aBrokenDiskNeitherLosesNorStops() {
    var scene = scene()
    scene.isDiskBroken = true
    for second in 1...30 { scene.fix(at: Double(second), 0) }
    #expect(scene.tracker.status(at: scene.now).queue.isStoreFailing)
    scene.isDiskBroken = false
    scene.run(until: 60)
    #expect(scene.disk.count == 30)
    scene.connect(at: 61)
    #expect(scene.sent.count == 30)
  }

  // behaviour: What is durable when
  @Test func messageIsSentAgainAfterFailedSend() {
    var scene = scene()
    scene.acknowledges = false
    scene.connect()
    scene.fix(at: 1, 0)
    scene.post(.sendFailed(scene.sent[0].sequence), at: 2)
    #expect(scene.sent.count == 1)
    scene.run(until: 4)
    #expect(scene.sent.map(\.time) == [1_700_000_001, 1_700_000_001])
  }

  @Test func aRestartGoesOnWithTheStoredQueue() {
    var snapshot = Snapshot()
    (snapshot.queued, snapshot.queuedBytes) = (3, 3)
    snapshot.firstSequence = 7
    snapshot.lastSequence = 9
    var scene = Scene(Scene.configuration(), snapshot: snapshot)
    for sequence in UInt64(7)...9 {
      scene.disk[sequence] = Message(
        sequence: sequence, topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false,
        time: Int(sequence))
    }
    scene.connect()
    #expect(scene.sent.map(\.sequence) == [7, 8, 9])
    scene.run(until: 5)
    #expect(scene.disk.isEmpty)
  }
}
