import Glibc
import Loop
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// What is still read after DISCONNECT, and for how long.
@Suite struct BrokerLingerTests {
  @Test func whereNothingIsConnectedNothingIsHeld() throws {
    #expect(BrokerLinger(-1) == nil)
    // A number that nobody has.
    #expect(BrokerLinger(1_000_000) == nil)
  }

  @Test func withoutALoopItReadsUntilTheOtherSideCloses() throws {
    let pair = try SocketPair()
    let linger = try #require(BrokerLinger(pair.own))
    pair.say(10_000)
    pair.hangUp()
    let limit = SystemClock.read().instant + .seconds(generous)
    linger.finish(until: limit)
    #expect(SystemClock.read().instant < limit)
    // It has read all there was.
    if case .end = BrokerSocket.peek(pair.own) {} else { Issue.record("something is left") }
  }

  @Test func withoutALoopItWaitsForASilentOneSoLong() throws {
    let pair = try SocketPair()
    let linger = try #require(BrokerLinger(pair.own))
    pair.say(100)
    let begun = SystemClock.read().instant
    linger.finish(until: begun + .milliseconds(300))
    let took = SystemClock.read().instant - begun
    #expect(took >= .milliseconds(295))
    if case .nothing = BrokerSocket.peek(pair.own) {} else { Issue.record("it was not read") }
    // Where time is up already it looks once.
    pair.say(1)
    linger.finish(until: begun)
    if case .nothing = BrokerSocket.peek(pair.own) {} else { Issue.record("it was not read") }
  }

  @Test func onTheLoopItIsOverWhenTheOtherSideClosesOrAfterTwoSeconds() throws {
    for isClosed in [true, false] {
      let loop = try EventLoop()
      let pair = try SocketPair()
      let begun = loop.now.instant
      weak var held: BrokerLinger?
      held = try finishing(pair, on: loop)
      var isOver: Bool { held == nil }
      pair.say(100)
      loop.runOnce(within: .milliseconds(50))
      #expect(!isOver)
      if case .nothing = BrokerSocket.peek(pair.own) {} else { Issue.record("it was not read") }
      if isClosed {
        pair.hangUp()
        // That has arrived, so that no turn of the loop has anything to wait for.
        loop.runOnce(within: .zero)
        #expect(isOver)
      } else {
        loop.turn { isOver }
        #expect(loop.now.instant - begun >= .seconds(2))
      }
    }
  }

  /// Nobody but the loop keeps it.
  private func finishing(_ pair: SocketPair, on loop: EventLoop) throws -> BrokerLinger {
    let linger = try #require(BrokerLinger(pair.own))
    linger.finish(on: loop)
    return linger
  }

  /// The library closes its own descriptor meanwhile: the connection stands until this one is let go.
  @Test func itHoldsTheConnectionByItself() throws {
    let pair = try SocketPair()
    var linger = BrokerLinger(pair.own)
    let other = pair.other
    pair.closeOwn()
    var byte: UInt8 = 0
    #expect(recv(other, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
    #expect(linger != nil)
    linger = nil
    var polled = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
    #expect(poll(&polled, 1, 60_000) == 1 && recv(other, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
  }
}
