import CSQLite
import Glibc

/// The simulated disk as SQLite sees it. One VFS for each disk: several worlds may run at once.
final class DiskVFS {
  let name: String
  private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
  private let chosenName: UnsafeMutablePointer<CChar>

  init(_ disk: Disk) {
    name = "homeward-simulated-\(UInt(bitPattern: ObjectIdentifier(disk).hashValue))"
    chosenName = strdup(name)
    vfs.initialize(to: sqlite3_vfs())
    vfs.pointee.iVersion = 1
    vfs.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
    vfs.pointee.mxPathname = 512
    vfs.pointee.zName = UnsafePointer(chosenName)
    vfs.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
    vfs.pointee.xOpen = { vfs, path, file, flags, outFlags in
      DiskVFS.open(vfs, path, file, flags, outFlags)
    }
    vfs.pointee.xDelete = { vfs, path, _ in
      guard let path else { return SQLITE_IOERR }
      DiskVFS.disk(of: vfs).remove(String(cString: path))
      return SQLITE_OK
    }
    vfs.pointee.xAccess = { vfs, path, _, result in
      let isThere = path.map { DiskVFS.disk(of: vfs).files[String(cString: $0)] != nil } ?? false
      result?.pointee = isThere ? 1 : 0
      return SQLITE_OK
    }
    vfs.pointee.xFullPathname = { _, path, count, out in
      guard let path, let out else { return SQLITE_CANTOPEN }
      strncpy(out, path, Int(count))
      return SQLITE_OK
    }
    vfs.pointee.xRandomness = { _, count, out in
      // Journals carry a nonce: any will do, and the same one always.
      for place in 0..<Int(count) { out?[place] = CChar(truncatingIfNeeded: place &* 37 &+ 11) }
      return count
    }
    vfs.pointee.xSleep = { _, microseconds in microseconds }
    vfs.pointee.xCurrentTime = { _, days in
      days?.pointee = 2_460_000.5
      return SQLITE_OK
    }
    vfs.pointee.xGetLastError = { _, _, _ in 0 }
    sqlite3_vfs_register(vfs, 0)
  }

  deinit {
    sqlite3_vfs_unregister(vfs)
    vfs.deallocate()
    free(chosenName)
  }

  private static func disk(of vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> Disk {
    guard let disk = vfs?.pointee.pAppData else { preconditionFailure("a VFS without its disk") }
    return Unmanaged<Disk>.fromOpaque(disk).takeUnretainedValue()
  }

  private static func open(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: sqlite3_filename?,
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let path, let file else { return SQLITE_CANTOPEN }
    file.pointee.pMethods = nil
    let disk = disk(of: vfs)
    let isCreating = flags & SQLITE_OPEN_CREATE != 0
    if let refusal = disk.refusal(growing: false) {
      return refusal == .full ? SQLITE_FULL : SQLITE_IOERR
    }
    guard let entry = disk.file(at: String(cString: path), creating: isCreating) else {
      return SQLITE_CANTOPEN
    }
    let handle = DiskHandle(disk: disk, file: entry)
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee = OpenFile(
      base: sqlite3_file(pMethods: DiskHandle.methods), handle: Unmanaged.passRetained(handle))
    outFlags?.pointee = flags
    return SQLITE_OK
  }
}

/// What SQLite keeps of an open file: its own part first.
struct OpenFile {
  var base: sqlite3_file
  var handle: Unmanaged<DiskHandle>

  static func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DiskHandle {
    guard let file else { preconditionFailure("SQLite gave no file") }
    return UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee.handle
      .takeUnretainedValue()
  }
}
