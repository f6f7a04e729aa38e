import Glibc
import Loop
import TestSupport
import Testing

@testable import Storage

/// The face of our last card, in its file.
struct CardAvatarTests {
  private let scratch = Scratch()
  private var file: String { scratch.path + "/card.face" }

  private func with(_ body: (CardAvatar, EventLoop) throws -> Void) throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "store")
    defer { worker.finish() }
    try body(CardAvatar(worker: worker, directory: scratch.path), loop)
  }

  /// What was answered, once it was.
  private func kept(_ face: String?) throws -> String? {
    var answer: String??
    try with { own, loop in
      own.keep(face) { answer = .some($0) }
      loop.turn { answer != nil }
    }
    return answer ?? "no answer"
  }

  private func read() throws -> String? {
    var answer: String??
    try with { own, loop in
      own.read { answer = .some($0) }
      loop.turn { answer != nil }
    }
    return answer ?? "no answer"
  }

  @Test func aFaceIsKeptAndTakenBack() throws {
    #expect(try read() == nil)
    #expect(try kept("iVBORw0KGgo=") == nil)
    #expect(try read() == "iVBORw0KGgo=" && readFile(file) == Array("iVBORw0KGgo=\n".utf8))
    #expect(try kept("AAAA") == nil)
    #expect(try read() == "AAAA")
    #expect(try kept(nil) == nil)
    #expect(try read() == nil && StoreFolder.status(file) == nil)
  }

  @Test func whereThereIsNoneNothingIsTakenBack() throws {
    #expect(try kept(nil) == nil)
  }

  @Test func aFaceThatCannotBeKeptOrTakenBackIsSaid() throws {
    mkdir(file, 0o700)
    for face in ["AAAA", nil] { #expect(try kept(face) == "\(file): Is a directory") }
    #expect(try read() == nil)
  }
}
