import Glibc
import TestSupport
import Testing

@testable import Storage

/// What lies in the store's folder after each step, and what is said where a step fails.
struct StorePathsTests {
  private let scratch = Scratch()
  private var paths: StorePaths { StorePaths(directory: scratch.path) }
  private var reserve: String { scratch.path + "/store.reserve" }

  private func error(_ body: () throws(StoreError) -> Void) -> StoreError? {
    do throws(StoreError) {
      try body()
      return nil
    } catch { return error }
  }

  private func put(_ count: Int, at name: String) {
    writeFile([UInt8](repeating: 7, count: count), to: scratch.path + "/" + name)
  }

  // MARK: The reserve

  @Test func theReserveTakesUpAQuarterOfAMegabyte() throws {
    paths.keepReserve()
    let status = try #require(StoreFolder.status(reserve))
    #expect(status.st_size == 262_144 && status.st_mode == S_IFREG | 0o600)
    // Blocks that are really taken: a hole would hold nothing back.
    #expect(status.st_blocks * 512 >= 262_144)
    #expect(StoreFolder.open(at: scratch.path) == [])
  }

  @Test func theReserveIsMadeOnce() {
    put(5, at: "store.reserve")
    paths.keepReserve()
    #expect(StoreFolder.size(reserve) == 5)
  }

  @Test func theReserveIsGivenUpOnce() {
    paths.keepReserve()
    #expect(paths.releaseReserve() && StoreFolder.status(reserve) == nil)
    #expect(!paths.releaseReserve())
  }

  @Test(.enabled(if: StoreFolder.canMount, "mounting is not permitted here"))
  func whereThereIsNoRoomNoneIsTaken() throws {
    let disk = try #require(StoreFolder.Disk(kilobytes: 200))
    let paths = StorePaths(directory: disk.scratch.path)
    paths.keepReserve()
    #expect(!paths.releaseReserve())
  }

  // MARK: The folder and its files

  @Test func theFolderMustBeOne() {
    #expect(error { () throws(StoreError) in try paths.check() } == nil)
    put(1, at: "file")
    for (name, cause) in [("/none", "No such file or directory"), ("/file", "not a directory")] {
      let path = scratch.path + name
      let error = error { () throws(StoreError) in try StorePaths(directory: path).check() }
      #expect(error == .noDirectory(path: path, cause: cause))
    }
  }

  @Test func aFileIsMadeForItsOwnerAlone() throws {
    let path = scratch.path + "/new"
    try paths.create(path)
    #expect(StoreFolder.status(path)?.st_mode == S_IFREG | 0o600 && StoreFolder.size(path) == 0)
    put(9, at: "new")
    try paths.create(path)
    #expect(StoreFolder.size(path) == 9, "what is there stays")
    #expect(StoreFolder.open(at: scratch.path) == [])
  }

  @Test func whyNoFileCouldBeMadeIsSaid() {
    let path = scratch.path + "/none/new"
    let error = error { () throws(StoreError) in try paths.create(path) }
    #expect(error == .failing(path: path, doing: "creating", cause: "No such file or directory"))
  }

  /// The kernel's reason counts, and not that nothing is there. Nobody, not even root, makes files in /sys.
  @Test func aFolderThatTakesNoFilesIsReadOnly() {
    let path = "/sys/homeward-store-test"
    #expect(error { () throws(StoreError) in try paths.create(path) } == .readOnly(path: path))
  }

  @Test func sizesAreThoseOfTheFiles() {
    put(4321, at: "store.log")
    #expect(paths.size(of: paths.log) == 4321 && paths.size(of: paths.tables) == 0)
  }

  @Test func aFolderIsClosedAgain() {
    StorePaths.sync(scratch.path)
    #expect(StoreFolder.open(at: scratch.path) == [])
  }

  // MARK: Damaged stores

  @Test func aDraftIsThrownAwayWithItsJournal() {
    for name in ["store.new", "store.new-journal", "store.sqlite"] { put(3, at: name) }
    paths.discardDraft()
    #expect(names == ["store.sqlite"])
  }

