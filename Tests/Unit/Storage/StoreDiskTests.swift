import CSQLite
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// A disk that is full, read-only or failing: said in words, nothing half-applied, and all is well
/// again when it is.
@Suite(.serialized) struct StoreDiskTests {
  /// A small file system of its own; needs root.
  private final class Disk {
    let directory = StoreDirectory()

    /// Nil where mounting is not permitted.
    init?(kilobytes: Int) {
      guard mount("tmpfs", directory.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else { return nil }
    }

    deinit { umount2(directory.path, Int32(MNT_DETACH)) }

    func remount(readOnly: Bool) {
      let flags = UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
      mount("tmpfs", directory.path, "tmpfs", flags, nil)
    }
  }

  private static var canMount: Bool { Disk(kilobytes: 64) != nil }

  /// Stores messages, each with its presence, until that fails.
  private func fill(_ file: StoreFile) -> (last: UInt64, error: StoreError?) {
    for sequence in 1...100_000 as ClosedRange<UInt64> {
      do throws(StoreError) {
        try file.apply([.insert(Sample.message(sequence)), .tag("\(sequence)")])
      } catch { return (sequence - 1, error) }
    }
    return (100_000, nil)
  }

  @Test(.enabled(if: StoreDiskTests.canMount, "mounting is not permitted here"))
  func aFullDiskIsSaidInWords() throws {
    let disk = try #require(Disk(kilobytes: 1000))
    let file = try StoreFile(directory: disk.directory.path)
    let error = fill(file).error
    #expect(error?.sentence.hasSuffix("the disk is full") == true, "\(String(describing: error))")
  }

  // behaviour: A disk that fails, fills or lies
  @Test(.enabled(if: StoreDiskTests.canMount, "mounting is not permitted here"))
  func fullDiskKeepsExactlyBatchesReportedStored() throws {
    let disk = try #require(Disk(kilobytes: 1000))
    let file = try StoreFile(directory: disk.directory.path)
    let last = fill(file).last
    file.close()
    let next = try StoreFile(directory: disk.directory.path)
    #expect(try next.snapshot().lastSequence == last)
    #expect(try next.snapshot().tag == "\(last)")
    #expect(try next.load(after: 0, limit: 100_000).count == Int(last))
    next.close()
  }

  @Test(.enabled(if: StoreDiskTests.canMount, "mounting is not permitted here"))
  func writesSucceedOnceDiskHasRoomAgain() throws {
    let disk = try #require(Disk(kilobytes: 1400))
    let ballast = disk.directory.path + "/ballast"
    writeFile([UInt8](repeating: 1, count: 300_000), to: ballast)
    let file = try StoreFile(directory: disk.directory.path)
    let last = fill(file).last
    unlink(ballast)
    try file.apply([.insert(Sample.message(last + 1))])
    #expect(try file.load(after: 0, limit: 100_000).count == Int(last) + 1)
    file.close()
  }

  @Test(.enabled(if: StoreDiskTests.canMount, "mounting is not permitted here"))
  func removingMakesRoomOnAFullDisk() throws {
    let disk = try #require(Disk(kilobytes: 1000))
    let file = try StoreFile(directory: disk.directory.path)
    let last = fill(file).last
    for sequence in 1...last { try file.apply([.remove([sequence])]) }
    try file.apply([.insert(Sample.message(last + 1))])
    file.close()
  }

  @Test(.enabled(if: StoreDiskTests.canMount, "mounting is not permitted here"))
  func aDiskTooSmallForAStoreIsRefusedInWords() throws {
    let disk = try #require(Disk(kilobytes: 64))
    #expect(throws: StoreError.full(path: disk.directory.path + "/store.log")) {
      try StoreFile(directory: disk.directory.path)
    }
  }

  /// It can be read well, and after ten openings that failed for another reason what cannot be is given up.
  @Test(.enabled(if: StoreDiskTests.canMount, "mounting is not permitted here"))
  func aFullDiskUsesUpNoTries() throws {
    let disk = try #require(Disk(kilobytes: 64))
    let world = try StoreWorld(isOpen: false)
    for directory in [disk.directory.path, disk.directory.path + "/store.log"] {
      world.opened = nil
      world.store.open(directory: directory) { world.opened = $0 }
      world.run { world.opened != nil }
      #expect(world.store.failedOpenings == (directory == disk.directory.path ? 0 : 1))
    }
    world.worker.finish()
  }

