import CSQLite

/// A file opened as SQLite opens its own, by the VFS that SQLite was given: whatever that injects or
/// simulates happens to it as well.
final class StoreVFSFile {
  private let path: String
  private let name: UnsafeMutablePointer<CChar>
  private let file: UnsafeMutablePointer<sqlite3_file>
  private var isOpen = false

  /// `flags` says what kind of file it is and whether it may be made; it is read and written in any case.
  init(
    path: String, flags: Int32, on system: UnsafeMutablePointer<sqlite3_vfs>
  ) throws(StoreError) {
    self.path = path
    let size = Int(system.pointee.szOsFile)
    // Only the VFS knows how large its file objects are; the caller makes room for one.
    let raw = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    raw.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    file = raw.bindMemory(to: sqlite3_file.self, capacity: 1)
    // The file holds on to its name for as long as it is open.
    name = path.utf8CString.withUnsafeBufferPointer { text in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
      copy.initialize(from: text.baseAddress ?? UnsafePointer(copy), count: text.count)
      return copy
    }
    try check(system.pointee.xOpen?(system, name, file, SQLITE_OPEN_READWRITE | flags, nil), "opening")
    isOpen = true
  }

  deinit {
    close()
    file.deallocate()
    name.deallocate()
  }

  /// Bytes; 0 where it cannot be told.
  var size: Int {
    var size: sqlite3_int64 = 0
    _ = file.pointee.pMethods.pointee.xFileSize(file, &size)
    return Int(size)
  }

  /// False where the device refused. What lies behind the end of the file is zeros.
  func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    let code = file.pointee.pMethods.pointee.xRead(
      file, bytes.baseAddress, Int32(bytes.count), sqlite3_int64(offset))
    return code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8
  }

  func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, doing: String = "writing"
  ) throws(StoreError) {
    let write = file.pointee.pMethods.pointee.xWrite
    try check(write?(file, bytes.baseAddress, Int32(bytes.count), sqlite3_int64(offset)), doing)
  }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int, doing: String) throws(StoreError) {
    let write = file.pointee.pMethods.pointee.xWrite
    let code = bytes.withUnsafeBytes {
      write?(file, $0.baseAddress, Int32($0.count), sqlite3_int64(offset))
    }
    try check(code, doing)
  }

  func sync() throws(StoreError) {
    let flags = SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY
    try check(file.pointee.pMethods.pointee.xSync(file, flags), "syncing")
  }

  func close() {
    if isOpen { _ = file.pointee.pMethods.pointee.xClose(file) }
    isOpen = false
  }

  private func check(_ code: Int32?, _ doing: String) throws(StoreError) {
    switch (code ?? SQLITE_ERROR) & 0xFF {
    case SQLITE_OK: return
    case SQLITE_FULL: throw .full(path: path)
    case SQLITE_READONLY, SQLITE_CANTOPEN: throw .readOnly(path: path)
    default: throw .failing(path: path, doing: doing, cause: "SQLite \(code ?? SQLITE_ERROR)")
    }
  }
}