  private var names: [String] {
    guard let directory = opendir(scratch.path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  @Test func damagedStoresAreSetAsideOneByOne() throws {
    #expect(paths.damagedStores() == (0, 0))
    for number in 1...3 {
      put(100 * number, at: "store.sqlite")
      put(10 + number, at: "store.sqlite-journal")
      put(1, at: "store.new")
      put(2, at: "store.new-journal")
      let aside = scratch.path + "/store.damaged-\(number)"
      #expect(try paths.swap() == aside)
      #expect(StoreFolder.size(aside) == 100 * number && StoreFolder.size(aside + "-journal") == 10 + number)
      #expect(StoreFolder.size(paths.tables) == 1)
    }
    // All that is left of each is its own: no journal lies beside the new store, and no draft.
    let set = (1...3).flatMap { ["store.damaged-\($0)", "store.damaged-\($0)-journal"] }
    #expect(names == set + ["store.sqlite"])
    #expect(paths.damagedStores() == (3, 600))
    #expect(StoreFolder.open(at: scratch.path) == [])
  }

  @Test func aStoreThatIsGoneIsReplacedAllTheSame() throws {
    put(1, at: "store.new")
    #expect(try paths.swap() == scratch.path + "/store.damaged-1")
    #expect(names == ["store.sqlite"])
  }

  @Test func withoutADraftTheDamagedStoreStays() {
    put(5, at: "store.sqlite")
    let error = error { () throws(StoreError) in _ = try paths.swap() }
    #expect(
      error == .failing(path: paths.tables, doing: "replacing", cause: "No such file or directory"))
    #expect(StoreFolder.size(paths.tables) == 5)
  }

  /// A link to nowhere takes up the name without being there.
  @Test func aStoreThatCannotBeSetAsideIsNotReplaced() {
    put(5, at: "store.sqlite")
    put(1, at: "store.new")
    scratch.link("store.damaged-1", to: scratch.path + "/nowhere")
    let error = error { () throws(StoreError) in _ = try paths.swap() }
    #expect(error == .failing(path: paths.tables, doing: "setting aside", cause: "File exists"))
    #expect(StoreFolder.size(paths.tables) == 5)
  }

  // MARK: What is in the way

  @Test func nonFilesAreReportedByKind() {
    let socketPath = scratch.path + "/socket"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(bound == 0)
    mkdir(scratch.path + "/folder", 0o700)
    mkfifo(scratch.path + "/pipe", 0o600)
    scratch.link("link", to: "/etc/hostname")
    let things = ["socket", "folder", "pipe", "link"].map { (scratch.path + "/" + $0, "a " + $0) }
    for (path, what) in things + [("/dev/null", "a device")] {
      for flags in [O_RDONLY, O_WRONLY] {
        let error = error { () throws(StoreError) in _ = try StoreOpening.open(path, flags) }
        #expect(error == .inTheWay(path: path, what: what))
      }
    }
    #expect(StoreFolder.open(at: scratch.path) == [])
  }

  @Test func aFileIsOpenedAndNothingIsNot() throws {
    put(6, at: "file")
    let file = try StoreOpening.open(scratch.path + "/file", O_RDONLY)
    #expect(lseek(file, 0, SEEK_END) == 6)
    close(file)
    #expect(try StoreOpening.open(scratch.path + "/none", O_RDONLY) < 0 && errno == ENOENT)
  }

  @Test(arguments: ["", "-journal", "-wal", "-shm"])
  func tablesAreOpenedOnlyWithFilesBesideThem(_ companion: String) throws {
    let path = paths.tables
    try StoreOpening.checkTables(path)
    for name in ["", "-journal", "-wal", "-shm"] { put(1, at: "store.sqlite" + name) }
    try StoreOpening.checkTables(path)
    unlink(path + companion)
    scratch.link("store.sqlite" + companion, to: "/etc/hostname")
    let error = error { () throws(StoreError) in try StoreOpening.checkTables(path) }
    #expect(error == .inTheWay(path: path + companion, what: "a link"))
  }
}
