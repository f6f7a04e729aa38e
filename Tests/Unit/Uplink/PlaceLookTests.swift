import Testing
import Timebase

@testable import Uplink

// behaviour: A broker that has lost its memory
/// What is concluded from what the broker retains, and from a session that is gone.
@Suite struct PlaceLookTests {
  private static func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// One that expectations may change.
  private final class Bench {
    private(set) var look = PlaceLook()
    var seconds = 0.0
    var next: Instant? { look.next }
    var isUnderWay: Bool { look.isUnderWay }

    /// A first connection, on which a place was acknowledged.
    init(isSessionClean: Bool = false, retainsPlaces: Bool = true, isWanted: Bool = true) {
      look.configured(isWanted: isWanted, retainsPlaces: retainsPlaces, isOther: true)
      _ = look.connected(isSessionPresent: false, isSessionClean: isSessionClean, at: PlaceLookTests.at(0))
      look.acknowledged()
      look.ended(isByBroker: true, at: PlaceLookTests.at(1))
      seconds = 2
    }

    /// True: the topic is subscribed to.
    func connected(isSessionPresent: Bool, isSessionClean: Bool = false) -> Bool {
      let isAsked = look.connected(
        isSessionPresent: isSessionPresent, isSessionClean: isSessionClean, at: PlaceLookTests.at(seconds))
      if isAsked { look.asked(number: 7) }
      return isAsked
    }

    func answered(_ code: Int32 = 0) { look.answered(7, [code], at: PlaceLookTests.at(seconds)) }

    func found(_ payload: [UInt8]) { look.found(payload) }
    func takeFinding() -> PlaceLook.Finding? { look.takeFinding() }
    func timeIsOver(at now: Instant) { look.timeIsOver(at: now) }
    func cameBack() { look.cameBack() }
    func forgive() { look.forgive() }
    func publishedElsewhere() { look.publishedElsewhere() }
    func acknowledged() { look.acknowledged() }
    func sessionCleared() { look.sessionCleared() }
    func configured(retainsPlaces: Bool) {
      look.configured(isWanted: true, retainsPlaces: retainsPlaces, isOther: true)
    }

    func waits() {
      seconds += 10
      look.timeIsOver(at: PlaceLookTests.at(seconds))
    }

    func ended(isByBroker: Bool = true) {
      look.ended(isByBroker: isByBroker, at: PlaceLookTests.at(seconds))
      seconds += 1
    }
  }

  @Test func firstConnectionIsNotLookedAt() {
    var look = PlaceLook()
    look.configured(isWanted: true, retainsPlaces: true, isOther: true)
    let isAsked = look.connected(isSessionPresent: false, isSessionClean: false, at: Self.at(0))
    let finding = look.takeFinding()
    #expect(!isAsked && finding == nil)
  }

  @Test(arguments: [true, false]) func retainedPlaceIsFoundWithAndWithoutASession(isSessionPresent: Bool) {
    let bench = Bench()
    #expect(bench.connected(isSessionPresent: isSessionPresent))
    bench.answered()
    #expect(bench.takeFinding() == nil && bench.isUnderWay)
    bench.found([1, 2])
    #expect(bench.takeFinding() == .retained([1, 2]) && !bench.isUnderWay)
    #expect(bench.takeFinding() == nil, "once")
  }

  @Test func retainedMessageMayComeAheadOfTheAnswer() {
    let bench = Bench()
    #expect(bench.connected(isSessionPresent: true))
    bench.found([1])
    bench.answered()
    #expect(bench.takeFinding() == .retained([1]) && bench.next == nil)
  }

  @Test func nothingRetainedAndNoSessionIsALoss() {
    let bench = Bench()
    #expect(bench.connected(isSessionPresent: false))
    bench.answered()
    #expect(bench.next == Self.at(12))
    bench.timeIsOver(at: Self.at(11.9))
    #expect(bench.isUnderWay)
    bench.waits()
    #expect(bench.takeFinding() == .nothing)
  }

  @Test func clearedTopicIsNoLossWhileTheSessionStands() {
    let bench = Bench()
    #expect(bench.connected(isSessionPresent: true))
    bench.answered()
    bench.waits()
    #expect(bench.takeFinding() == nil && !bench.isUnderWay)
  }

  @Test func cleanSessionsGoByTheTopicOnceItHasBeenRead() {
    let bench = Bench(isSessionClean: true)
    #expect(bench.connected(isSessionPresent: false, isSessionClean: true))
    bench.answered()
    bench.waits()
    #expect(bench.takeFinding() == nil, "perhaps it may not be read")
    bench.cameBack()
    bench.ended()
    #expect(bench.connected(isSessionPresent: false, isSessionClean: true))
    bench.answered()
    bench.waits()
    #expect(bench.takeFinding() == .nothing)
  }

  @Test func withoutRetainTheSessionAloneDecides() {
    let bench = Bench(retainsPlaces: false)
    #expect(!bench.connected(isSessionPresent: true))
    #expect(bench.takeFinding() == nil)
    bench.ended()
    #expect(!bench.connected(isSessionPresent: false))
    #expect(bench.takeFinding() == .sessionLost)
  }

  @Test(arguments: [true, false]) func refusedLookLeavesTheSession(isSessionPresent: Bool) {
    let bench = Bench()
    #expect(bench.connected(isSessionPresent: isSessionPresent))
    bench.answered(0x80)
    #expect(bench.takeFinding() == (isSessionPresent ? nil : .sessionLost))
    bench.ended()
    #expect(!bench.connected(isSessionPresent: true), "left alone for an hour")
    bench.ended()
    bench.seconds += 3600
    #expect(bench.connected(isSessionPresent: true))
  }

  @Test func brokerThatEndsTheConnectionOverItIsLeftAlone() {
    let bench = Bench()
    #expect(bench.connected(isSessionPresent: true))
    bench.ended()
    #expect(!bench.connected(isSessionPresent: true))
    bench.forgive()
    #expect(bench.connected(isSessionPresent: true), "a person has looked after it")
  }

  @Test func lossIsNotForgottenWhereTheLookIsCutShort() {
    let bench = Bench()
    #expect(bench.connected(isSessionPresent: false))
    bench.ended(isByBroker: false)
    #expect(bench.takeFinding() == nil)
    #expect(!bench.connected(isSessionPresent: true), "what is retained now may be of the connection between")
    #expect(bench.takeFinding() == .sessionLost)
  }

  @Test func sessionThatWasClearedIsNotLost() {
    let bench = Bench(retainsPlaces: false)
    bench.sessionCleared()
    #expect(!bench.connected(isSessionPresent: false))
    #expect(bench.takeFinding() == nil)
  }

  @Test func noTopicIsReadWhereItIsNotWanted() {
    let bench = Bench(isWanted: false)
    #expect(!bench.connected(isSessionPresent: false))
    #expect(bench.takeFinding() == nil)
  }

  @Test func brokerThatWasPassedByHasLostNothing() {
    let bench = Bench()
    bench.publishedElsewhere()
    #expect(!bench.connected(isSessionPresent: false))
    #expect(bench.takeFinding() == nil)
    bench.acknowledged()
    bench.ended()
    #expect(bench.connected(isSessionPresent: true), "from then on it is looked at again")
  }

  @Test func anotherBrokerHasNothingOfOurs() {
    let bench = Bench()
    bench.configured(retainsPlaces: true)
    #expect(!bench.connected(isSessionPresent: false))
    #expect(bench.takeFinding() == nil)
  }
}
