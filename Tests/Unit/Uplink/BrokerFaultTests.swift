import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// Brokers and networks that fail.
@Suite struct BrokerFaultTests {

  @Test(arguments: [false, true]) func aSilentPeerCostsNothing(isTLS: Bool) throws {
    let scene = try BrokerScene()
    let peer = try SilentPeer(port: scene.port)
    scene.configuration.tls.isOn = isTLS
    scene.configuration.retry.timeout = 3
    scene.start()
    #expect(scene.loop.comesToRest(for: .seconds(1), wakeUps: 4))
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost == [isTLS ? .handshakeSilent(seconds: 3) : .noGreeting(seconds: 3)])
    withExtendedLifetime(peer) {}
  }

  @Test func aRefusedConnectionClimbsTheLadder() throws {
    let scene = try BrokerScene()
    scene.start()
    #expect(scene.runs { scene.lost == [.refused] })
    #expect(scene.broker.status.colour == .amber)
    let first = scene.broker.status.nextAttempt.map { $0 - scene.loop.now.instant }
    #expect(first.map { $0.seconds.rounded() } == 2)
    #expect(scene.runs { scene.broker.status.attempts == 2 && scene.broker.phase == .waiting })
    let second = scene.broker.status.nextAttempt.map { $0 - scene.loop.now.instant }
    #expect(second.map { $0.seconds.rounded() } == 4)
    // The same trouble again is no news.
    #expect(scene.lost == [.refused])
  }

  @Test func aRefusedConnectionIsNoMatterOfTLS() throws {
    let scene = try BrokerScene()
    scene.configuration.tls.isOn = true
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost.first == .refused)
  }

  // behaviour: Connecting
  @Test func aChangeOfNetworkEndsTheWait() throws {
    let scene = try BrokerScene()
    scene.start()
    #expect(scene.runs { scene.broker.status.attempts == 3 && scene.broker.phase == .waiting })
    try scene.startMosquitto()
    #expect(scene.isListening())
    let planned = try #require(scene.broker.status.nextAttempt)
    scene.broker.networkChanged()
    // The ladder stands at 8 s; two seconds must lie between attempts.
    #expect(try #require(scene.broker.status.nextAttempt) < planned - .seconds(4))
    #expect(scene.runs { scene.isConnected })
  }

  @Test func aWrongPasswordIsRedAndNamed() throws {
    let scene = try BrokerScene()
    let path = try scene.write("passwords", "")
    try scene.run("mosquitto_passwd", "-b", path, "jane", "right")
    try scene.startMosquitto("password_file \(path)")
    #expect(scene.isListening())
    scene.configuration.login.auth = true
    scene.configuration.login.password = "wrong"
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost == [.notAuthorised])
    #expect(scene.broker.status.colour == .red)
    // Not before the longest wait is over.
    let pause = scene.broker.status.nextAttempt.map { $0 - scene.loop.now.instant }
    #expect(pause.map { $0.seconds.rounded() } == 64)
    scene.configuration.login.password = "right"
    scene.start()
    #expect(scene.runs { scene.isConnected })
  }

  @Test(arguments: [false, true]) func aStoppedBrokerCostsNothingAndDoublesNothing(isClean: Bool) throws {
    let scene = try BrokerScene()
    scene.configuration.broker.cleanSession = isClean
    let broker = try scene.startMosquitto("allow_anonymous true\nautosave_interval 1")
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    // Out of the way of the messages: its answer is not to be counted.
    #expect(scene.runs { scene.isSubscribed })
    broker.signal(SIGSTOP)
    for sequence in UInt64(1)...20 { scene.broker.send(scene.message(sequence)) }
    #expect(scene.loop.comesToRest(for: .seconds(1), wakeUps: 4))
    #expect(scene.acknowledged.isEmpty)
    broker.signal(SIGKILL)
    broker.wait()
    #expect(scene.runs { !scene.isConnected })
    try scene.startMosquitto("allow_anonymous true\nautosave_interval 1")
    #expect(scene.runs { scene.acknowledged.count == 20 })
    // The library sends again what it had: in order, marked, and we are not to.
    #expect(scene.acknowledged == Array(1...20))
    #expect(scene.failed.isEmpty)
    let again = scene.contents("mosquitto.log").split(separator: "\n")
      .filter { $0.contains("Received PUBLISH from jane-pi (d1, q1") }
    #expect(again.count == 20)
    scene.broker.send(scene.message(21))
    #expect(scene.runs { scene.acknowledged.last == 21 })
  }

  @Test func qos0DiesWithItsConnection() throws {
    let scene = try BrokerScene()
    let broker = try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    broker.signal(SIGSTOP)
    // More than the sockets hold.
    let text = String(repeating: "x", count: 200_000)
    for sequence in UInt64(1)...60 { scene.broker.send(scene.message(sequence, qos: 0, text: text)) }
    let written = scene.acknowledged.count
    #expect(written < 60)
    #expect(scene.loop.comesToRest(for: .seconds(1), wakeUps: 19))
    broker.signal(SIGKILL)
    broker.wait()
    #expect(scene.runs { !scene.isConnected })
    #expect(scene.failed.count + scene.acknowledged.count == 60)
  }

  @Test func anotherOneWithOurNameIsNamed() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.configuration.retry.least = 1
    scene.start()
    for life in 1...3 {
      #expect(scene.runs { scene.isConnected && scene.broker.status.counters.connections == life })
      try scene.spawn(
        "mosquitto_sub", "-p", "\(scene.port)", "-i", "jane-pi", "-t", "x", "-W", "1")
      #expect(scene.runs { !scene.isConnected })
    }
    #expect(scene.lost.last == .clientIDInUse)
    #expect(scene.broker.status.colour == .red)
    let pause = scene.broker.status.nextAttempt.map { $0 - scene.loop.now.instant }
    #expect(pause.map { $0.seconds.rounded() } == 128)
  }

  // behaviour: Connecting
  @Test func anMQTTPortWithTLSIsNamed() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.configuration.tls.isOn = true
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(["notTLS", "closedInHandshake"].contains(scene.lost.first?.word))
    #expect(scene.runs { scene.lost.last == .notTLS && scene.broker.colour == .red })
  }

  /// Resets each connection as soon as it stands; `first`: what it does before, in Python.
  private func startResetter(_ scene: BrokerScene, _ first: String = "") throws {
    let program = """
      import socket, struct
      listener = socket.create_server(("127.0.0.1", \(scene.port)))
      while True:
          peer = listener.accept()[0]
          \(first)
          peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
          peer.close()
      """
    try scene.spawn("python3", "-c", program)
    #expect(scene.isListening())
  }

  /// libmosquitto 2.0.21, under load, has closed the connection by the time that it tells of the end.
  @Test func closeDuringTLSHandshakeIsNamed() throws {
    let scene = try BrokerScene()
    try startResetter(
      scene, #"peer.recv(4096); peer.sendall(bytes.fromhex("160303007a02"))"#)
    scene.configuration.tls.isOn = true
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost.first == .closedInHandshake)
  }

  /// The handshake's first bytes go out on the worker, and the reset that answers them is taken there.
  @Test func aResetBeforeTheHandshakeIsSeenAtOnce() throws {
    let scene = try BrokerScene()
    try startResetter(scene)
    scene.configuration.tls.isOn = true
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost.first == .closedInHandshake)
    #expect(scene.loop.comesToRest(for: .seconds(1), wakeUps: 19))
  }

  @Test func aHostWithOnlyIPv4IsReachedByAnyName() throws {
    let scene = try BrokerScene()
    try scene.startMosquitto()
    #expect(scene.isListening())
    // Debian's /etc/hosts gives it ::1 too.
    scene.configuration.broker.host = "localhost"
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.lost.isEmpty)
  }

  @Test func aNameThatIsNoneIsNamed() throws {
    let scene = try BrokerScene()
    scene.configuration.broker.host = "no!such!host"
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost.first == .nameNotFound(host: "no!such!host"))
  }

  @Test func anUnknownFileIsNamedBeforeAnyByteGoesOut() throws {
    let scene = try BrokerScene()
    scene.configuration.tls.isOn = true
    scene.configuration.tls.caFile = "/nonexistent/ca.pem"
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(
      scene.lost == [.fileUnreadable(path: "/nonexistent/ca.pem", why: "No such file or directory")])
  }

  // behaviour: Subscribing and receiving
  @Test func aPayloadTooLongIsDroppedAndCounted() throws {
    let scene = try BrokerScene()
    scene.configuration.friends.isOn = true
    try scene.startMosquitto()
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { scene.isConnected })
    #expect(scene.runs { scene.isConnected && scene.broker.status.mqtt.notSubscribed.isEmpty })
    let path = try scene.write("long", String(repeating: "x", count: 256 * 1024 + 1))
    try scene.run("mosquitto_pub", "-p", "\(scene.port)", "-t", "owntracks/a/b", "-f", path)
    #expect(scene.runs { scene.broker.status.counters.oversized == 1 })
    try scene.run("mosquitto_pub", "-p", "\(scene.port)", "-t", "owntracks/a/b", "-m", "short", "-r")
    #expect(scene.runs { scene.broker.status.counters.received == 1 })
  }

  @Test func theLibraryHoldsNothingBack() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    peer.isAnswering = false
    scene.start()
    #expect(scene.runs { scene.isConnected })
    for sequence in UInt64(1)...200 { scene.broker.send(scene.message(sequence)) }
    #expect(scene.runs { peer.published == 200 })
  }

  @Test func aDeadConnectionIsNoticedByTheKernel() throws {
    let scene = try BrokerScene()
    let peer = try ScriptedPeer(scene.loop, port: scene.port)
    scene.start()
    #expect(scene.runs { scene.isConnected })
    let descriptor = try #require(scene.broker.client?.socket)
    var milliseconds: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, &size)
    #expect(milliseconds == 20_000)
    withExtendedLifetime(peer) {}
  }
}
