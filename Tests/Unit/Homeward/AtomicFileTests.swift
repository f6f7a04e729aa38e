import Glibc
import TestSupport
import Testing

@testable import homeward

/// A file is replaced where it is meant to be, and nothing else is.
struct AtomicFileTests {
  private let scratch = Scratch()

  private func text(_ name: String) -> String {
    let bytes = try? FileText.read(scratch.path + "/" + name, atMost: 4096)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }

  private func facts(_ name: String) -> stat {
    var status = stat()
    #expect(lstat(scratch.path + "/" + name, &status) == 0, "\(name)")
    return status
  }

  private func isFile(_ name: String) -> Bool { facts(name).st_mode & S_IFMT == S_IFREG }

  private func path(_ name: String) -> String { scratch.path + "/" + name }

  @Test func ownerAndModeOfTheOldOneStay() throws {
    try AtomicFile.write(Array("old".utf8), to: path("a"))
    #expect(facts("a").st_mode & 0o777 == 0o640)
    #expect(chmod(path("a"), 0o604) == 0)
    try AtomicFile.write(Array("new".utf8), to: path("a"))
    #expect(text("a") == "new" && facts("a").st_mode & 0o777 == 0o604)
    #expect(Folder.names(in: scratch.path) == ["a"], "a draft is left")
  }

  /// A person's own link to where the configuration lies.
  @Test func ownLinkIsKeptAndItsTargetReplaced() throws {
    try AtomicFile.write(Array("old".utf8), to: path("real"))
    #expect(symlink("real", path("link")) == 0)
    try AtomicFile.write(Array("new".utf8), to: path("link"))
    #expect(text("real") == "new" && !isFile("link"))
  }

  @Test(.enabled(if: geteuid() == 0)) func aLinkThatOthersCanHavePlacedIsNotFollowedByRoot() throws {
    try AtomicFile.write(Array("victim".utf8), to: path("victim"))
    #expect(mkdir(path("shared"), 0o700) == 0 && symlink("../victim", path("shared/link")) == 0)
    for (mode, owner) in [(mode_t(0o2770), uid_t(0)), (0o700, 12_345)] {
      #expect(chmod(path("shared"), mode) == 0 && chown(path("shared"), owner, 0) == 0)
      #expect(throws: Failure.self) { try AtomicFile.write([], to: path("shared/link")) }
    }
    #expect(chown(path("shared"), 0, 0) == 0 && chmod(path("shared"), 0o755) == 0)
    #expect(lchown(path("shared/link"), 12_345, 0) == 0)
    #expect(throws: Failure.self) { try AtomicFile.write([], to: path("shared/link")) }
    #expect(text("victim") == "victim")
    #expect(lchown(path("shared/link"), 0, 0) == 0)
    try AtomicFile.write(Array("meant".utf8), to: path("shared/link"))
    #expect(text("victim") == "meant")
  }

  @Test func inAFolderOfOthersALinkIsReplacedAndNotFollowed() throws {
    try AtomicFile.write(Array("victim".utf8), to: path("victim"))
    #expect(symlink("victim", path("code")) == 0)
    try AtomicFile.write(Array("code".utf8), as: "code", in: scratch.path, mode: 0o640)
    #expect(text("victim") == "victim" && text("code") == "code")
    #expect(isFile("code") && facts("code").st_mode & 0o777 == 0o640)
    #expect(Folder.names(in: scratch.path) == ["code", "victim"], "a draft is left")
  }

  @Test(.enabled(if: geteuid() == 0)) func folderFileBelongsToFolderOwner() throws {
    #expect(chown(scratch.path, 12_345, 23_456) == 0)
    try AtomicFile.write([], as: "sessions", in: scratch.path, mode: 0o600, isFolders: true)
    #expect(facts("sessions").st_uid == 12_345 && facts("sessions").st_gid == 23_456)
    try AtomicFile.write([], as: "code", in: scratch.path, mode: 0o640)
    #expect(facts("code").st_uid == 0)
  }

  @Test func failedWriteIsNamedAndLeavesNoDraft() {
    do {
      try AtomicFile.write([], to: path("none/file"))
      Issue.record("written into no folder")
    } catch let failure as Failure {
      #expect(failure.text.hasPrefix(path("none/file") + ": cannot be written"))
    } catch {
      Issue.record("\(error)")
    }
    #expect(mkdir(path("folder"), 0o700) == 0)
    #expect(throws: Failure.self) { try AtomicFile.write([], as: "folder", in: scratch.path, mode: 0o600) }
    #expect(Folder.names(in: scratch.path) == ["folder"], "a draft is left")
  }

  @Test func linksThatLeadInARingEnd() {
    #expect(symlink("b", path("a")) == 0 && symlink("a", path("b")) == 0)
    #expect(throws: Failure.self) { try AtomicFile.write([], to: path("a")) }
  }
}
