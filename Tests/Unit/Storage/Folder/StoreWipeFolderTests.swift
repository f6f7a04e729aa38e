import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// Which files a wipe overwrites, which it leaves, and what it says.
struct StoreWipeFolderTests {
  private let scratch = Scratch()
  private var path: String { scratch.path }

  private func error(_ extent: StoreWipe.Extent, in directory: String? = nil) -> StoreError? {
    do throws(StoreError) {
      _ = try StoreWipe.run(in: directory ?? path, extent)
      return nil
    } catch { return error }
  }

  /// A closed store with a tag, a form of the client id and a message.
  private func fill() throws {
    let store = try StoreFile(directory: path)
    try store.apply([
      .tag("Spain"), .clientIDForm(.joined(user: "j", device: "van")), .insert(Sample.message(1)),
    ])
    store.close()
  }

  private func left() throws -> Snapshot {
    let store = try StoreFile(directory: path)
    defer { store.close() }
    return try store.snapshot()
  }

  @Test func wipedFilesAreZeroedToTheLastByte() throws {
    let sizes = [0, 1, 2, 65_535, 65_536, 65_537, 200_000]
    scratch.put("", at: "second/name")
    for size in sizes {
      writeFile([UInt8](repeating: 7, count: size), to: "\(path)/refused.\(size)")
      // A second name shows what became of the bytes.
      #expect(link("\(path)/refused.\(size)", "\(path)/second/\(size)") == 0)
    }
    _ = try StoreWipe.run(in: path, .everything)
    for size in sizes {
      #expect(StoreFolder.status("\(path)/refused.\(size)") == nil)
      let bytes = readFile("\(path)/second/\(size)")
      #expect(bytes.count == size && bytes.allSatisfy { $0 == 0 }, "\(size) bytes")
    }
    #expect(StoreFolder.open(at: path) == [])
  }

  @Test(arguments: [StoreWipe.Extent.places, .everything])
  func wipeReportsFilesAndBytes(_ extent: StoreWipe.Extent) throws {
    try fill()
    let others = ["friends.sqlite", "refused.jsonl", "drive.1", "card.face"]
    for (index, name) in others.enumerated() {
      writeFile([UInt8](repeating: 7, count: 1 << index), to: path + "/" + name)
    }
    let own = ["store.sqlite", "store.log", "store.reserve", "store.sqlite-journal"].compactMap {
      StoreFolder.size(path + "/" + $0)
    }
    #expect(own.count == 4)
    let face = extent == .everything ? 1 : 0
    let report = try StoreWipe.run(in: path, extent)
    #expect(report.files == own.count + 3 + face)
    #expect(report.bytes == own.reduce(0, +) + 7 + 8 * face)
    #expect((StoreFolder.status(path + "/card.face") == nil) == (extent == .everything))
    #expect(StoreWipe.Report() == StoreWipe.Report(files: 0, bytes: 0))
  }

  @Test func wipeKeepsSettingsFoldersAndLinks() throws {
    try fill()
    scratch.put("x", at: "homeward.otrc")
    scratch.put("x", at: "store.folder/inside")
    scratch.put("x", at: "drives/inside")
    scratch.link("store.link", to: path + "/homeward.otrc")
    _ = try StoreWipe.run(in: path, .everything)
    for name in ["homeward.otrc", "store.folder/inside", "drives/inside", "store.link"] {
      #expect(readFile(path + "/" + name) == Array("x".utf8), "\(name)")
    }
    #expect(StoreFolder.status(path + "/store.sqlite") == nil)
  }

  @Test func howTheClientIDIsMadeStays() throws {
    try fill()
    _ = try StoreWipe.run(in: path, .places)
    let snapshot = try left()
    #expect(snapshot.clientIDForm == .joined(user: "j", device: "van") && snapshot.tag == "Spain")
    #expect(snapshot.queued == 0 && StoreFolder.open(at: path) == [])
  }

  @Test func nowhereNothingIsWiped() {
    let nowhere = path + "/none"
    for extent in [StoreWipe.Extent.places, .everything] {
      let cause = "No such file or directory"
      #expect(error(extent, in: nowhere) == .noDirectory(path: nowhere, cause: cause))
    }
  }

