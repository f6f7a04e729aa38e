import Model
import Testing
import Timebase

@testable import Core

// behaviour: Connections that end over a message
/// Which message connections end over, as far as that can be known without one.
struct SuspectMessagesTests {
  private typealias Finding = SuspectMessages.Finding

  private func message(_ sequence: UInt64, _ topic: String = "a", bytes: Int = 1, qos: Int = 1) -> Message {
    Message(
      sequence: sequence, topic: topic, payload: Array(repeating: 1, count: bytes), qos: qos,
      isRetained: false, isEvent: false, time: 0)
  }

  private func messages(_ sequences: ClosedRange<UInt64>, _ topic: String = "a") -> [Message] {
    sequences.map { message($0, topic) }
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func ends(
    _ suspects: inout SuspectMessages, _ messages: [Message], at seconds: Double,
    _ kind: ConnectionEnd.Kind = .closed
  ) -> Finding {
    suspects.ended(ConnectionEnd(kind), unanswered: messages, at: at(seconds))
  }

  /// Two connections were ended with the same messages unanswered.
  private func searching(_ sequences: ClosedRange<UInt64> = 1...3) -> SuspectMessages {
    var suspects = SuspectMessages()
    #expect(ends(&suspects, messages(sequences), at: 0) == .nothing)
    #expect(ends(&suspects, messages(sequences), at: 2) == .narrowed)
    return suspects
  }

  /// How many of these go at once.
  private func goes(_ suspects: inout SuspectMessages, _ messages: [Message]) -> Int {
    var count = 0
    for message in messages {
      guard suspects.hasRoom(for: message, whileInFlight: count) else { break }
      suspects.sent(message)
      count += 1
    }
    return count
  }

  @Test func oneEndIsAnAccident() {
    var suspects = SuspectMessages()
    #expect(ends(&suspects, messages(1...200), at: 0) == .nothing)
    #expect(!suspects.isSearching && goes(&suspects, messages(1...200)) == 200)
  }

  @Test func messagesAnsweredBetweenEndsAreNotSuspect() {
    var suspects = SuspectMessages()
    for end in UInt64(0)..<9 {
      let unanswered = messages(end * 100 + 1...end * 100 + 150)
      #expect(ends(&suspects, unanswered, at: Double(end) * 4) == .nothing)
      for message in unanswered.prefix(100) { suspects.answered(message, isTaken: true) }
      // Part of it only: then the rest is suspect at the next end.
      for message in unanswered.dropFirst(100) { suspects.answered(message, isTaken: true) }
    }
    #expect(!suspects.isSearching)
  }

  @Test func anEndLongAgoIsForgotten() {
    var suspects = SuspectMessages()
    #expect(ends(&suspects, messages(1...3), at: 0) == .nothing)
    #expect(ends(&suspects, messages(1...3), at: 600) == .nothing)
    #expect(ends(&suspects, messages(1...3), at: 1199) == .narrowed)
  }

  /// Whatever is smaller fits into one packet.
  @Test func silenceIsTheFaultOfLargeMessagesAlone() {
    let small = SuspectMessages.large - message(1, bytes: 0).size
    for (bytes, finding) in [(small - 1, Finding.nothing), (small, .narrowed)] {
      var suspects = SuspectMessages()
      let unanswered = [message(1, bytes: bytes), message(2)]
      #expect(ends(&suspects, unanswered, at: 0, .silent) == .nothing)
      #expect(ends(&suspects, unanswered, at: 2, .silent) == finding)
    }
  }

  @Test func idleOrOwnDisconnectsRaiseNoSuspicion() {
    var suspects = SuspectMessages()
    for second in 0..<5 {
      #expect(ends(&suspects, [], at: Double(second)) == .nothing)
      #expect(ends(&suspects, [message(1)], at: Double(second), .left) == .nothing)
    }
    // One that might be the cause of a silence as well.
    let large = message(1, bytes: 2000)
    for second in 5..<10 {
      #expect(ends(&suspects, [large], at: Double(second), .left) == .nothing)
      #expect(ends(&suspects, [large], at: Double(second), .replaced) == .nothing)
    }
    #expect(!suspects.isSearching)
    // Two ends by the broker raise it.
    #expect(ends(&suspects, [message(1)], at: 10) == .nothing)
    #expect(ends(&suspects, [message(1)], at: 11) == .over(message(1)))
  }

  @Test func theWindowGrowsWithEachAnswerAndIsOpenWhenAllAreAnswered() {
    var suspects = searching(1...10)
    #expect(goes(&suspects, messages(1...10)) == 1)
    suspects.answered(message(1), isTaken: true)
    #expect(goes(&suspects, messages(2...10)) == 2)
    suspects.answered(message(2), isTaken: true)
    #expect(goes(&suspects, messages(3...10)) == 4)
    for sequence in UInt64(3)...10 { suspects.answered(message(sequence), isTaken: true) }
    #expect(!suspects.isSearching && goes(&suspects, messages(11...300)) == 290)
    // What was before does not count again.
    #expect(ends(&suspects, messages(11...20), at: 4) == .nothing)
  }

  /// Those that were answered, and those that were not sent, are no longer suspect; the rest goes in small groups.
  @Test func aFurtherEndLeavesThoseThatWereUnansweredAgain() {
    var suspects = searching(1...200)
    for sequence in UInt64(1)...16 { suspects.answered(message(sequence), isTaken: true) }
    #expect(ends(&suspects, messages(17...32), at: 5) == .narrowed)
    #expect(goes(&suspects, messages(17...200)) == 1)
    for sequence in UInt64(17)...20 { suspects.answered(message(sequence), isTaken: true) }
    #expect(goes(&suspects, messages(21...200)) == 4)
    for sequence in UInt64(21)...32 { suspects.answered(message(sequence), isTaken: true) }
    #expect(goes(&suspects, messages(33...200)) == 168)
  }

  @Test func oneEndOverOneAloneIsNoVerdictAndASecondIs() {
    var suspects = searching()
    suspects.answered(message(1), isTaken: true)
    #expect(ends(&suspects, [message(2)], at: 5) == .narrowed)
    // It goes again, alone.
    #expect(goes(&suspects, messages(2...3)) == 1)
    #expect(ends(&suspects, [message(2)], at: 8) == .over(message(2)))
    #expect(!suspects.isSearching)
  }

  @Test func anEndOverOthersInBetweenBeginsAnew() {
    var suspects = SuspectMessages()
    #expect(ends(&suspects, [message(2)], at: 0) == .nothing)
    #expect(ends(&suspects, messages(2...3), at: 2) == .narrowed)
    #expect(ends(&suspects, [message(2)], at: 4) == .narrowed)
    let announced = ConnectionEnd(.closed, hasAnnouncement: true)
    #expect(suspects.ended(announced, unanswered: [message(2)], at: at(6)) == .narrowed)
    #expect(ends(&suspects, [message(2)], at: 8) == .narrowed)
    #expect(ends(&suspects, [message(2)], at: 10) == .over(message(2)))
  }

  @Test func anyAnswerIsAnAnswer() {
    var suspects = SuspectMessages()
    #expect(ends(&suspects, [message(1)], at: 0) == .nothing)
    suspects.answered(message(1), isTaken: false)
    #expect(ends(&suspects, [message(1)], at: 2) == .nothing)
  }

  /// A large one may take minutes, and some brokers only fall silent; but no small one is the reason for silence.
  @Test func silenceIsHeldAgainstALargeMessageOnly() {
    var suspects = SuspectMessages()
    let picture = message(4, bytes: 200_000)
    let unanswered = messages(1...3) + [picture] + messages(5...9)
    for second in [0.0, 62] { #expect(ends(&suspects, messages(1...3), at: second, .silent) == .nothing) }
    #expect(ends(&suspects, unanswered, at: 124, .silent) == .nothing)
    #expect(ends(&suspects, unanswered, at: 186, .silent) == .narrowed)
    for sequence in UInt64(1)...3 { suspects.answered(message(sequence), isTaken: true) }
    #expect(ends(&suspects, [picture], at: 400, .silent) == .narrowed)
    #expect(ends(&suspects, [picture], at: 600, .silent) == .over(picture))
  }

  /// It and what has its topic travel alone, so that the broker's next word about them is as clear.
  @Test func oneThatConnectionsEndedOverTravelsAloneAndIsKnownAtOnce() {
    var suspects = SuspectMessages()
    _ = ends(&suspects, [message(1)], at: 0)
    #expect(ends(&suspects, [message(1)], at: 2) == .over(message(1)))
    #expect(goes(&suspects, [message(2, "b"), message(3, "b"), message(4)]) == 2)
    #expect(!suspects.hasRoom(for: message(4), whileInFlight: 1))
    #expect(goes(&suspects, [message(4), message(5, "b")]) == 1)
    // Something of the topic is taken: only the message itself travels alone.
    suspects.answered(message(4), isTaken: true)
    #expect(goes(&suspects, [message(5), message(6), message(1)]) == 2)
    #expect(goes(&suspects, [message(1), message(7, "b")]) == 1)
    #expect(ends(&suspects, [message(1)], at: 700) == .over(message(1)))
    suspects.answered(message(1), isTaken: true)
    suspects.answered(message(8), isTaken: true)
    #expect(goes(&suspects, messages(9...30)) == 22)
  }

  @Test func anotherBrokerIsAnotherMatter() {
    var suspects = searching()
    #expect(ends(&suspects, messages(1...1), at: 3, .replaced) == .nothing)
    #expect(!suspects.isSearching)
    #expect(ends(&suspects, [message(1)], at: 4) == .nothing)
  }

  /// They were thinned out, or wait for another reason.
  @Test func suspectsThatAreGoneAreNotWaitedFor() {
    var suspects = searching(1...10)
    suspects.answered(message(11), isTaken: true)
    #expect(!suspects.isSearching)
  }

  /// A quarter of them would be none.
  @Test func afterAFurtherEndFewGoOneByOne() {
    var suspects = searching(1...10)
    #expect(ends(&suspects, messages(1...3), at: 4) == .narrowed)
    suspects.answered(message(1), isTaken: true)
    #expect(suspects.isSearching && goes(&suspects, messages(2...10)) == 1)
  }

  @Test func qosZeroMessageGivesNoEvidence() {
    var suspects = searching(1...10)
    suspects.answered(message(50, qos: 0), isTaken: true)
    #expect(suspects.isSearching && goes(&suspects, messages(1...10)) == 1)
    // Nor is it waited for.
    suspects = overOne()
    suspects.sent(message(3, qos: 0))
    #expect(!suspects.isSearching && suspects.hasRoom(for: message(4, "b"), whileInFlight: 0))
  }

  /// A connection ended over the first message of "a".
  private func overOne() -> SuspectMessages {
    var suspects = SuspectMessages()
    #expect(ends(&suspects, [message(1)], at: 0) == .nothing)
    #expect(ends(&suspects, [message(1)], at: 2) == .over(message(1)))
    return suspects
  }

  @Test func messageReturnedUnansweredMakesRoom() {
    var suspects = overOne()
    suspects.sent(message(2))
    #expect(suspects.isSearching && !suspects.hasRoom(for: message(9, "b"), whileInFlight: 0))
    suspects.returned(9)
    #expect(!suspects.hasRoom(for: message(9, "b"), whileInFlight: 0))
    suspects.returned(2)
    #expect(!suspects.isSearching && suspects.hasRoom(for: message(9, "b"), whileInFlight: 1))
    // Its topic goes on travelling alone.
    #expect(!suspects.hasRoom(for: message(3), whileInFlight: 1))
  }

  /// What the broker has answered is a message like any other; its topic is only once something of it was taken.
  @Test(arguments: [false, true]) func anAnswerAcquitsTheMessageAndAYesItsTopic(isTaken: Bool) {
    var suspects = overOne()
    suspects.answered(message(1), isTaken: isTaken)
    #expect(suspects.hasRoom(for: message(2), whileInFlight: 1) == isTaken)
    #expect(ends(&suspects, [message(1)], at: 4) == .nothing)
    #expect(ends(&suspects, [message(1)], at: 6) == .over(message(1)))
  }

  /// Where all that a connection ended over is remembered, the oldest is forgotten.
  @Test(arguments: [64, 65]) func sixtyFourAreKnownAtOnce(count: Int) {
    var suspects = SuspectMessages()
    for number in 1...UInt64(count) {
      #expect(ends(&suspects, [message(number)], at: 0) == .nothing)
      #expect(ends(&suspects, [message(number)], at: 1) == .over(message(number)))
    }
    #expect(ends(&suspects, [message(1)], at: 2) == (count == 64 ? .over(message(1)) : .nothing))
    #expect(ends(&suspects, [message(2)], at: 3) == .over(message(2)))
  }

  /// Nothing of the one that was found is left.
  @Test func newSearchFindsCommonMessageOfItsEnds() {
    var suspects = overOne()
    suspects.answered(message(1), isTaken: true)
    #expect(ends(&suspects, messages(2...4), at: 4) == .nothing)
    #expect(ends(&suspects, messages(4...6), at: 6) == .narrowed)
    #expect(!suspects.hasRoom(for: message(4), whileInFlight: 1))
    #expect(ends(&suspects, [message(4)], at: 8) == .narrowed)
    #expect(ends(&suspects, [message(4)], at: 9) == .over(message(4)))
    #expect(!suspects.isSearching)
  }
}