  @Test(.enabled(if: StoreDiskTests.canMount, "mounting is not permitted here"))
  func aReadOnlyDiskIsRefusedInWordsAndUsedWhenItIsWritableAgain() throws {
    let disk = try #require(Disk(kilobytes: 1000))
    try StoreFile(directory: disk.directory.path).close()
    disk.remount(readOnly: true)
    #expect(throws: StoreError.readOnly(path: disk.directory.tables)) {
      try StoreFile(directory: disk.directory.path)
    }
    disk.remount(readOnly: false)
    try StoreFile(directory: disk.directory.path).close()
  }

  // MARK: A device that fails

  /// Opens on the failing VFS; the n-th write or sync from then on fails, and only that.
  private func failing(
    at number: Int32, in directory: StoreDirectory = StoreDirectory(), _ body: (StoreFile) throws -> Void
  ) throws -> StoreDirectory {
    FailingVFS.register()
    let file = try StoreFile(directory: directory.path, vfs: FailingVFS.name)
    FailingVFS.arm(at: number)
    defer { FailingVFS.arm(at: 0) }
    try body(file)
    return directory
  }

  /// Writes so many messages, each until it is taken; the number of failures met.
  private func insist(_ file: StoreFile, _ count: Int = 400) -> Int {
    var failures = 0
    for sequence in 1...UInt64(count) {
      for _ in 0..<5 {
        if (try? file.apply([.insert(Sample.message(sequence)), .history(Sample.location(Int(sequence)))]))
          != nil
        {
          break
        }
        failures += 1
      }
    }
    return failures
  }

  /// In memory: what a sync costs a real disk says nothing of what is lost.
  @Test func noWriteOrSyncThatFailsOnceLosesOrDoublesAnything() throws {
    for number in stride(from: 1, to: 1000, by: 7) as StrideTo<Int32> {
      // Each takes two of them and more: it fails, and some twenty come after that.
      let count = min(400, Int(number) / 2 + 20)
      let directory = try failing(at: number, in: StoreDirectory(isInMemory: true)) { file in
        _ = insist(file, count)
        file.close()
      }
      let file = try StoreFile(directory: directory.path)
      #expect(try file.load(after: 0, limit: 1000).count == count, "failure \(number)")
      #expect(try file.history().count == count, "failure \(number)")
      file.close()
    }
  }

  /// Found by seed 20329 of the simulator.
  @Test func aLogThatCannotBeReadForAMomentLosesNothing() throws {
    _ = try failing(at: 0) { file in
      for sequence in 1...9 as ClosedRange<UInt64> {
        try file.apply([.insert(Sample.message(sequence, isEvent: true))])
      }
      FailingVFS.arm(at: 1)
      #expect(throws: StoreError.self) { try file.apply([.insert(Sample.message(10))]) }
      FailingVFS.logIsUnreadable = true
      #expect(throws: StoreError.self) { try file.apply([.insert(Sample.message(10))]) }
      FailingVFS.logIsUnreadable = false
      #expect(try file.load(after: 0, limit: 99).count == 9)
    }
  }

  @Test func aLogThatCanNeverBeReadIsPassedOver() throws {
    _ = try failing(at: 0) { file in
      try file.apply([.insert(Sample.message(1))])
      FailingVFS.arm(at: 1)
      #expect(throws: StoreError.self) { try file.apply([.insert(Sample.message(2))]) }
      FailingVFS.logIsUnreadable = true
      defer { FailingVFS.logIsUnreadable = false }
      for _ in 1...StoreFile.readingTries {
        #expect(throws: StoreError.self) { try file.apply([.insert(Sample.message(2))]) }
      }
      try file.apply([.insert(Sample.message(2))])
    }
  }

  private func filled(_ count: UInt64) throws -> StoreDirectory {
    FailingVFS.register()
    let directory = StoreDirectory()
    let file = try StoreFile(directory: directory.path)
    for sequence in 1...count { try file.apply([.insert(Sample.message(sequence, isEvent: true))]) }
    file.close()
    return directory
  }

  /// Found by seed 933 of the simulator.
  @Test func aPageThatCannotBeReadForAMomentIsNoDamage() throws {
    let directory = try filled(100)
    for number in 1...80 as ClosedRange<Int32> {
      FailingVFS.readsLeft = number
      let tables = try? StoreFile(directory: directory.path, vfs: FailingVFS.name)
      FailingVFS.readsLeft = 0
      let file = try tables ?? StoreFile(directory: directory.path, vfs: FailingVFS.name)
      #expect(file.takeNotices() == [], "read \(number)")
      #expect(try file.load(after: 0, limit: 1000).count == 100, "read \(number)")
      file.close()
    }
  }

  @Test func aPageThatCanNeverBeReadIsPassedOver() throws {
    let directory = try filled(100)
    FailingVFS.unreadable = (file: FailingVFS.number(of: directory.tables), page: 5)
    defer { FailingVFS.unreadable = nil }
    #expect(throws: StoreError.self) {
      try StoreFile(
        directory: directory.path, vfs: FailingVFS.name, triesBefore: StoreFile.readingTries - 1)
    }
    let file = try StoreFile(
      directory: directory.path, vfs: FailingVFS.name, triesBefore: StoreFile.readingTries)
    #expect(file.takeNotices().count == 1)
    file.close()
  }

  @Test func aFailingSyncIsReported() throws {
    _ = try failing(at: 2) { file in #expect(insist(file) == 1) }
  }
}