  /// Its settings would be lost: a person decides that.
  @Test func unreadableStoreIsWipedOnlyWithEverything() throws {
    try fill()
    unlink(path + "/store.log")
    mkdir(path + "/store.log", 0o700)
    #expect(error(.places) == .inTheWay(path: path + "/store.log", what: "a folder"))
    #expect(StoreFolder.status(path + "/store.sqlite") != nil)
    #expect(error(.everything) == nil && StoreFolder.status(path + "/store.sqlite") == nil)
  }

  // MARK: Cut short

  @Test func interruptedWipeResumesFromItsKeptCopy() throws {
    try fill()
    mkdir(path + "/wipe.new", 0o700)
    for name in ["store.sqlite", "store.log"] {
      writeFile(readFile(path + "/" + name), to: path + "/wipe.new/" + name)
    }
    mkdir(path + "/store.sqlite-wal", 0o700)
    _ = try StoreWipe.run(in: path, .places)
    rmdir(path + "/store.sqlite-wal")
    #expect(try left().tag == "Spain" && StoreFolder.status(path + "/wipe.new") == nil)
  }

  @Test func partialCopyIsRewrittenByTheNextWipe() throws {
    try fill()
    scratch.put("half", at: "wipe.part/store.sqlite")
    _ = try StoreWipe.run(in: path, .places)
    #expect(try left().tag == "Spain" && StoreFolder.status(path + "/wipe.part") == nil)
    #expect(StoreFolder.status(path + "/wipe.new") == nil)
  }

  @Test func fullWipeRemovesCopiesOfEarlierWipes() throws {
    try fill()
    scratch.put("kept", at: "wipe.new/store.sqlite")
    scratch.put("half", at: "wipe.part/store.sqlite")
    _ = try StoreWipe.run(in: path, .everything)
    #expect(StoreFolder.status(path + "/wipe.new") == nil && StoreFolder.status(path + "/wipe.part") == nil)
  }

  @Test func obstacleToTheKeptCopyIsNamed() throws {
    try fill()
    scratch.put("", at: "wipe.part")
    #expect(error(.places) == .failing(path: path + "/wipe.part", doing: "making", cause: "File exists"))
    unlink(path + "/wipe.part")
    scratch.link("wipe.new", to: path + "/nowhere")
    #expect(error(.places) == .failing(path: path + "/wipe.new", doing: "making", cause: "Not a directory"))
    unlink(path + "/wipe.new")
    #expect(try left().tag == "Spain")
  }

  /// A program that runs may not be written to. Until it ends, what is kept lies beside the rest, for the tracker's user.
  @Test func aFileThatCannotBeOverwrittenEndsItAndItGoesOnLater() throws {
    try fill()
    let busy = path + "/store.zz"
    // No process that another test begins meanwhile may get it open for writing.
    let program = readFile("/bin/sleep")
    let descriptor = open(busy, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
    #expect(write(descriptor, program, program.count) == program.count)
    close(descriptor)
    if geteuid() == 0 { chown(path, 12_345, 12_346) }
    let process = try Process([busy, "60"], output: "/dev/null")
    defer { process.kill() }
    #expect(error(.places) == .failing(path: busy, doing: "overwriting", cause: "Text file busy"))
    #expect(StoreFolder.status(path + "/store.sqlite") == nil)
    let kept = try #require(StoreFolder.status(path + "/wipe.new"))
    let owner = StoreFolder.status(path)
    #expect(kept.st_uid == owner?.st_uid && kept.st_gid == owner?.st_gid)
    #expect(kept.st_mode == S_IFDIR | 0o700)
    process.kill()
    #expect(error(.places) == nil && StoreFolder.status(busy) == nil)
    // Each file is the user's who has the folder, whoever has wiped it.
    for name in ["store.sqlite", "store.log"] {
      let status = try #require(StoreFolder.status(path + "/" + name))
      #expect(status.st_uid == owner?.st_uid && status.st_gid == owner?.st_gid)
    }
    #expect(try left().tag == "Spain" && StoreFolder.status(path + "/wipe.new") == nil)
  }

  @Test(.enabled(if: StoreFolder.canMount, "mounting is not permitted here"))
  func aFileThatCannotBeRemovedIsNamed() throws {
    scratch.put("lat", at: "refused.jsonl")
    let refused = path + "/refused.jsonl"
    #expect(mount(refused, refused, nil, UInt(MS_BIND), nil) == 0)
    defer { umount2(refused, Int32(MNT_DETACH)) }
    #expect(
      error(.everything) == .failing(path: refused, doing: "removing", cause: "Device or resource busy"))
    #expect(readFile(refused) == [0, 0, 0])
  }
}
