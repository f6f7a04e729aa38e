import Model
import Testing

@testable import Core

/// What is known of the board itself, call by call.
struct BoardFactsTests {
  @Test func nothingIsKnownBeforeItIsTold() {
    let facts = BoardFacts(tag: nil)
    #expect(facts.battery == nil && facts.network == .unknown && facts.pressure == nil)
    #expect(facts.tag == nil && !facts.isGpsdReached)
  }

  @Test func anEmptyTagIsNone() {
    var facts = BoardFacts(tag: "first")
    #expect(facts.tag == "first")
    facts.tagged("")
    #expect(facts.tag == nil)
    facts.tagged("second")
    #expect(facts.tag == "second")
  }

  @Test func anotherStoreHasItsOwnTagAndTheSameBoard() {
    var before = BoardFacts(tag: "old")
    before.batteryChanged(Battery(level: 50, state: .charging))
    before.networkChanged(.wired)
    before.pressureMeasured(101.3)
    before.gpsdReached(true)
    var next = BoardFacts(tag: "of the disk")
    next.goOn(from: before)
    #expect(next.tag == "of the disk" && next.battery?.level == 50 && next.network == .wired)
    #expect(next.pressure == 101.3 && next.isGpsdReached)
  }
}
