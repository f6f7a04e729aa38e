import Core
import Glibc
import Host
import Model
import OwnTracks
import TestSupport
import Testing

@testable import homewardd

// behaviour: Renewed certificates
/// What a start makes of the files that an earlier one has left, without a server to try anything at.
final class CertificateRenewalTests {
  private let scene: DaemonScene
  private let mark = BoardCertificate(pem: Array(SampleCertificates.pairs[0].utf8))?.mark ?? ""
  private let present = BoardCertificate(pem: Array(SampleCertificates.present.utf8))?.mark ?? ""
  private var folder: String { scene.directory.path + "/certificate" }
  private lazy var papers = BoardPapers(
    loop: scene.loop, worker: scene.worker, directory: scene.directory.path, outcome: "/none"
  ) {}

  init() throws {
    scene = try DaemonScene {
      $0.broker.port = 0
      $0.tls.clientCertificate = $0.board.stateDir + "/board.pem"
      $0.tls.clientKey = $0.board.stateDir + "/board.key"
    }
    put(SampleCertificates.present, "board.pem")
    put(SampleCertificates.pairs[0], "certificate/\(mark).pem")
    put("a key that waits", "certificate/request.key")
  }

  private func put(_ text: String, _ name: String) { scene.directory.put(text, at: name) }

  private func putState(_ text: String) { put(text, "certificate/state.json") }

  private func putTrial(replaces: String) {
    putState(#"{"trial": {"file": "\#(mark)", "replaces": "\#(replaces)", "id": 7}}"#)
  }

  private func exists(_ name: String) -> Bool { access(folder + "/" + name, F_OK) == 0 }

  /// A start, until the disk has done what follows from it.
  private func start() -> CertificateRenewal {
    let inbound = InboundMessages(
      settings: scene.settings, host: scene.host, friends: scene.friends, extensions: scene.extensions,
      log: scene.log)
    let connection = ServerConnection(
      loop: scene.loop, worker: scene.worker, disk: scene.worker, settings: scene.settings, host: scene.host,
      inbound: inbound, log: scene.log)
    let renewal = CertificateRenewal(
      loop: scene.loop, disk: scene.worker, settings: scene.settings, host: scene.host,
      connection: connection, papers: papers, log: scene.log)
    connection.configure()
    renewal.begin()
    rest()
    return renewal
  }

  private func rest() { scene.loop.turn { self.scene.worker.pending == 0 } }

  private var answers: [CommandResult] {
    scene.host.inbox.compactMap { if case .certificateSettled(let result) = $0 { result } else { nil } }
  }

  private var pair: String { folder + "/\(mark).pem" }

  @Test func withoutAStateThereIsNothingToKeep() {
    withExtendedLifetime(start()) {
      #expect(scene.settings.renewed == nil && !exists("\(mark).pem") && exists("request.key"))
      #expect(scene.lines().isEmpty)
    }
  }

  @Test func aStateThatCannotBeReadCostsNoFile() throws {
    put("", "certificate/state.json/x")
    let renewal = start()
    #expect(scene.settings.renewed == pair && exists("\(mark).pem") && exists("request.key"))
    let said = scene.lines()
    let words = "certificate/state.json: cannot be read: Is a directory; \(pair) is used"
    #expect(said.count == 1 && said.first?.contains(words) == true, "\(said)")
    // The disk gives it later.
    renewal.settle()
    #expect(unlink(folder + "/state.json/x") == 0 && rmdir(folder + "/state.json") == 0)
    putState(#"{"inForce": "\#(mark)", "replaces": "\#(present)"}"#)
    put("", "certificate/stray.pem")
    renewal.readAgain()
    rest()
    #expect(scene.settings.renewed == pair && exists("\(mark).pem") && !exists("stray.pem"))
    #expect(scene.lines().map { $0.hasSuffix("/certificate can be read again") } == [true])
  }

  @Test func aPairThatCannotBeReadIsUsedOnceItCan() throws {
    putState(#"{"inForce": "\#(mark)", "replaces": "\#(present)"}"#)
    unlink(pair)
    let renewal = start()
    #expect(scene.settings.renewed == nil)
    #expect(
      scene.lines().map { $0.contains("cannot be read: No such file or directory; the cert") } == [true])
    put(SampleCertificates.pairs[0], "certificate/\(mark).pem")
    renewal.readAgain()
    rest()
    #expect(scene.settings.renewed == pair && exists("\(mark).pem"))
  }

  /// A connection with that one would prove nothing.
  @Test func noTrialBeginsWithAnotherCertificate() {
    putTrial(replaces: "0123")
    withExtendedLifetime(start()) {
      #expect(answers.map(\.outcome) == [.refused])
      #expect(answers.first?.reason == "tlsClientCert names another certificate now")
      #expect(!exists("\(mark).pem") && scene.text("certificate/state.json").contains("trial") == false)
    }
  }

  @Test func noTrialBeginsWithoutItsFile() {
    putTrial(replaces: present)
    unlink(pair)
    put("", "certificate/\(mark).pem/x")
    withExtendedLifetime(start()) {
      #expect(answers.map(\.outcome) == [.refused])
      #expect(answers.first?.reason == "\(pair): cannot be read: Is a directory")
      #expect(exists("\(mark).pem") && exists("request.key"))
      #expect(!scene.text("certificate/state.json").contains("trial"))
    }
  }

  @Test(arguments: ["http", "tls"]) func noTrialGoesOnWhereNoCertificateIsShown(_ way: String) {
    putTrial(replaces: present)
    var other = scene.settings.configuration
    if way == "http" { other.transport = .http } else { other.tls.isOn = false }
    scene.settings.adopt(other, .apart)
    withExtendedLifetime(start()) {
      #expect(answers.map(\.outcome) == [.refused] && answers.first?.reason?.contains("(mode, tls") == true)
    }
  }

  @Test func aTrialThatWasCutShortGoesOn() {
    putTrial(replaces: present)
    withExtendedLifetime(start()) {
      #expect(scene.settings.renewed == pair && answers.isEmpty && exists("\(mark).pem"))
      #expect(scene.text("certificate/state.json").contains("trial"))
    }
  }

  // behaviour: Fleets
  @Test func theEndInStatusIsThatOfTheCertificateInUse() {
    putState(#"{"inForce": "\#(mark)", "replaces": "\#(present)"}"#)
    let renewal = start()
    papers.configure(certificate: pair)
    rest()
    #expect(papers.facts.certificateEnd == 2_141_652_057)
    put(SampleCertificates.ofFleet, "board.pem")
    #expect(renewal.look() && scene.settings.renewed == nil)
    rest()
    #expect(papers.facts.certificateEnd == 2_111_344_707 && !exists("\(mark).pem"))
  }
}
