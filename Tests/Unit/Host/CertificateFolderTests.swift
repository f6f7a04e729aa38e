import Glibc
import Model
import OwnTracks
import TestSupport
import Testing

@testable import Host

// behaviour: Renewed certificates
/// What is on the disk of a renewal, and what is in force by it.
struct CertificateFolderTests {
  private let scratch = Scratch()
  private let folder: CertificateFolder

  init() { folder = CertificateFolder(in: scratch.path) }

  private func state(_ change: (inout CertificateFolder.State) -> Void) -> CertificateFolder.State {
    var state = CertificateFolder.State()
    change(&state)
    return state
  }

  private var configured: String { scratch.path + "/board.pem" }

  private func place(_ name: String, _ text: String) {
    #expect(folder.put(Array(text.utf8), as: name) == nil)
  }

  @Test(arguments: [CommandID.number(7), .text("a \"b\"")])
  func aStateIsReadAsItWasWritten(_ id: CommandID) {
    #expect(folder.state() == .known(CertificateFolder.State()), "there is none")
    let written = state {
      ($0.mark, $0.replaces) = ("1", "2")
      $0.trial = .init(mark: "3", replaces: nil, order: .init(id: id, topic: "t"))
    }
    #expect(folder.write(written) == nil && folder.state() == .known(written))
    var facts = stat()
    #expect(stat(folder.path + "/state.json", &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    #expect(stat(folder.path, &facts) == 0 && facts.st_mode & 0o777 == 0o700)
  }

  @Test(arguments: ["", "{", "[]", #"{"inForce": 7}"#, #"{"inForce": "../x"}"#, #"{"trial": {"file": "3"}}"#])
  func aDamagedStateIsNotTakenForNone(_ text: String) {
    place("state.json", text)
    guard case .unknown(let why) = folder.state() else {
      Issue.record("\(text) was read")
      return
    }
    #expect(why.hasSuffix("/certificate/state.json: is damaged, expected the state of a renewal, JSON"))
  }

  @Test func aStateThatTheDiskDoesNotGiveIsNotTakenForNone() {
    scratch.put("", at: "certificate/state.json/x")
    guard case .unknown(let why) = folder.state() else {
      Issue.record("a folder was read")
      return
    }
    #expect(why.hasSuffix("/certificate/state.json: cannot be read: Is a directory"))
  }

  /// Without a state.
  @Test func theOnlyPairIsUsedUnlessTheConfigurationsOwnEndsNoEarlier() {
    scratch.put(SampleCertificates.present, at: "board.pem")
    let lost = CertificateFolder.Reading.unknown("why")
    let pairs = SampleCertificates.pairs
    let marks = pairs.map { BoardCertificate(pem: Array($0.utf8))?.mark ?? "" }
    place("request.pem", SampleCertificates.request)
    place("x.pem", pairs[0])
    #expect(folder.renewed(lost, of: configured) == nil, "its name is that of another one")
    place(marks[1] + ".pem", SampleCertificates.ofFleet + "\n" + SampleCertificates.keyOfOwn)
    #expect(folder.renewed(lost, of: configured) == nil, "the key does not fit")
    place(marks[0] + ".pem", pairs[0])
    #expect(folder.renewed(lost, of: configured) == folder.pair(marks[0]))
    #expect(folder.renewed(lost, of: "") == nil, "there is no certificate in use")
    scratch.put(pairs[0], at: "board.pem")
    #expect(folder.renewed(lost, of: configured) == nil, "the configuration's own ends no earlier")
    scratch.put(SampleCertificates.present, at: "board.pem")
    place(marks[1] + ".pem", pairs[1])
    #expect(folder.renewed(lost, of: configured) == nil, "there are two")
  }

  @Test func aFolderThatCannotBeWrittenIsSaid() {
    scratch.put("", at: "certificate")
    #expect(
      folder.write(CertificateFolder.State())?.contains(
        "certificate/state.json.new: cannot be written: Not a") == true)
  }

  @Test func aRenewedCertificateCountsForTheOneThatItReplaces() throws {
    scratch.put(SampleCertificates.present, at: "board.pem")
    let mark = try #require(CertificateFolder.mark(of: configured))
    let settled = state { ($0.mark, $0.replaces) = ("a", mark) }
    let unread = state { $0.mark = "a" }
    #expect(folder.renewed(settled, of: configured) == nil, "its file is missing")
    place("a.pem", SampleCertificates.renewed)
    #expect(folder.renewed(settled, of: configured) == folder.pair("a"))
    #expect(
      folder.renewed(settled, of: scratch.path + "/none") == folder.pair("a"), "one that cannot be read")
    #expect(folder.renewed(unread, of: configured) == folder.pair("a"), "the one before could not be read")
    #expect(folder.renewed(settled, of: "") == nil, "there is no certificate in use")
    scratch.put(SampleCertificates.renewed, at: "board.pem")
    #expect(folder.renewed(settled, of: configured) == nil, "another one lies there")
  }

  @Test func theCertificateOnTrialComesFirst() throws {
    scratch.put(SampleCertificates.present, at: "board.pem")
    let mark = try #require(CertificateFolder.mark(of: configured))
    let trying = state {
      ($0.mark, $0.replaces) = ("a", mark)
      $0.trial = .init(mark: "b", replaces: mark, order: .init(id: .number(1), topic: nil))
    }
    place("a.pem", SampleCertificates.present)
    #expect(folder.renewed(trying, of: configured) == folder.pair("a"), "the tried one is missing")
    place("b.pem", SampleCertificates.renewed)
    #expect(folder.renewed(trying, of: configured) == folder.pair("b"))
  }

  @Test func filesOutsideOfTheStateAreRemoved() {
    for name in ["a.pem", "b.pem", "c.pem", "request.key", "request.pem", "x.new"] { place(name, "x") }
    let trying = state {
      $0.mark = "a"
      $0.trial = .init(mark: "b", replaces: nil, order: .init(id: .number(1), topic: nil))
    }
    #expect(folder.write(trying) == nil)
    let exists = { [folder] (name: String) in access(folder.path + "/" + name, F_OK) == 0 }
    folder.tidy(trying, keepsRequest: true)
    #expect(["a.pem", "b.pem", "request.key", "request.pem", "state.json"].allSatisfy(exists))
    #expect(!exists("c.pem") && !exists("x.new"))
    folder.tidy(state { $0.mark = "b" }, keepsRequest: false)
    #expect(exists("b.pem") && exists("state.json"))
    #expect(!["a.pem", "request.key", "request.pem"].contains(where: exists))
  }
}
