import Glibc
import Loop
import Model
import TestSupport
import Testing

@testable import Storage

/// The file of refused messages: bounded, whole, for its owner alone, and no trouble to anybody.
struct DeadLettersTests {
  private let scratch = Scratch()
  private var path: String { scratch.path + "/refused.jsonl" }

  private func append(_ text: String, limit: Int = 1000) -> String? {
    DeadLetters.append(Array(text.utf8), to: path, limit: limit)
  }

  private func text() -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 21)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  private func mode() -> UInt32 {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
  }

  @Test func isALineEach() {
    #expect(append("one") == nil && append("two") == nil)
    #expect(text() == "one\ntwo\n")
  }

  @Test func isForItsOwnerAlone() {
    scratch.put("old\n", at: "refused.jsonl")
    chmod(path, 0o644)
    #expect(append("new") == nil)
    #expect(mode() == 0o600 && text() == "old\nnew\n")
  }

  // behaviour: What the server does not take
  @Test func givesUpTheOlderHalf() {
    for number in 100..<300 { #expect(append("line \(number)", limit: 200) == nil) }
    let lines = text().split(separator: "\n")
    #expect(text().utf8.count <= 200 && lines.count >= 10)
    #expect(lines.last == "line 299" && lines == lines.indices.map { "line \(300 - lines.count + $0)" })
    #expect(mode() == 0o600)
  }

  /// A program that reads the old file goes on reading the old file.
  @Test func replacesTheFileAtOnce() throws {
    for number in 10..<20 { #expect(append("line \(number)", limit: 82) == nil) }
    var before = stat()
    var after = stat()
    stat(path, &before)
    #expect(append("line 20", limit: 82) == nil)
    stat(path, &after)
    #expect(before.st_ino != after.st_ino && access(path + ".new", F_OK) != 0)
  }

  @Test func aTornLineTakesNoOtherWithIt() {
    scratch.put("{\"tor", at: "refused.jsonl")
    #expect(append("whole") == nil)
    #expect(text() == "{\"tor\nwhole\n")
  }

  @Test func tooLargeLetterIsRefused() {
    #expect(append("old") == nil)
    #expect(append(String(repeating: "x", count: 1000))?.contains("too large") == true)
    #expect(text() == "old\n")
  }

  @Test func aFileThatIsNoneIsLeftAlone() {
    mkfifo(path, 0o600)
    #expect(append("x")?.contains("no file") == true)
    unlink(path)
    scratch.link("refused.jsonl", to: scratch.path + "/elsewhere")
    #expect(append("x") != nil && access(scratch.path + "/elsewhere", F_OK) != 0)
  }

  @Test(.enabled(if: geteuid() == 0, "mounting is not permitted here"))
  func fullDiskLeavesOnlyCompleteLines() throws {
    try #require(mount("tmpfs", scratch.path, "tmpfs", 0, "size=8k") == 0)
    defer { umount2(scratch.path, Int32(MNT_DETACH)) }
    let line = String(repeating: "y", count: 999)
    var failures = 0
    for _ in 0..<12 where append(line, limit: 100_000) != nil { failures += 1 }
    #expect(failures > 0 && failures < 12)
    #expect(text() == String(repeating: line + "\n", count: 12 - failures))
  }

  // behaviour: What the server does not take
  @Test func aLetterThatTheDiskDoesNotTakeIsKeptLaterAndInOrder() throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "disk")
    let folder = scratch.path + "/later"
    let letters = DeadLetters(loop: loop, worker: worker, path: folder + "/refused.jsonl") { _ in }
    var ends: [String] = []
    for name in ["a", "b", "c"] {
      letters.keep(Array(name.utf8)) { keeping in
        switch keeping {
        case .kept: ends.append("\(name) kept")
        case .delayed(let why): ends.append("\(name): \(why)")
        case .givenUp: ends.append("\(name) given up")
        }
      }
    }
    loop.turn { ends.count == 3 }
    #expect(ends == ["a", "b", "c"].map { "\($0): No such file or directory" })
    letters.keep([UInt8](repeating: 65, count: DeadLetters.limit)) { ends.append("large: \($0)") }
    loop.turn { worker.pending == 0 }
    #expect(ends.count == 4, "said once of each: \(ends)")
    mkdir(folder, 0o700)
    letters.finish()
    loop.turn { ends.count == 8 }
    #expect(ends.dropFirst(4).prefix(3) == ["a kept", "b kept", "c kept"])
    #expect(ends.last?.contains("givenUp") == true && ends.last?.contains("too large") == true)
    #expect(readFile(folder + "/refused.jsonl") == Array("a\nb\nc\n".utf8))
  }

  /// By itself, though nothing more is refused.
  @Test func theDiskIsAskedAgain() throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "disk")
    let letters = DeadLetters(
      loop: loop, worker: worker, path: scratch.path + "/later/refused.jsonl", retryDelay: .milliseconds(10)
    ) { _ in }
    var ends: [DeadLetters.Keeping] = []
    letters.keep([65]) { ends.append($0) }
    loop.turn { ends.count == 1 }
    mkdir(scratch.path + "/later", 0o700)
    loop.turn { ends.count == 2 }
    #expect(ends.last == .kept)
  }

  @Test func lettersThatWaitAreTakenAsWell() throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "disk")
    let letters = DeadLetters(loop: loop, worker: worker, path: scratch.path + "/later/refused.jsonl") { _ in
    }
    var ends: [DeadLetters.Keeping] = []
    letters.keep([65]) { ends.append($0) }
    loop.turn { ends.count == 1 }
    mkdir(scratch.path + "/later", 0o700)
    var taking = DeadLetters.Taking.nothing
    letters.take(as: 7) { line in
      .success(Message(topic: "t", payload: line, qos: 1, isRetained: false, isEvent: true, time: 0))
    } then: {
      taking = $0
    }
    loop.turn { taking != .nothing }
    guard case .taken(let refused) = taking else {
      Issue.record("\(taking)")
      return
    }
    #expect(refused.messages.map(\.payload) == [[65]] && ends.last == .kept)
  }

  @Test func lettersOfAnotherStoreAreKeptAndNotAnswered() throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "disk")
    let letters = DeadLetters(loop: loop, worker: worker, path: path) { _ in }
    var isAnswered = false
    letters.keep([65]) { _ in isAnswered = true }
    letters.disown()
    loop.turn { worker.pending == 0 }
    #expect(text() == "A\n" && !isAnswered)
  }
}
