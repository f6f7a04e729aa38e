import Model
import Testing
import Timebase

@testable import Core

/// A held topic step by step: when which of its messages may go.
struct HeldTopicTurnsTests {
  private var holds = HeldTopics()

  private func message(_ sequence: UInt64, _ topic: String = "a") -> Message {
    Message(
      sequence: sequence, topic: topic, payload: [], qos: 1, isRetained: false, isEvent: false, time: 0)
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func mayGo(_ sequence: UInt64, at seconds: Double) -> Bool {
    holds.maySend(message(sequence), at: at(seconds))
  }

  /// It is sent and turned away. After how many seconds something may go again; nil: it may not be sent.
  private mutating func turnedAway(
    _ sequence: UInt64, _ topic: String = "a", at seconds: Double, letsOthersPass: Bool = false
  ) -> Double? {
    let message = message(sequence, topic)
    guard holds.maySend(message, at: at(seconds)) else { return nil }
    holds.sent(message, at: at(seconds))
    let due = holds.postponed(message, letsOthersPass: letsOthersPass, asksMore: false, at: at(seconds))
    return (due - at(seconds)).seconds
  }

  /// It is sent and taken.
  private mutating func taken(_ sequence: UInt64, at seconds: Double) {
    #expect(mayGo(sequence, at: seconds))
    holds.sent(message(sequence), at: at(seconds))
    holds.decided(message(sequence), isTaken: true, at: at(seconds))
  }

  /// The oldest is turned away so often that another one may go, the last time at 610 s.
  private mutating func stubborn() {
    let waits = [0.0, 10, 30, 70, 150, 310, 610].map { turnedAway(1, at: $0) }
    #expect(waits == [10, 20, 40, 80, 160, 300, 0])
  }

  @Test mutating func afterTheSixthTimeAloneAnotherOneMayGoWithinASecond() {
    stubborn()
    #expect(mayGo(2, at: 610) && mayGo(2, at: 610.9) && !mayGo(2, at: 611))
    #expect(!mayGo(1, at: 610) && !mayGo(1, at: 909.9) && mayGo(1, at: 910))
  }

  /// Where the connection ended, there is another one to be made first.
  @Test mutating func anEndGivesTheOtherTwoMinutes() {
    let waits = [0.0, 10, 30, 70, 150].map { turnedAway(1, at: $0, letsOthersPass: true) }
    #expect(waits == [0, 0, 0, 0, 0])
    #expect(mayGo(2, at: 269.9) && !mayGo(2, at: 270) && !mayGo(2, at: 309.9) && mayGo(2, at: 310))
  }

  @Test mutating func oneThatMayNotLetOthersPassMakesThemWait() {
    #expect(turnedAway(1, at: 0) == 10)
    #expect(!mayGo(2, at: 0) && !mayGo(2, at: 9.9) && mayGo(2, at: 10))
  }

  /// Who goes in its place has six chances of its own; then the next one has.
  @Test mutating func theOtherRestsAfterItsSixthTimeToo() {
    stubborn()
    for number in 0..<6 {
      let time = 610.0 + 300 * Double(number)
      #expect(!holds.isCoolingDown(2, at: at(time)))
      #expect(turnedAway(2, at: time) == 300)
      // One alone is tried in each turn.
      #expect(!mayGo(3, at: time))
      #expect(turnedAway(1, at: time + 300) == 0)
    }
    #expect(!mayGo(2, at: 2410) && mayGo(3, at: 2410))
    // It rests for twice as long as the topic: from 2,110 s on.
    #expect(holds.isCoolingDown(2, at: at(2709.9)) && !holds.isCoolingDown(2, at: at(2710)))
  }

  @Test mutating func theOldestIsPassedWhereAnotherOneIsTaken() {
    #expect(turnedAway(1, at: 0, letsOthersPass: true) == 0)
    taken(2, at: 1)
    #expect(holds.hasOpened && holds.isEmpty && !holds.isQuiet && !holds.isHeld("a"))
    // As long as its topic was closed.
    #expect(!mayGo(1, at: 10.9) && mayGo(1, at: 11) && mayGo(3, at: 1))
    #expect(holds.next(after: at(1)) == at(11) && holds.next(after: at(11)) == nil)
    var time = 11.0
    var waits: [Double] = []
    for _ in 0..<11 {
      guard let wait = turnedAway(1, at: time) else { break }
      waits.append(wait)
      #expect(!mayGo(1, at: time + wait - 0.1))
      time += wait
    }
    #expect(waits == [20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 7200, 7200])
  }

  @Test mutating func aTopicOpensOneByOneAndIsOpenWithThirtyTwo() {
    #expect(turnedAway(1, at: 0) == 10)
    for number in UInt64(1)...32 {
      // As many as were taken, and one more.
      for other in 0..<number {
        #expect(mayGo(100 + other, at: 10))
        holds.sent(message(100 + other), at: at(10))
      }
      #expect(!mayGo(200, at: 10))
      for other in 0..<number { holds.returned(message(100 + other)) }
      taken(number, at: 10)
    }
    for other in UInt64(0)..<99 {
      #expect(mayGo(100 + other, at: 10))
      holds.sent(message(100 + other), at: at(10))
    }
    #expect(holds.isQuiet)
  }

  @Test mutating func anOpeningTopicIsClosedAgainByOneThatIsTurnedAway() {
    #expect(turnedAway(1, at: 0) == 10)
    taken(1, at: 10)
    #expect(!holds.isHeld("a"))
    #expect(turnedAway(2, at: 11) == 10)
    #expect(holds.isHeld("a") && holds.names == ["a"] && !mayGo(3, at: 20.9) && mayGo(3, at: 21))
  }

  @Test mutating func acceptedMessageLeavesNoHoldState() {
    #expect(turnedAway(1, at: 0, letsOthersPass: true) == 0 && !holds.isQuiet)
    taken(1, at: 10)
    #expect(holds.isQuiet)
  }

  /// An answer to what was sent before the topic was closed says nothing new.
  @Test mutating func answersToInFlightMessagesDoNotMoveProbe() {
    #expect(turnedAway(1, at: 0) == 10)
    #expect(holds.postponed(message(2), letsOthersPass: false, asksMore: false, at: at(5)) == at(10))
    holds.decided(message(3), isTaken: true, at: at(6))
    #expect(holds.isHeld("a") && !holds.hasOpened && !mayGo(1, at: 9.9) && mayGo(1, at: 10))
  }

  @Test mutating func heldTopicWaitsForProbeWhenDue() {
    #expect(!holds.isHeld("a") && !holds.isWaitingForProbe("a", at: .zero))
    #expect(turnedAway(1, at: 0) == 10)
    #expect(holds.isHeld("a") && !holds.isHeld("b") && !holds.isWaitingForProbe("b", at: at(20)))
    #expect(!holds.isWaitingForProbe("a", at: at(9.9)) && holds.isWaitingForProbe("a", at: at(10)))
    holds.sent(message(1), at: at(10))
    #expect(!holds.isWaitingForProbe("a", at: at(10)))
    holds.decided(message(1), isTaken: true, at: at(10))
    #expect(!holds.isWaitingForProbe("a", at: at(20)))
  }

  /// In the turn of another one, too, until it is over.
  @Test mutating func aTurnAsksForAProbe() {
    stubborn()
    #expect(holds.isWaitingForProbe("a", at: at(610.9)) && !holds.isWaitingForProbe("a", at: at(611)))
  }

  @Test mutating func theNextIsProbedWhenItsWaitIsOver() {
    #expect(holds.next(after: .zero) == nil)
    #expect(turnedAway(1, at: 0) == 10)
    #expect(turnedAway(2, "b", at: 4) == 10)
    #expect(holds.next(after: .zero) == at(10) && holds.next(after: at(9.9)) == at(10))
    #expect(holds.next(after: at(10)) == at(14) && holds.next(after: at(14)) == nil)
    #expect(holds.names == ["a", "b"] && holds.count == 2)
  }

  /// 256 are remembered; one more, and those that do not rest begin anew.
  @Test(arguments: [255, 256]) mutating func evictedMessageStartsCountingAnew(others: Int) {
    for time in [0.0, 10, 30, 70, 150, 310] { _ = turnedAway(1, at: time) }
    // One that rests is remembered.
    #expect(turnedAway(5, "rests", at: 310, letsOthersPass: true) == 0)
    let other = message(6, "rests")
    holds.sent(other, at: at(310))
    holds.decided(other, isTaken: true, at: at(310))
    for number in 1..<others {
      #expect(turnedAway(1000 + UInt64(number), "b\(number)", at: 310, letsOthersPass: true) == 0)
    }
    #expect(holds.isCoolingDown(5, at: at(319)))
    // It would be the sixth time.
    #expect(turnedAway(1, at: 610) == (others == 255 ? 0 : 300))
  }
}