/// SQLite's own VFS with one fault: a chosen write or sync answers with an I/O error.
enum FailingVFS {
  static let name = "homeward-failing"
  nonisolated(unsafe) private static var countdown: Int32 = 0
  /// The redo log, which alone is opened as a super-journal, cannot be read for so long.
  nonisolated(unsafe) static var logIsUnreadable = false
  /// The read after which one fails; 0: none does.
  nonisolated(unsafe) static var readsLeft: Int32 = 0
  /// A page of this inode cannot be read; a new file lies elsewhere.
  nonisolated(unsafe) static var unreadable: (file: ino_t, page: Int64)?
  nonisolated(unsafe) private static var broken: UnsafeMutablePointer<sqlite3_file>?
  nonisolated(unsafe) private static var log: UnsafeMutablePointer<sqlite3_file>?
  nonisolated(unsafe) private static let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(
    capacity: 1)
  /// Not a variable of that type: Swift 6.3 reserves 148 bytes for a global one, without the gap behind its
  /// first number, and writes 152 (seen by the address checker).
  nonisolated(unsafe) private static let genuine = UnsafeMutablePointer<sqlite3_io_methods>.allocate(
    capacity: 1)
  nonisolated(unsafe) private static let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
  nonisolated(unsafe) private static var system: UnsafeMutablePointer<sqlite3_vfs>?

  static func arm(at number: Int32) { countdown = number }

  static func number(of path: String) -> ino_t {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_ino : 0
  }

  private static func isDue() -> Bool {
    guard countdown > 0 else { return false }
    countdown -= 1
    return countdown == 0
  }

  static func register() {
    guard system == nil, let unix = sqlite3_vfs_find("unix-none") else { return }
    system = unix
    vfs.initialize(to: unix.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let code = FailingVFS.system?.pointee.xOpen(FailingVFS.system, path, file, flags, outFlags),
        code == SQLITE_OK, let file, let methods = file.pointee.pMethods
      else { return SQLITE_CANTOPEN }
      FailingVFS.wrap(methods.pointee)
      if flags & SQLITE_OPEN_SUPER_JOURNAL != 0 { FailingVFS.log = file }
      if file == FailingVFS.broken { FailingVFS.broken = nil }
      if let path, let unreadable = FailingVFS.unreadable,
        unreadable.file == FailingVFS.number(of: String(cString: path))
      {
        FailingVFS.broken = file
      }
      file.pointee.pMethods = UnsafePointer(FailingVFS.methods)
      return SQLITE_OK
    }
    sqlite3_vfs_register(vfs, 0)
  }

  private static func wrap(_ original: sqlite3_io_methods) {
    genuine.pointee = original
    methods.pointee = original
    methods.pointee.xWrite = { file, bytes, count, offset in
      FailingVFS.isDue()
        ? SQLITE_IOERR | 3 << 8 : FailingVFS.genuine.pointee.xWrite(file, bytes, count, offset)
    }
    methods.pointee.xRead = { file, bytes, count, offset in
      var isUnreadable = FailingVFS.logIsUnreadable && file == FailingVFS.log
      if file == FailingVFS.broken, offset == (FailingVFS.unreadable?.page).map({ $0 * 4096 }) {
        isUnreadable = true
      }
      if FailingVFS.readsLeft > 0 {
        FailingVFS.readsLeft -= 1
        isUnreadable = isUnreadable || FailingVFS.readsLeft == 0
      }
      return isUnreadable
        ? SQLITE_IOERR | 1 << 8 : FailingVFS.genuine.pointee.xRead(file, bytes, count, offset)
    }
    methods.pointee.xSync = { file, flags in
      FailingVFS.isDue() ? SQLITE_IOERR | 4 << 8 : FailingVFS.genuine.pointee.xSync(file, flags)
    }
  }
}
