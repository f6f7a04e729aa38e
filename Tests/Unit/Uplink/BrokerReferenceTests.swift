import Testing
import Timebase

@testable import Loop
@testable import Uplink

/// Its timers and the worker may call a broker that is gone.
struct BrokerReferenceTests {
  @Test func aBrokerThatIsGoneIsNotCalled() throws {
    let scene = try BrokerScene()
    // The lookup is under way, and the timer that watches over it runs.
    scene.start()
    let reference = scene.broker.reference
    let timers = [scene.broker.phaseTimer, scene.broker.keepAliveTimer, scene.broker.stallTimer]
    #expect(reference.broker === scene.broker)
    scene.broker = nil
    #expect(reference.broker == nil)
    for timer in timers { try #require(timer).handler() }
    // The worker's answer comes back to nobody; what it was given later is answered later.
    var isOver = false
    scene.worker.perform({}, then: { isOver = true })
    #expect(scene.runs { isOver })
    #expect(scene.events.isEmpty)
  }
}
