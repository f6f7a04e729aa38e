import CSQLite
import Glibc

/// The bytes under the redo log: a file of fixed length, written in whole sectors.
protocol StoreLogDevice: AnyObject {
  /// `count` bytes from the start, zeros where the file is shorter or could not be read: that may be so for
  /// a moment or for good, and is reported.
  func readAll(_ count: Int) -> (bytes: [UInt8], unreadablePieces: Int)
  /// `bytes` is a multiple of a sector and so is `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError)
  /// Everything written before it survives a power cut once it returns.
  func sync() throws(StoreError)
  /// Twice is harmless.
  func close()
}

/// The kernel's own file. Writes go around the page cache where they can: through it a record of 600
/// bytes costs the card a page of 4096, at one record a second most of what would ever be written.
final class StoreKernelLog: StoreLogDevice {
  /// O_DIRECT is a macro that differs between architectures and is not imported.
  #if arch(arm64) || arch(arm)
    private static let direct: Int32 = 0o200000
  #else
    private static let direct: Int32 = 0o40000
  #endif

  private let path: String
  private var descriptor: Int32
  /// Around the page cache; false once the file system has refused that.
  private var isDirect = true

  init(path: String, length: Int) throws(StoreError) {
    self.path = path
    try Self.allocate(path, length)
    descriptor = try StoreOpening.open(path, O_RDWR | Self.direct)
    guard descriptor < 0 else { return }
    isDirect = false
    descriptor = try StoreOpening.open(path, O_RDWR)
    guard descriptor >= 0 else { throw Self.failure("opening", path) }
  }

  deinit { close() }

  /// Writes zeros where the file is too short: later writes then change neither its length nor its
  /// blocks, and a sync has no metadata to write.
  private static func allocate(_ path: String, _ length: Int) throws(StoreError) {
    let descriptor = try StoreOpening.open(path, O_RDWR | O_CREAT)
    guard descriptor >= 0 else { throw failure("opening", path) }
    defer { Glibc.close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size < length else { return }
    let zeros = [UInt8](repeating: 0, count: length - size)
    let written = pwrite(descriptor, zeros, zeros.count, off_t(size))
    // A short write is how the last free blocks go.
    if written >= 0, written < zeros.count { throw .full(path: path) }
    guard written >= 0, fsync(descriptor) == 0 else { throw failure("making room", path) }
  }

  func readAll(_ count: Int) -> (bytes: [UInt8], unreadablePieces: Int) {
    let descriptor = (try? StoreOpening.open(path, O_RDONLY)) ?? -1
    guard descriptor >= 0 else { return ([], 1) }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    var unreadable = 0
    // In pieces: a sector that cannot be read must not hide the others.
    for start in stride(from: 0, to: count, by: 4096) {
      let length = min(4096, count - start)
      let got = bytes.withUnsafeMutableBytes { raw in
        pread(descriptor, raw.baseAddress?.advanced(by: start), length, off_t(start))
      }
      if got < 0 { unreadable += 1 }
    }
    return (bytes, unreadable)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError) {
    let written = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    if written == bytes.count { return }
    if written >= 0 { throw .full(path: path) }
    guard isDirect, errno == EINVAL else { throw Self.failure("writing", path) }
    // Sectors of 4096 bytes, or a file system that takes the flag and not the write.
    isDirect = false
    Glibc.close(descriptor)
    descriptor = -1
    descriptor = try StoreOpening.open(path, O_RDWR)
    try write(bytes, at: offset)
  }

  func sync() throws(StoreError) {
    guard fdatasync(descriptor) == 0 else { throw Self.failure("syncing", path) }
  }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  private static func failure(_ doing: String, _ path: String) -> StoreError {
    switch errno {
    case ENOSPC, EDQUOT, EFBIG: .full(path: path)
    case EROFS, EACCES, EPERM: .readOnly(path: path)
    default: .failing(path: path, doing: doing, cause: String(cString: strerror(errno)))
    }
  }
}

/// The log on a VFS of SQLite's: whatever that injects or simulates, it does to the log as well.
final class StoreVFSLog: StoreLogDevice {
  /// SQLite never asks a VFS for more than its largest page at once, and some cannot do more.
  private static let piece = 4096
  private let file: StoreVFSFile

  init(path: String, length: Int, vfs: String) throws(StoreError) {
    guard let system = sqlite3_vfs_find(vfs) else {
      throw .failing(path: path, doing: "opening", cause: "SQLite has no VFS \(vfs)")
    }
    file = try StoreVFSFile(path: path, flags: SQLITE_OPEN_CREATE | SQLITE_OPEN_SUPER_JOURNAL, on: system)
    let size = file.size
    guard size < length else { return }
    let zeros = [UInt8](repeating: 0, count: Self.piece)
    for offset in stride(from: size, to: length, by: zeros.count) {
      try file.write(zeros[..<min(zeros.count, length - offset)], at: offset, doing: "making room")
    }
    try sync()
  }

  func readAll(_ count: Int) -> (bytes: [UInt8], unreadablePieces: Int) {
    var bytes = [UInt8](repeating: 0, count: count)
    var unreadable = 0
    for start in stride(from: 0, to: count, by: Self.piece) {
      let isRead = bytes.withUnsafeMutableBytes { raw in
        file.read(
          UnsafeMutableRawBufferPointer(rebasing: raw[start..<min(start + Self.piece, count)]), at: start)
      }
      if !isRead { unreadable += 1 }
    }
    return (bytes, unreadable)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StoreError) {
    try file.write(bytes, at: offset)
  }

  func sync() throws(StoreError) { try file.sync() }

  func close() { file.close() }
}
