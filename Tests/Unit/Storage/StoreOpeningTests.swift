import Glibc
import Model
import TestSupport
import Testing

@testable import Host
@testable import Storage

/// Somebody has the account of the tracker and places what is no file where it keeps its own.
@Suite struct StoreOpeningTests {
  enum Blocker: String, CaseIterable {
    case link, folder, pipe

    func place(at path: String, in scratch: Scratch) {
      switch self {
      case .link: symlink("\(scratch.path)/victim", path)
      case .folder: mkdir(path, 0o700)
      case .pipe: mkfifo(path, 0o600)
      }
    }
  }

  private static func error(_ body: () throws(StoreError) -> Void) -> StoreError? {
    do throws(StoreError) {
      try body()
      return nil
    } catch { return error }
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: ["store.sqlite", "store.sqlite-journal", "store.log"], Blocker.allCases)
  func aStoreIsNotOpenedThroughIt(_ name: String, _ blocker: Blocker) {
    let scratch = Scratch()
    scratch.put("root's own", at: "victim")
    scratch.put("", at: "state/x")
    let path = "\(scratch.path)/state/\(name)"
    blocker.place(at: path, in: scratch)
    let error = Self.error { () throws(StoreError) in _ = try StoreFile(directory: "\(scratch.path)/state") }
    #expect(error == .inTheWay(path: path, what: "a \(blocker)"))
    #expect(error?.mayHeal == true, "it is looked for again, once a person has removed it")
    #expect(Sysfs.text("\(scratch.path)/victim") == "root's own")
  }

  @Test(
    .timeLimit(.minutes(1)), arguments: ["friends.sqlite", "friends.sqlite-journal"], Blocker.allCases)
  func norAreTheFriends(_ name: String, _ blocker: Blocker) {
    let scratch = Scratch()
    scratch.put("root's own", at: "victim")
    let path = "\(scratch.path)/\(name)"
    blocker.place(at: path, in: scratch)
    let tables = FriendTables(path: "\(scratch.path)/friends.sqlite")
    let error = Self.error { () throws(StoreError) in try tables.apply([("a/b", .gone)], positions: 1) }
    #expect(error == .inTheWay(path: path, what: "a \(blocker)"))
    #expect(Sysfs.text("\(scratch.path)/victim") == "root's own")
  }

  @Test(.timeLimit(.minutes(1)), arguments: Blocker.allCases)
  func norIsTheFileOfRefusedMessages(_ blocker: Blocker) {
    let scratch = Scratch()
    scratch.put("root's own", at: "victim")
    blocker.place(at: "\(scratch.path)/refused.jsonl", in: scratch)
    let why = DeadLetters.append([65], to: "\(scratch.path)/refused.jsonl", limit: 100)
    #expect(
      why?.contains("in the way") == true || blocker == .folder && why != nil, "\(why ?? "it is written")")
    #expect(Sysfs.text("\(scratch.path)/victim") == "root's own")
  }

  @Test func obstacleErrorNamesTheRemedy() {
    let error = StoreError.inTheWay(path: "/a/store.log", what: "a link")
    #expect(error.sentence == "/a/store.log: a link is in the way, expected a file or nothing: remove it")
  }
}
