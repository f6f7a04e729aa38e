import Glibc

/// Opens regular files only: a link is not followed, so that its target is never overwritten, and a pipe
/// is not waited for. Only the account of the tracker can place such things, and it may be somebody's.
enum StoreOpening {
  /// Beside the tables; SQLite opens them by itself.
  private static let companions = ["", "-journal", "-wal", "-shm"]

  /// The descriptor of a regular file, below 0 where there is none, with `errno`.
  static func open(_ path: String, _ flags: Int32) throws(StoreError) -> Int32 {
    let descriptor = Glibc.open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      // The obstacle by name helps people more than the kernel's number.
      try check(path)
      errno = reason
      return descriptor
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .inTheWay(path: path, what: word(status.st_mode))
    }
    return descriptor
  }

  /// Before SQLite opens the tables at this path, and what belongs to them.
  static func checkTables(_ path: String) throws(StoreError) {
    for companion in companions { try check(path + companion) }
  }

  /// Nothing there is fine.
  private static func check(_ path: String) throws(StoreError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw .inTheWay(path: path, what: word(status.st_mode))
  }

  private static func word(_ mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFLNK: "a link"
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}
