import Glibc

/// Whether the daemon can keep anything.
struct StoreFolder {
  var path: String

  private static let daemonUser = "homeward"
  /// A full queue of 100 MiB and its journal.
  private static let enough = 250_000_000

  /// Stores that the daemon has set aside, counted from 1.
  var damagedStores: Int {
    var count = 0
    while access("\(path)/store.damaged-\(count + 1)", F_OK) == 0 { count += 1 }
    return count
  }

  func finding() -> Finding {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return Finding(
        .fail, "store", "\(path): \(lastError())",
        remedy: "sudo install -d -m 700 -o \(Self.daemonUser) -g \(Self.daemonUser) \(path)")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return Finding(.fail, "store", "\(path): not a folder", remedy: "move it out of the way")
    }
    if let user = getpwnam(Self.daemonUser), !isWritable(status, by: user.pointee) {
      return Finding(
        .fail, "store", "\(path): user \(Self.daemonUser) may not write there",
        remedy: "sudo chown \(Self.daemonUser): \(path) && sudo chmod 700 \(path)")
    }
    if status.st_mode & 0o007 != 0 {
      return Finding(
        .warn, "store", "\(path): every user can read where the board was",
        remedy: "sudo chmod o-rwx \(path)")
    }
    return space()
  }

  private func isWritable(_ status: stat, by user: passwd) -> Bool {
    if user.pw_uid == status.st_uid { return status.st_mode & 0o200 != 0 }
    if user.pw_gid == status.st_gid { return status.st_mode & 0o020 != 0 }
    return status.st_mode & 0o002 != 0
  }

  private func space() -> Finding {
    var system = statvfs()
    guard statvfs(path, &system) == 0 else { return Finding(.warn, "store", "\(path): \(lastError())") }
    let free = Int(system.f_bavail) * Int(system.f_frsize)
    // ST_RDONLY, which the C library hides from Swift.
    if system.f_flag & 1 != 0 {
      return Finding(
        .fail, "store", "\(path): the file system is read-only",
        remedy:
          "sudo mount -o remount,rw \"$(findmnt -no TARGET -T \(path))\"; why it became so: journalctl -k")
    }
    guard free > Self.enough else {
      return Finding(
        .warn, "store", "\(path): only \(Readable.bytes(free)) free",
        remedy: "make room, or lower queueLimitMegabytes")
    }
    return Finding(.ok, "store", "\(path), \(Readable.bytes(free)) free")
  }
}
