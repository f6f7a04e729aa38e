import CSQLite

/// One opening of a file by one process.
final class DiskHandle {
  private let disk: Disk
  private let file: DiskFile
  private let generation: Int

  init(disk: Disk, file: DiskFile) {
    self.disk = disk
    self.file = file
    generation = disk.generation
    disk.opened()
  }

  private func close() { disk.closed(generation) }

  private var isVoid: Bool { generation != disk.generation }

  private func read(_ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int) -> Int32 {
    guard !isVoid, let bytes else { return SQLITE_IOERR }
    if disk.refusal(growing: false) == .failing { return SQLITE_IOERR | 1 << 8 }
    let got = file.read(UnsafeMutableRawBufferPointer(start: bytes, count: count), at: offset)
    guard got < count else { return SQLITE_OK }
    UnsafeMutableRawBufferPointer(start: bytes + got, count: count - got)
      .initializeMemory(as: UInt8.self, repeating: 0)
    return SQLITE_IOERR | 2 << 8
  }

  private func write(_ bytes: UnsafeRawPointer?, _ count: Int, _ offset: Int) -> Int32 {
    guard !isVoid, let bytes else { return SQLITE_IOERR }
    switch disk.refusal(growing: offset + count > file.count) {
    case .full: return SQLITE_FULL
    case .failing: return SQLITE_IOERR | 3 << 8
    case nil: break
    }
    file.write(UnsafeRawBufferPointer(start: bytes, count: count), at: offset)
    return disk.survivesWrite() ? SQLITE_OK : SQLITE_IOERR
  }

  private func truncate(to count: Int) -> Int32 {
    guard !isVoid else { return SQLITE_IOERR }
    if disk.refusal(growing: false) == .failing { return SQLITE_IOERR | 6 << 8 }
    file.truncate(to: count)
    return SQLITE_OK
  }

  private func sync() -> Int32 {
    guard !isVoid else { return SQLITE_IOERR }
    guard disk.refusal(growing: false) == nil else {
      file.forgetDirty()
      return SQLITE_IOERR | 4 << 8
    }
    file.sync()
    return SQLITE_OK
  }

  private var count: Int { file.count }

  // MARK: As SQLite calls it

  nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 1
    methods.pointee.xClose = { file in
      file.map {
        OpenFile.handle($0).close()
        UnsafeMutableRawPointer($0).assumingMemoryBound(to: OpenFile.self).pointee.handle.release()
        $0.pointee.pMethods = nil
      }
      return SQLITE_OK
    }
    methods.pointee.xRead = { OpenFile.handle($0).read($1, Int($2), Int($3)) }
    methods.pointee.xWrite = { OpenFile.handle($0).write($1, Int($2), Int($3)) }
    methods.pointee.xTruncate = { OpenFile.handle($0).truncate(to: Int($1)) }
    methods.pointee.xSync = { file, _ in OpenFile.handle(file).sync() }
    methods.pointee.xFileSize = { file, size in
      size?.pointee = sqlite3_int64(OpenFile.handle(file).count)
      return SQLITE_OK
    }
    // One process at a time has the store; locks are the kernel's own business and tested there.
    methods.pointee.xLock = { _, _ in SQLITE_OK }
    methods.pointee.xUnlock = { _, _ in SQLITE_OK }
    methods.pointee.xCheckReservedLock = { _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { _ in 4096 }
    methods.pointee.xDeviceCharacteristics = { _ in 0 }
    return UnsafePointer(methods)
  }()
}
