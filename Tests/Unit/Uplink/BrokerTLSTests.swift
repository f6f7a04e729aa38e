import Glibc
import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// TLS with a real mosquitto and certificates made by openssl.
@Suite struct BrokerTLSTests {
  /// Makes `ca.pem`, `NAME.pem` and `NAME.key` in the scene's directory.
  private func makeCertificates(_ scene: BrokerScene) throws {
    _ = try scene.write("index.txt", "")
    _ = try scene.write("serial", "01")
    _ = try scene.write(
      "ca.conf",
      """
      [ca]
      default_ca = own
      [own]
      database = \(scene.directory)/index.txt
      serial = \(scene.directory)/serial
      new_certs_dir = \(scene.directory)
      default_md = sha256
      policy = any
      unique_subject = no
      copy_extensions = copy
      default_days = 30
      [any]
      commonName = supplied

      """)
    for authority in ["ca", "other"] {
      try scene.run(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj",
        "/CN=\(authority)",
        "-keyout", scene.directory + "/\(authority).key", "-out", scene.directory + "/\(authority).pem")
    }
    try sign(scene, "good", name: "127.0.0.1")
  }

  private func sign(
    _ scene: BrokerScene, _ file: String, name: String, from: String = "20200101000000Z",
    to: String = "20990101000000Z"
  ) throws {
    let path = scene.directory + "/" + file
    try scene.run(
      "openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)", "-keyout", path + ".key",
      "-out",
      path + ".csr")
    try scene.run(
      "openssl", "ca", "-batch", "-notext", "-config", scene.directory + "/ca.conf", "-cert",
      scene.directory + "/ca.pem", "-keyfile", scene.directory + "/ca.key", "-startdate", from, "-enddate",
      to,
      "-in", path + ".csr", "-out", path + ".pem")
  }

  @discardableResult
  private func serve(_ scene: BrokerScene, _ file: String, _ extra: String = "") throws -> Process {
    let path = scene.directory + "/" + file
    let mosquitto = try scene.startMosquitto(
      "allow_anonymous true\ncertfile \(path).pem\nkeyfile \(path).key\n\(extra)")
    #expect(scene.isListening())
    scene.configuration.tls.isOn = true
    if scene.configuration.tls.caFile.isEmpty { scene.configuration.tls.caFile = scene.directory + "/ca.pem" }
    scene.start()
    return mosquitto
  }

