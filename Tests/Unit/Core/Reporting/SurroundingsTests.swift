import Model
import Testing

@testable import Core

/// What is known of the board itself, call by call.
struct SurroundingsTests {
  @Test func surroundingsAreUnknownAtFirst() {
    let surroundings = Surroundings(tag: nil)
    #expect(surroundings.battery == nil && surroundings.network == .unknown && surroundings.pressure == nil)
    #expect(surroundings.tag == nil && !surroundings.isSourceReached)
  }

  @Test func anEmptyTagIsNone() {
    var surroundings = Surroundings(tag: "first")
    #expect(surroundings.tag == "first")
    surroundings.tagged("")
    #expect(surroundings.tag == nil)
    surroundings.tagged("second")
    #expect(surroundings.tag == "second")
  }

  @Test func anotherStoreHasItsOwnTagAndTheSameBoard() {
    var before = Surroundings(tag: "old")
    before.batteryChanged(Battery(level: 50, state: .charging))
    before.networkChanged(.wired)
    before.pressureMeasured(101.3)
    before.sourceReached(true)
    var next = Surroundings(tag: "of the disk")
    next.goOn(from: before)
    #expect(next.tag == "of the disk" && next.battery?.level == 50 && next.network == .wired)
    #expect(next.pressure == 101.3 && next.isSourceReached)
  }
}
