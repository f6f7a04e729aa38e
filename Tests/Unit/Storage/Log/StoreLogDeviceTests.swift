import CSQLite
import Glibc
import Model
import TestSupport
import Testing

@testable import Storage

/// The file under the log: its length, what lies in it, and what is said where the system refuses.
struct StoreLogDeviceTests {
  /// The kernel's own file, and one that SQLite opens.
  enum Kind: CaseIterable { case kernel, system }

  private let directory = StoreDirectory()
  private var path: String { directory.path + "/store.log" }
  private static let length = 10_240

  private func device(_ kind: Kind) throws -> any StoreLogDevice {
    switch kind {
    case .kernel: try StoreKernelLog(path: path, length: Self.length)
    case .system: try StoreVFSLog(path: path, length: Self.length, vfs: "unix-none")
    }
  }

  /// Different in each sector, and never zero.
  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { index in
      let sector = index / 512
      return UInt8(1 + (sector * 7 + index) % 255)
    }
  }

  /// Of this file: others open and close theirs at the same time.
  private var descriptors: [Int32] { StoreFolder.descriptors(at: path) }

  /// From memory as `O_DIRECT` wants it.
  private func write(_ bytes: [UInt8], to device: any StoreLogDevice, at offset: Int) throws {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 4096)
    defer { room.deallocate() }
    room.copyBytes(from: bytes)
    try device.write(UnsafeRawBufferPointer(room), at: offset)
  }

  @Test(arguments: Kind.allCases)
  func aNewLogIsZerosOfItsLength(_ kind: Kind) throws {
    let device = try device(kind)
    #expect(readFile(path) == [UInt8](repeating: 0, count: Self.length))
    let (bytes, unreadable) = device.readAll(Self.length)
    #expect(bytes == [UInt8](repeating: 0, count: Self.length))
    #expect(unreadable == 0)
  }

  /// A power cut has come while room was made, once one byte before the end.
  @Test(arguments: Kind.allCases, [2, 4096, 5000, length - 1])
  func aLogThatIsTooShortIsFilledUp(_ kind: Kind, _ count: Int) throws {
    writeFile(pattern(count), to: path)
    _ = try device(kind)
    #expect(readFile(path) == pattern(count) + [UInt8](repeating: 0, count: Self.length - count))
  }

  @Test(arguments: Kind.allCases, [length, length + 700])
  func aLogThatIsLongEnoughIsLeftAsItIs(_ kind: Kind, _ count: Int) throws {
    writeFile(pattern(count), to: path)
    let device = try device(kind)
    #expect(readFile(path) == pattern(count))
    let (bytes, unreadable) = device.readAll(Self.length)
    #expect(bytes == pattern(Self.length))
    #expect(unreadable == 0)
  }

  /// Somebody has cut it while it was open.
  @Test(arguments: Kind.allCases, [0, 100, 4096, 9000])
  func readPastTheEndOfFileGivesZeros(_ kind: Kind, _ count: Int) throws {
    let device = try device(kind)
    writeFile(pattern(count), to: path)
    let (bytes, unreadable) = device.readAll(Self.length)
    #expect(bytes == pattern(count) + [UInt8](repeating: 0, count: Self.length - count))
    #expect(unreadable == 0)
  }

  @Test(arguments: Kind.allCases)
  func aSectorGoesToItsPlace(_ kind: Kind) throws {
    let device = try device(kind)
    try write(pattern(1024), to: device, at: 512)
    try device.sync()
    var expected = [UInt8](repeating: 0, count: Self.length)
    expected.replaceSubrange(512..<1536, with: pattern(1024))
    #expect(readFile(path) == expected)
    #expect(device.readAll(Self.length).bytes == expected)
  }

  /// One that is left open keeps the place on the disk of a log that was removed.
  @Test(arguments: Kind.allCases)
  func itsFileIsOpenOnceAndThenClosed(_ kind: Kind) throws {
    let device = try device(kind)
    _ = device.readAll(Self.length)
    #expect(descriptors.count == 1)
    device.close()
    #expect(descriptors == [])
    device.close()
    try withExtendedLifetime(self.device(kind)) { #expect(descriptors.count == 1) }
    #expect(descriptors == [], "and by itself with what it belongs to")
  }

  // MARK: The kernel's file

  /// `O_DIRECT` differs between architectures, as in the source.
  private var direct: Int32 {
    #if arch(arm64) || arch(arm)
      0o200000
    #else
      0o40000
    #endif
  }

  /// A file in memory takes them, from Linux 6.6 on.
  private func refusesPartsOfSectors() -> Bool {
    let file = open(directory.path + "/parts", O_RDWR | O_CREAT | direct, 0o600)
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 300, alignment: 4096) {
      pwrite(file, $0.baseAddress, $0.count, 1100) < 0
    }
  }

  @Test func writesGoAroundThePageCacheUntilTheyAreRefused() throws {
    let device = try device(.kernel)
    let before = try #require(descriptors.first)
    guard fcntl(before, F_GETFL) & direct != 0, refusesPartsOfSectors() else { return }
    // As a sector is to a device whose own are larger: no whole one.
    try write(pattern(300), to: device, at: 1100)
    #expect(descriptors.count == 1)
    #expect(fcntl(try #require(descriptors.first), F_GETFL) & direct == 0)
    try write(pattern(300), to: device, at: 4200)
    try device.sync()
    let written = readFile(path)
    #expect(Array(written[1100..<1400]) == pattern(300))
    #expect(Array(written[4200..<4500]) == pattern(300))
  }

  @Test func writeRefusedBothWaysThrows() throws {
    let device = try device(.kernel)
    #expect(throws: StoreError.failing(path: path, doing: "writing", cause: "Invalid argument")) {
      try write(pattern(512), to: device, at: -512)
    }
  }

  @Test func aLogThatIsGoneCannotBeRead() throws {
    let device = try device(.kernel)
    unlink(path)
    mkdir(path, 0o700)
    defer { rmdir(path) }
    let (bytes, unreadable) = device.readAll(Self.length)
    #expect(bytes == [] && unreadable == 1)
  }

  @Test func aLogThatCannotBeMadeIsNamed() {
    let path = directory.path + "/missing/store.log"
    #expect(throws: StoreError.failing(path: path, doing: "opening", cause: "No such file or directory")) {
      try StoreKernelLog(path: path, length: Self.length)
    }
  }

  /// The memory of this process: a file that can be opened, and whose first pages nobody may read.
  @Test func failedReadsWritesAndSyncsAreReported() throws {
    let path = "/proc/self/mem"
    // No file is shorter than this: no room is made.
    let device = try StoreKernelLog(path: path, length: -1)
    let (bytes, unreadable) = device.readAll(Self.length)
    #expect(bytes == [UInt8](repeating: 0, count: Self.length))
    #expect(unreadable == 3)
    #expect(throws: StoreError.failing(path: path, doing: "writing", cause: "Input/output error")) {
      try write(pattern(512), to: device, at: 0)
    }
    #expect(throws: StoreError.failing(path: path, doing: "syncing", cause: "Invalid argument")) {
      try device.sync()
    }
  }

  // MARK: SQLite's file

  @Test func aSystemThatSQLiteDoesNotHaveIsNamed() {
    let cause = "SQLite has no VFS nobody"
    #expect(throws: StoreError.failing(path: path, doing: "opening", cause: cause)) {
      try StoreVFSLog(path: path, length: Self.length, vfs: "nobody")
    }
  }

  @Test func logThatSQLiteCannotOpenThrows() {
    let path = directory.path + "/missing/store.log"
    #expect(throws: StoreError.readOnly(path: path)) {
      try StoreVFSLog(path: path, length: Self.length, vfs: "unix-none")
    }
  }
}

