import Model
import TestSupport
import Testing
import Timebase

@testable import Uplink

/// Posts over TLS, to a server of Python's with certificates made by openssl.
@Suite struct HTTPTLSTests {
  /// A server, and a poster for it.
  private final class Bench {
    let scene: HTTPScene
    private let scratch = Scratch()
    private var server: Process!

    init(wantsCertificate: Bool = false) throws {
      scene = try HTTPScene()
      for name in ["own", "client"] {
        let maker = try Process(
          [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "30", "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
            path(name, "key"), "-out", path(name, "pem"),
          ], output: "/dev/null")
        guard maker.wait() == 0 else { throw SceneError.failed("openssl") }
      }
      let program = """
        import socket, ssl, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("\(path("own", "pem"))", "\(path("own", "key"))")
        if \(wantsCertificate ? "True" : "False"):
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations("\(path("client", "pem"))")
        def serve(plain):
            peer = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
            try:
                peer.do_handshake()
                while peer.recv(65536):
                    peer.sendall(b"HTTP/1.1 204 A\\r\\n\\r\\n")
            except ssl.SSLError:
                # Closed with a post unread it would be a reset, which may overtake the alert.
                while socket.socket.recv(peer, 65536):
                    pass
            except OSError:
                pass
            peer.close()
        listener = socket.create_server(("127.0.0.1", \(scene.port)))
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """
      server = try Process(["python3", "-c", program], output: "/dev/null")
      guard scene.runs(until: { BrokerScene.connects(to: scene.port) }) else {
        throw SceneError.failed("python3")
      }
      scene.configuration.http.url = "https://127.0.0.1:\(scene.port)/pub"
    }

    deinit { server?.kill() }

    func path(_ name: String, _ kind: String) -> String { "\(scratch.path)/\(name).\(kind)" }

    /// What comes of a post with the settings as they are now.
    func post(_ change: (inout Configuration) -> Void = { _ in }) -> String? {
      change(&scene.configuration)
      scene.poster.retire()
      guard scene.start() else { return nil }
      scene.log = []
      scene.send(1)
      scene.runs { !scene.log.isEmpty }
      return scene.log.first
    }
  }

  @Test func onlyACertificateThatIsVouchedForIsBelieved() throws {
    let bench = try Bench()
    #expect(bench.post() == "lost certificateSelfSigned")
    #expect(bench.post { $0.tls.caFile = bench.path("client", "pem") }?.hasPrefix("lost certificate") == true)
    #expect(bench.post { $0.tls.caFile = bench.path("own", "pem") } == "acknowledged [1]")
    // Of another host's name it says nothing.
    let port = bench.scene.port
    #expect(bench.post { $0.http.url = "https://localhost:\(port)" } == "lost certificateWrongHost")
    #expect(bench.scene.poster.status.cause == .certificateWrongHost(host: "localhost"))
  }

  @Test func disabledVerificationAcceptsInvalidCertificates() throws {
    let bench = try Bench()
    #expect(bench.post { $0.tls.allowsInvalidCertificates = true } == "acknowledged [1]")
    #expect(bench.scene.poster.status.text.contains("INSECURE"))
    let port = bench.scene.port
    #expect(bench.post { $0.http.url = "https://localhost:\(port)" } == "acknowledged [1]")
  }

  @Test func aServerMayWantACertificateOfOurs() throws {
    let bench = try Bench(wantsCertificate: true)
    #expect(bench.post { $0.tls.caFile = bench.path("own", "pem") } == "lost clientCertificateMissing")
    let posted = bench.post {
      $0.tls.clientCertificate = bench.path("client", "pem")
      $0.tls.clientKey = bench.path("client", "key")
    }
    #expect(posted == "acknowledged [1]")
    // A key that is none of it is named.
    let other = bench.post { $0.tls.clientKey = bench.path("own", "key") }
    #expect(other == "lost fileUnusable", "\(other ?? "")")
  }
}