  @Test func aGoodCertificateConnects() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    try serve(scene, "good")
    #expect(scene.runs { scene.isConnected })
    scene.broker.send(scene.message(1))
    #expect(scene.runs { scene.acknowledged == [1] })
    #expect(!scene.broker.status.isInsecure)
  }

  // behaviour: Connecting
  @Test func laterConnectionsCostNoCertificates() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    let own = "cafile \(scene.directory)/ca.pem\nrequire_certificate true"
    try sign(scene, "board", name: "board")
    scene.configuration.tls.clientCertificate = scene.directory + "/board.pem"
    scene.configuration.tls.clientKey = scene.directory + "/board.key"
    try serve(scene, "good", own)
    var costs: [Int] = []
    for count in 1...3 {
      #expect(scene.runs { scene.broker.status.counters.connections == count && scene.isSubscribed })
      let before = costs.reduce(0, +)
      if count == 2, let client = scene.broker.client {
        // A line that breaks is the ordinary end.
        shutdown(client.socket, Int32(SHUT_RDWR))
        #expect(scene.runs { !scene.isConnected })
      } else {
        scene.broker.disconnect()
      }
      costs.append(scene.broker.carried - before)
      scene.broker.connect()
    }
    // Two certificates and two signatures.
    #expect(costs[1] < costs[0] - 1500 && costs[2] < costs[0] - 1500, "\(costs)")
  }

  // behaviour: Connecting
  @Test func aKeptSessionExcusesNoOtherCertificate() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    try sign(scene, "bad", name: "other.example")
    let broker = try serve(scene, "good")
    #expect(scene.runs { scene.isConnected && scene.isSubscribed })
    broker.signal(SIGKILL)
    broker.wait()
    #expect(scene.runs { !scene.isConnected })
    let path = scene.directory + "/bad"
    try scene.startMosquitto("allow_anonymous true\ncertfile \(path).pem\nkeyfile \(path).key")
    #expect(scene.runs { scene.lost.last?.word == "certificateWrongHost" })
    #expect(scene.broker.status.counters.connections == 1)
  }

  // behaviour: Connecting
  @Test(arguments: [
    ("127.0.0.1", "20200101000000Z", "20210101000000Z", "certificateExpired"),
    ("127.0.0.1", "20980101000000Z", "20990101000000Z", "certificateNotYetValid"),
    ("other.example", "20200101000000Z", "20990101000000Z", "certificateWrongHost"),
  ])
  func badCertificatesAreNamed(name: String, from: String, to: String, word: String) throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    try sign(scene, "bad", name: name, from: from, to: to)
    try serve(scene, "bad")
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost.first?.word == word)
    #expect(scene.broker.status.colour == .red)
    #expect(!scene.isConnected)
  }

  @Test func anUnknownAuthorityIsNamed() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    scene.configuration.tls.caFile = scene.directory + "/other.pem"
    try serve(scene, "good")
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost == [.certificateUnknownIssuer])
  }

  @Test func aSelfSignedCertificateIsNamed() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    scene.configuration.tls.caFile = scene.directory + "/ca.pem"
    try serve(scene, "other")
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost == [.certificateSelfSigned])
  }

  @Test func insecureConnectsAndSaysSo() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    try sign(scene, "bad", name: "other.example")
    scene.configuration.tls.allowsInvalidCertificates = true
    try serve(scene, "bad")
    #expect(scene.runs { scene.isConnected })
    #expect(scene.broker.status.text.contains("INSECURE"))
  }

  @Test func aMissingClientCertificateIsNamed() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    try serve(scene, "good", "cafile \(scene.directory)/ca.pem\nrequire_certificate true")
    #expect(scene.runs { scene.lost.last == .clientCertificateMissing })
    // Whatever the next ends look like.
    let seen = scene.lost.count
    #expect(scene.runs { scene.broker.status.attempts >= 4 && scene.broker.phase == .waiting })
    #expect(scene.broker.status.cause == .clientCertificateMissing && scene.lost.count == seen)
  }

  @Test func aClientCertificateOfAnotherAuthorityIsNamed() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    scene.configuration.tls.clientCertificate = scene.directory + "/other.pem"
    scene.configuration.tls.clientKey = scene.directory + "/other.key"
    try serve(scene, "good", "cafile \(scene.directory)/ca.pem\nrequire_certificate true")
    // The refusal may overtake our greeting or not; it is named at the latest by the next attempt.
    #expect(scene.runs { scene.lost.last == .clientCertificateRefused })
  }

  @Test func aKeyOfAnotherCertificateIsNamed() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    scene.configuration.tls.clientCertificate = scene.directory + "/good.pem"
    scene.configuration.tls.clientKey = scene.directory + "/other.key"
    try serve(scene, "good")
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(scene.lost.first?.word == "keyMismatch")
    #expect(scene.lost.first?.description.contains("other.key") == true)
  }

  @Test func filesAreReadAgainAtEachConnection() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    try scene.run("cp", scene.directory + "/other.pem", scene.directory + "/trusted.pem")
    scene.configuration.tls.caFile = scene.directory + "/trusted.pem"
    try serve(scene, "good")
    #expect(scene.runs { scene.lost == [.certificateUnknownIssuer] })
    try scene.run("cp", scene.directory + "/ca.pem", scene.directory + "/trusted.pem")
    #expect(scene.runs { scene.isConnected })
    // And what is no longer in the file is no longer trusted.
    try scene.run("cp", scene.directory + "/other.pem", scene.directory + "/trusted.pem")
    scene.cut()
    #expect(scene.runs { scene.lost.count == 3 })
    #expect(scene.lost.last == .certificateUnknownIssuer)
  }

  @Test func anotherConnectionBeginsWithAnotherHandshake() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    scene.configuration.retry.timeout = 3
    let mosquitto = try serve(scene, "good")
    #expect(scene.runs { scene.isConnected })
    mosquitto.kill()
    let peer = try SilentPeer(port: scene.port)
    #expect(scene.runs { scene.lost.count == 2 })
    #expect(scene.lost.last == .handshakeSilent(seconds: 3))
    withExtendedLifetime(peer) {}
  }

  // behaviour: Connecting
  @Test func aTLSPortWithoutTLSIsNamed() throws {
    let scene = try BrokerScene()
    try makeCertificates(scene)
    let path = scene.directory + "/good"
    try scene.startMosquitto("allow_anonymous true\ncertfile \(path).pem\nkeyfile \(path).key")
    #expect(scene.isListening())
    scene.start()
    #expect(scene.runs { !scene.lost.isEmpty })
    #expect(["notMQTT", "closedEarly", "reset"].contains(scene.lost.first?.word))
    #expect(scene.runs { scene.lost.last == .expectsTLS && scene.broker.colour == .red })
    // The next attempt knows it.
    #expect(scene.runs { scene.broker.status.attempts > 1 && scene.broker.phase == .waiting })
    #expect(scene.broker.status.cause == .expectsTLS && scene.lost.last == .expectsTLS)
  }
}