/// On the device that fails, of which there is one: these wait for the others.
extension StoreDiskTests {
  private static let length = 10_240

  private func log(failingAt number: Int32 = 0) throws -> StoreVFSLog {
    FailingVFS.register()
    FailingVFS.arm(at: number)
    defer { FailingVFS.arm(at: 0) }
    let directory = StoreDirectory()
    return try StoreVFSLog(
      path: directory.path + "/store.log", length: Self.length, vfs: FailingVFS.name)
  }

  private func doing(_ body: () throws -> Void) -> String? {
    do { try body() } catch { if case .failing(_, let doing, _) = error as? StoreError { return doing } }
    return nil
  }

  /// Three pieces and then their sync: only after that is the length of the log on the disk.
  @Test func theRoomForALogIsMadeForGood() {
    #expect(
      (1...5).map { number in doing { _ = try log(failingAt: number) } }
        == ["making room", "making room", "making room", "syncing", nil])
  }

  @Test func logOnFailingDeviceReportsFailedOperation() throws {
    let log = try log()
    let sector = [UInt8](repeating: 1, count: 512)
    for (number, word) in [(1, "writing"), (2, "syncing"), (3, nil)] as [(Int32, String?)] {
      FailingVFS.arm(at: number)
      defer { FailingVFS.arm(at: 0) }
      let met = doing {
        try sector.withUnsafeBytes { try log.write($0, at: 0) }
        try log.sync()
      }
      #expect(met == word)
    }
    FailingVFS.logIsUnreadable = true
    defer { FailingVFS.logIsUnreadable = false }
    let (bytes, unreadable) = log.readAll(Self.length)
    #expect(bytes == [UInt8](repeating: 0, count: Self.length) && unreadable == 3)
  }
}
