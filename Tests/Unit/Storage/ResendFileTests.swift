import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

// behaviour: Once more
/// What was refused goes back into the queue: whenever the power goes, nothing is lost and nothing goes twice.
struct ResendFileTests {
  private let scratch = Scratch()
  private var path: String { scratch.path + "/refused.jsonl" }
  private var resendFile: ResendFile { ResendFile(path: path) }

  /// Lines that begin with an x hold no message.
  private static let read: ResendFile.Reader = { line in
    guard line.first != UInt8(ascii: "x") else { return .failure(.init("an x")) }
    return .success(
      Message(topic: "t", payload: line, qos: 1, isRetained: false, isEvent: true, time: 0))
  }

  private func text(_ name: String = "refused.jsonl") -> String? {
    guard let file = fopen(scratch.path + "/" + name, "r") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  private func take(_ first: UInt64) -> DeadLetters.Taking { resendFile.take(as: first, reading: Self.read) }

  private func messages(_ taking: DeadLetters.Taking) -> [String]? {
    guard case .taken(let refused) = taking else { return nil }
    return refused.messages.map { String(decoding: $0.payload, as: UTF8.self) }
  }

  @Test func allThatAreMessagesAreTakenInOrder() {
    scratch.put("a\nx1\nb\n\nx2\nc\n", at: "refused.jsonl")
    let taking = take(7)
    #expect(messages(taking) == ["a", "b", "c"])
    guard case .taken(let refused) = taking else { return }
    #expect(refused.first == 7 && refused.leftCount == 2)
    #expect(refused.leftBecause == "\(path), line 1: an x")
    #expect(text() == "x1\nx2\n" && text("refused.jsonl.7") == "a\nb\nc\n")
    #expect(messages(take(8)) == nil && text("refused.jsonl.8") == nil)
  }

  @Test func whereThereAreNoneNothingChanges() {
    #expect(take(1) == .nothing)
    scratch.put("x\n", at: "refused.jsonl")
    #expect(take(1) == .none(1, because: "\(path), line 1: an x"))
    #expect(text() == "x\n")
    unlink(path)
    mkfifo(path, 0o600)
    guard case .failed(let why) = take(1) else {
      Issue.record("a pipe was read")
      return
    }
    #expect(why.contains("no file"))
  }

  @Test func theFileOfThoseTakenIsGoneOnceTheStoreHasThem() {
    scratch.put("a\n", at: "refused.jsonl")
    _ = take(7)
    #expect(text() == nil)
    resendFile.forget(7)
    #expect(text("refused.jsonl.7") == nil)
  }

  @Test(arguments: [6, 7, 8] as [UInt64])
  func theStartKnowsWhetherTheStoreHasThem(_ lastSequence: UInt64) {
    scratch.put("a\nb\n", at: "refused.jsonl")
    _ = take(7)
    #expect(DeadLetters.append(Array("later".utf8), to: path, limit: 1000) == nil)
    #expect(resendFile.settle(lastSequence: lastSequence) == nil)
    #expect(text() == (lastSequence < 7 ? "a\nb\nlater\n" : "later\n"))
    #expect(text("refused.jsonl.7") == nil)
  }

  /// Both files hold it: between the writing of the one and the end of the other the power went.
  @Test func aLineThatIsInBothFilesIsOne() {
    scratch.put("a\nb\nc\n", at: "refused.jsonl")
    scratch.put("a\nb\n", at: "refused.jsonl.7")
    #expect(resendFile.settle(lastSequence: 6) == nil)
    #expect(text() == "a\nb\nc\n" && text("refused.jsonl.7") == nil)
  }

  /// What could not be given back is taken once more, with what was refused since; or stays for itself.
  @Test(arguments: ["a\nb\nc\n", "c\n"])
  func ofSeveralFilesTheOldestIsInFront(_ newer: String) {
    scratch.put("a\nb\n", at: "refused.jsonl.7")
    scratch.put(newer, at: "refused.jsonl.12")
    scratch.put("d\n", at: "refused.jsonl")
    #expect(resendFile.settle(lastSequence: 6) == nil)
    #expect(text() == "a\nb\nc\nd\n")
    #expect(text("refused.jsonl.7") == nil && text("refused.jsonl.12") == nil)
  }

  @Test func aFileThatCannotBeReadKeepsNoOtherBack() {
    scratch.put("a\na\n", at: "refused.jsonl.7")
    mkfifo(path + ".12", 0o600)
    #expect(resendFile.settle(lastSequence: 6)?.contains("no file") == true)
    #expect(text() == "a\na\n" && text("refused.jsonl.7") == nil)
  }

  @Test func othersFilesAreLeftAlone() {
    for name in ["refused.jsonl.new", "refused.jsonl.x", "refused.jsonl.", "other.7"] {
      scratch.put("a\n", at: name)
    }
    #expect(resendFile.settle(lastSequence: 100) == nil)
    for name in ["refused.jsonl.new", "refused.jsonl.x", "refused.jsonl.", "other.7"] {
      #expect(text(name) == "a\n")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "mounting is not permitted here"))
  func aDiskThatTakesNothingLeavesThemWhereTheyAre() throws {
    try #require(mount("tmpfs", scratch.path, "tmpfs", 0, "size=64k") == 0)
    defer { umount2(scratch.path, Int32(MNT_DETACH)) }
    let line = String(repeating: "y", count: 8000)
    let lines = (0..<5).map { "\($0)\(line)\n" }.joined()
    scratch.put(lines, at: "refused.jsonl")
    guard case .failed = take(7) else {
      Issue.record("taken, though there is no room")
      return
    }
    #expect(text() == lines && text("refused.jsonl.7") == nil && text("refused.jsonl.7.new") == nil)
  }
}
