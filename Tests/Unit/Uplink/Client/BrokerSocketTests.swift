import Glibc
import TestSupport
import Testing

@testable import Uplink

/// What is asked of a socket behind the library's back, and done to it.
@Suite struct BrokerSocketTests {
  private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, level, name, &value, &size)
    return value
  }

  @Test func aDeadConnectionIsFoundInTwentySecondsAndNothingWaitsForMore() throws {
    let pair = try SocketPair()
    BrokerSocket.setOptions(pair.own)
    #expect(option(pair.own, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == 20_000)
    #expect(option(pair.own, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
    #expect(fcntl(pair.own, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func aLookTakesNothing() throws {
    let pair = try SocketPair()
    if case .nothing = BrokerSocket.peek(pair.own) {} else { Issue.record("nothing was said") }
    #expect(BrokerSocket.firstBytes(pair.own).isEmpty)
    pair.say(600)
    for _ in 1...2 {
      if case .bytes = BrokerSocket.peek(pair.own) {} else { Issue.record("something was said") }
      #expect(BrokerSocket.firstBytes(pair.own) == (0..<512).map { UInt8(truncatingIfNeeded: $0) })
    }
    var all = [UInt8](repeating: 0, count: 1000)
    #expect(recv(pair.own, &all, all.count, Int32(MSG_DONTWAIT)) == 600)
    pair.hangUp()
    if case .end = BrokerSocket.peek(pair.own) {} else { Issue.record("it has ended") }
    #expect(BrokerSocket.firstBytes(pair.own).isEmpty)
  }

  @Test func aResetIsAnErrorAndNoEnd() throws {
    let pair = try SocketPair()
    #expect(!BrokerSocket.hasEnded(pair.own) && BrokerSocket.isConnected(pair.own))
    pair.hangUp(isReset: true)
    #expect(BrokerSocket.hasEnded(pair.own) && !BrokerSocket.isConnected(pair.own))
    guard case .failed(ECONNRESET) = BrokerSocket.peek(pair.own) else {
      Issue.record("it was reset")
      return
    }
    let other = try SocketPair()
    other.hangUp(isReset: true)
    #expect(BrokerSocket.takeError(other.own) == ECONNRESET && BrokerSocket.takeError(other.own) == 0)
    #expect(BrokerSocket.takeError(-1) == EBADF)
  }

  @Test func theAddressIsComparedAndThePortIsNot() {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { bytes in
      for index in 2..<28 { bytes[index] = UInt8(index) }
    }
    for (family, address) in [(AF_INET, 4..<8), (AF_INET6, 8..<24)] {
      storage.ss_family = sa_family_t(family)
      #expect(BrokerSocket.host(storage) == address.map(UInt8.init))
    }
  }

  /// The other side has closed, and we may still write.
  @Test func halfAnEndIsNone() throws {
    let pair = try SocketPair()
    pair.hangUp()
    #expect(!BrokerSocket.hasEnded(pair.own))
  }

  @Test func familyOfSocketAndAddressIsDetected() {
    for (family, isIPv6) in [(AF_INET, false), (AF_INET6, true)] {
      let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      #expect(descriptor >= 0 && BrokerSocket.isIPv6(descriptor) == isIPv6)
    }
    #expect(!BrokerSocket.isIPv6(-1))
    #expect(BrokerSocket.isIPv4("127.0.0.1"))
    for name in ["localhost", "::1", "", "127.0.0.256", "127.1"] {
      #expect(!BrokerSocket.isIPv4(name), "\(name)")
    }
  }

  // MARK: Another route

  @Test func aConnectionFromAnotherAddressHasAnotherRoute() throws {
    let usual = try SocketPair()
    #expect(BrokerSocket.route(usual.own) == .same)
    // The kernel would now take 127.0.0.1 for that peer.
    let moved = try SocketPair(from: 2)
    #expect(BrokerSocket.route(moved.own) == .other)
    #expect(BrokerSocket.route(-1) == .none)
    let lone = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(lone) }
    #expect(BrokerSocket.route(lone) == .none)
  }

  // MARK: Whether nothing listens

  @Test func closedPortIsRefusedAndOpenPortIsLeftAtOnce() throws {
    let port = FreePort.take()
    #expect(BrokerSocket.isRefused("127.0.0.1", port: port))
    let listener = try SilentPeer(port: port)
    #expect(!BrokerSocket.isRefused("127.0.0.1", port: port))
    let peer = accept(listener.descriptor, nil, nil)
    defer { close(peer) }
    var polled = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    #expect(poll(&polled, 1, 60_000) == 1 && recv(peer, &byte, 1, 0) == 0)
  }

  @Test func missingAddressIsNoRefusal() {
    #expect(!BrokerSocket.isRefused("no such host", port: FreePort.take()))
    // Names are looked up elsewhere.
    #expect(!BrokerSocket.isRefused("localhost", port: FreePort.take()))
  }

  @Test(.enabled(if: hasIPv6)) func addressesOfIPv6AreAskedToo() {
    #expect(BrokerSocket.isRefused("::1", port: FreePort.take()))
  }

  /// What is tried when a first attempt over IPv6 has failed.
  @Test(.enabled(if: hasIPv6)) func whereIPv4IsForcedNothingGoesOverIPv6() throws {
    let listener = try #require(listenOnIPv6())
    defer { close(listener.descriptor) }
    let scene = try BrokerScene(port: listener.port)
    scene.configuration.broker.host = "::1"
    for isIPv4Forced in [false, true] {
      let client = try #require(BrokerClient(scene.settings, isSessionClean: true))
      var addresses = BrokerAddresses()
      let opening = client.open(isIPv4Forced: isIPv4Forced, &addresses)
      if case .begun = opening { #expect(!isIPv4Forced) } else { #expect(isIPv4Forced, "\(opening)") }
    }
  }
}
