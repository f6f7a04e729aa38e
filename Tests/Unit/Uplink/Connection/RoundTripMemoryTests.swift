import Testing
import Timebase

@testable import Uplink

/// What a `RoundTrip` keeps and what it forgets, and how much of it.
@Suite struct RoundTripMemoryTests {
  private static let base = "owntracks/jane/pi"

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func trip() -> RoundTrip {
    var trip = RoundTrip()
    trip.configured(isWanted: true, isOther: true)
    trip.connected(level: 4)
    return trip
  }

  /// The topic has to be subscribed to first.
  private func sends(
    _ trip: inout RoundTrip, _ topic: String = base, _ digest: UInt64 = 1, at seconds: Double = 0
  ) -> Bool {
    trip.sends(topic, isCovered: false, digest: digest, at: at(seconds))
  }

  /// A message goes out, its filter is answered so, and it is acknowledged.
  private func send(_ trip: inout RoundTrip, _ codes: [Int32] = [1], at seconds: Double) {
    if sends(&trip, at: seconds) {
      trip.asked(Self.base, number: 7)
      trip.answered(7, codes, at: at(seconds))
    }
    trip.acknowledged(Self.base, qos: 1, at: at(seconds))
  }

  // MARK: How much

  @Test func thirtyTwoTopicsAreLookedForAndNoMore() {
    var trip = trip()
    let answers = (1...33).map { sends(&trip, "topic\($0)") }
    #expect(answers == Array(repeating: true, count: 32) + [false])
    #expect(trip.sought.count == 32 && trip.sought["topic33"] == nil)
  }

  @Test func theLastEightMessagesOfATopicAreKnown() {
    for (sent, isFirstKnown) in [(UInt64(8), true), (9, false)] {
      var trip = trip()
      for digest in 1...sent { _ = sends(&trip, Self.base, digest) }
      var copy = trip
      let first = copy.cameBack(Self.base, digest: 1, at: at(1))
      #expect((first != nil) == isFirstKnown, "of \(sent)")
      #expect(trip.cameBack(Self.base, digest: sent, at: at(1)) != nil)
    }
  }

  // MARK: Whether

  @Test func roundTripIsOffByDefault() {
    let trip = RoundTrip()
    #expect(!trip.isWanted && !trip.isOn && trip.finding == nil)
  }

  @Test func itBeginsOnAConnectionThatStands() {
    var trip = RoundTrip()
    trip.configured(isWanted: false, isOther: true)
    trip.connected(level: 4)
    trip.configured(isWanted: true, isOther: false)
    #expect(sends(&trip) && trip.isOn)
  }

  @Test func askedFilterIsUnansweredAndReturnedTopicProven() {
    var trip = trip()
    _ = sends(&trip)
    #expect(!trip.isUnanswered && trip.finding?.proven == [])
    trip.asked(Self.base, number: 7)
    #expect(trip.isUnanswered && trip.finding?.proven == [])
    trip.answered(7, [1], at: at(1))
    #expect(!trip.isUnanswered && trip.finding?.proven == [])
    _ = trip.cameBack(Self.base, digest: 1, at: at(2))
    #expect(!trip.isUnanswered && trip.finding?.proven == [Self.base])
  }

  @Test func unsentRequestIsRepeatedWithNextMessage() {
    var trip = trip()
    _ = sends(&trip)
    trip.asked(Self.base, number: nil)
    #expect(trip.sought.isEmpty)
    #expect(sends(&trip, at: 1))
  }

  // MARK: A filter that is refused

  @Test func refusedFilterIsAnsweredAndNoLongerSought() {
    var trip = trip()
    send(&trip, [0x80], at: 0)
    #expect(!trip.isUnanswered && trip.sought.isEmpty && trip.next == nil)
  }

  /// Somebody took the right away that would show it: nothing is known any more.
  @Test func missingTopicTurnsUnknownOnceUnreadable() {
    var trip = trip()
    send(&trip, at: 0)
    #expect(trip.timeIsOver(at: at(10)) == [Self.base])
    trip.ended(isByBroker: false, at: at(20))
    trip.connected(level: 4)
    send(&trip, [0x80], at: 30)
    #expect(trip.missingTopics.isEmpty && trip.finding?.unreadable == [Self.base])
  }

  @Test func returnedTopicIsReadable() {
    var trip = trip()
    send(&trip, [0x80], at: 0)
    send(&trip, at: 3600)
    #expect(trip.finding?.unreadable == [Self.base])
    _ = trip.cameBack(Self.base, digest: 1, at: at(3601))
    #expect(trip.finding?.unreadable == [] && trip.finding?.proven == [Self.base])
  }

  // MARK: The end of a connection

  @Test func withoutAConnectionNothingIsAwaited() {
    var trip = trip()
    send(&trip, at: 0)
    trip.ended(isByBroker: false, at: at(5))
    #expect(trip.next == nil && trip.sought.isEmpty)
    #expect(trip.timeIsOver(at: at(60)).isEmpty)
  }

  /// Nobody told of the end: the program's own was to come.
  @Test func anotherConnectionKnowsNothingOfTheLastOne() {
    var trip = trip()
    send(&trip, at: 0)
    trip.connected(level: 4)
    #expect(trip.next == nil && trip.sought.isEmpty)
    #expect(sends(&trip, at: 5))
  }

  @Test func provenTopicStaysProvenAfterForgiving() {
    var trip = trip()
    send(&trip, at: 0)
    _ = trip.cameBack(Self.base, digest: 1, at: at(1))
    trip.forgive()
    #expect(trip.finding?.proven == [Self.base])
    #expect(!sends(&trip, at: 2))
  }

  @Test func overAConnectionThatSaysItItselfNothingIsSoughtWhenItIsSwitchedOn() {
    var trip = RoundTrip()
    trip.configured(isWanted: false, isOther: true)
    trip.connected(level: 5)
    trip.configured(isWanted: true, isOther: false)
    #expect(!trip.isOn && trip.finding == nil)
    trip.connected(level: 4)
    #expect(trip.isOn)
  }

  // MARK: What a filter covers

  @Test func anEmptyLevelIsALevel() {
    for (filter, topic, isCovered) in [
      ("a/", "a", false), ("a", "a/", false), ("/a", "a", false), ("a", "/a", false), ("a//b", "a/b", false),
      ("a/+", "a/", true), ("a/+/b", "a//b", true), ("+/a", "/a", true), ("/a", "/a", true),
    ] { #expect(TopicFilter.covers(filter, topic) == isCovered, "\(filter) \(topic)") }
  }
}
