import Model
import OwnTracks
import Testing

@testable import Uplink

/// What is made of the library's log and of OpenSSL's numbers.
@Suite struct TLSDiagnosisTests {
  private typealias Notes = BrokerDiagnosis.Notes

  /// A connection with TLS and these files.
  private func settings(certificate: String = "/c.pem") -> BrokerSettings {
    var configuration = Configuration()
    configuration.broker.host = "broker.example"
    configuration.tls.isOn = true
    configuration.tls.caFile = "/ca.pem"
    configuration.tls.clientCertificate = certificate
    configuration.tls.clientKey = certificate.isEmpty ? "" : "/k.pem"
    let topics = Topics(configuration, hostName: "board")
    let will = Message(topic: topics.base, payload: [], qos: 1, isRetained: false, isEvent: false, time: 1)
    return BrokerSettings(configuration, topics: topics, will: will)
  }

  private func notes(_ lines: String...) -> Notes {
    var notes = Notes()
    for line in lines { notes.read(line) { 10 } }
    return notes
  }

  private func cause(_ errors: UInt32..., certificate: String = "/c.pem") -> BrokerCause? {
    var notes = Notes()
    notes.errors = errors
    return BrokerDiagnosis.tls(notes, settings: settings(certificate: certificate))
  }

  // MARK: The log

  @Test func whereNothingWasNoticedNothingIsSaid() {
    #expect(BrokerDiagnosis.tls(Notes(), settings: settings()) == nil)
    let other = notes("Client homeward sending CONNECT", "Error: something else")
    #expect(BrokerDiagnosis.tls(other, settings: settings()) == nil)
  }

  @Test func eachLineOfTheLogHasItsMeaning() {
    let certificates = BrokerCause.fileUnusable(path: "/ca.pem", what: "certificates")
    for (line, cause) in [
      ("Error: host name verification failed.", BrokerCause.certificateWrongHost(host: "broker.example")),
      ("Error: Unable to load CA certificates. Check cafile.", certificates),
      (
        "Error: Unable to load client certificate \"/c.pem\".",
        .fileUnusable(path: "/c.pem", what: "a certificate")
      ),
      (
        "Error: Unable to load client key file \"/k.pem\".",
        .fileUnusable(path: "/k.pem", what: "a key without passphrase")
      ),
      ("Error: Client certificate/key are inconsistent.", .keyMismatch(path: "/k.pem")),
    ] { #expect(BrokerDiagnosis.tls(notes(line), settings: settings()) == cause, "\(line)") }
  }

  /// OpenSSL finds that while it reads the key: 05800074 and 05800073 are "key values mismatch" and "key type mismatch".
  @Test func aKeyOfAnotherCertificateIsNoUnusableFile() {
    let key = "Error: Unable to load client key file \"/k.pem\"."
    let unusable = BrokerCause.fileUnusable(path: "/k.pem", what: "a key without passphrase")
    for (error, cause) in [
      ("05800074", BrokerCause.keyMismatch(path: "/k.pem")), ("05800073", .keyMismatch(path: "/k.pem")),
      // Another trouble of the same library, and the same number of another one.
      ("05800066", unusable), ("04800074", unusable),
    ] {
      let notes = notes("OpenSSL Error[0]: error:\(error):some library::some reason", key)
      #expect(BrokerDiagnosis.tls(notes, settings: settings()) == cause, "\(error)")
    }
    let other = notes(
      "OpenSSL Error[0]: error:05800074:x509", "Error: Unable to load client certificate \"/c.pem\".")
    #expect(
      BrokerDiagnosis.tls(other, settings: settings()) == .fileUnusable(path: "/c.pem", what: "a certificate")
    )
  }

  @Test func aLineThatIsCutShortHasNoNumber() {
    #expect(notes("OpenSSL Error[0]: error").errors.isEmpty)
    #expect(notes("OpenSSL Error[0]: error:").errors.isEmpty)
    #expect(notes("OpenSSL Error[0]: something else").errors.isEmpty)
    #expect(notes("OpenSSL Error[0]: error:0A000086").errors == [0x0A00_0086])
  }

  // MARK: OpenSSL's numbers

  @Test func sslErrorsTakePrecedenceOverOthers() {
    // A reset of the socket, and a trouble with a certificate's text.
    #expect(cause(0x8000_0068) == nil)
    #expect(cause(0x8000_0068, 0x0A00_010B) == .notTLS)
    #expect(cause(0x0580_0066, 0x0A00_010B) == .notTLS)
    #expect(cause(0x8000_0068, 0x0580_0066) == .tlsError(code: 0x0580_0066))
    #expect(cause(0x0A00_0FFF) == .tlsError(code: 0x0A00_0FFF))
  }

  /// The alert of a broker that refuses a handshake does not say whether it has seen a certificate.
  @Test func aRefusedHandshakeIsAboutOurCertificateWhereThereIsOne() {
    #expect(cause(0x0A00_0410) == .clientCertificateRefused)
    #expect(cause(0x0A00_0410, certificate: "") == .clientCertificateMissing)
  }

  // MARK: The broker's greeting

  @Test func bothVersionsOfMQTTNameTheSameTroubles() {
    let causes: [BrokerCause] = [.identifierRejected, .serverUnavailable, .badCredentials, .notAuthorised]
    #expect((2...5).map { BrokerDiagnosis.greeting($0, level: 4) } == causes)
    #expect([0x85, 0x88, 0x86, 0x87].map { BrokerDiagnosis.greeting($0, level: 5) } == causes)
    #expect(BrokerDiagnosis.greeting(1, level: 3) == .versionRefused(level: 3))
    #expect(BrokerDiagnosis.greeting(0x84, level: 5) == .versionRefused(level: 5))
    #expect([3, 4, 5].allSatisfy { BrokerDiagnosis.greeting(0, level: $0) == nil })
  }
}
