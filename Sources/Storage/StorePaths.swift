import Glibc

/// Where the store lies and where damaged stores are set aside.
struct StorePaths {
  let directory: String

  var tables: String { directory + "/store.sqlite" }
  var log: String { directory + "/store.log" }
  /// Being made by a salvage; worth nothing until it is renamed.
  var draft: String { directory + "/store.new" }

  /// Space held back so that a full disk can still be emptied: removing rows takes journal pages.
  private var reserve: String { directory + "/store.reserve" }
  /// Bytes that a removal on a full disk needs for its journal, with some to spare.
  private static let reserveLength = 256 * 1024

  /// Holds the reserve back, if there is room for it.
  func keepReserve() {
    guard access(reserve, F_OK) != 0 else { return }
    let descriptor = open(reserve, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Blocks that are really taken, without writing them.
    if posix_fallocate(descriptor, 0, off_t(Self.reserveLength)) != 0 { unlink(reserve) }
  }

  /// False where none was held back.
  func releaseReserve() -> Bool { unlink(reserve) == 0 }

  /// Throws where the folder is not there: the installation makes it, with its owner.
  func check() throws(StoreError) {
    var status = stat()
    guard stat(directory, &status) == 0 else {
      throw .noDirectory(path: directory, cause: String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw .noDirectory(path: directory, cause: "not a directory")
    }
  }

  /// Creates the file for its owner alone; SQLite's journal takes over the mode.
  func create(_ path: String) throws(StoreError) {
    let descriptor = try StoreOpening.open(path, O_RDWR | O_CREAT)
    guard descriptor >= 0 else { throw Self.failure("creating", path) }
    close(descriptor)
  }

  func discardDraft() {
    unlink(draft)
    unlink(draft + "-journal")
  }

  /// Sets the damaged store aside under the next free number and the draft in its place. Damaged stores are never
  /// deleted: their number and size are reported each time.
  func swap() throws(StoreError) -> String {
    var number = 1
    while access("\(directory)/store.damaged-\(number)", F_OK) == 0 { number += 1 }
    let aside = "\(directory)/store.damaged-\(number)"
    // It belongs to the damaged store: beside the new store it would undo what that holds.
    rename(tables + "-journal", aside + "-journal")
    // A second name and then a replacement: at every moment there is a store at this path.
    guard link(tables, aside) == 0 || errno == ENOENT else { throw Self.failure("setting aside", tables) }
    guard rename(draft, tables) == 0 else { throw Self.failure("replacing", tables) }
    unlink(draft + "-journal")
    Self.sync(directory)
    return aside
  }

  /// How many damaged stores are kept so far, and their bytes.
  func damagedStores() -> (count: Int, bytes: Int) {
    var count = 0
    var bytes = 0
    var status = stat()
    while stat("\(directory)/store.damaged-\(count + 1)", &status) == 0 {
      count += 1
      bytes += Int(status.st_size)
    }
    return (count, bytes)
  }

  func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// A new name is durable when its folder is.
  static func sync(_ directory: String) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  static func failure(_ doing: String, _ path: String) -> StoreError {
    switch errno {
    case ENOSPC, EDQUOT: .full(path: path)
    case EROFS, EACCES, EPERM: .readOnly(path: path)
    default: .failing(path: path, doing: doing, cause: String(cString: strerror(errno)))
    }
  }
}
