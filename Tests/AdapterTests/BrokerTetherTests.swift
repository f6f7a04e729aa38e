import Testing
import Timebase

@testable import Adapters

/// Timers, the worker and the watch of a socket may call a broker that is gone.
struct BrokerTetherTests {
  @Test func aBrokerThatIsGoneIsNotCalled() throws {
    let scene = try BrokerScene(port: 21_136)
    // The lookup is under way, and the timer that watches over it runs.
    scene.start()
    let tether = scene.broker.tether
    #expect(tether.broker === scene.broker)
    scene.broker = nil
    #expect(tether.broker == nil)
    // The worker's answer comes back to nobody; what it was given later is answered later.
    var isOver = false
    scene.worker.perform({}, then: { isOver = true })
    #expect(scene.runs { isOver })
    #expect(scene.events.isEmpty)
  }
}
