import Glibc

/// Replaces a file so that a power cut leaves the old one or the new one, never a half of each.
enum AtomicFile {
  /// Owner and mode of a file that exists are kept; a new one is for its owner and the folder's group only: that of
  /// the configuration is the tracker's.
  static func write(_ bytes: [UInt8], to path: String) throws {
    // A link is followed: it is the file behind it that has to be replaced.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let target = resolved.map { String(cString: $0) } ?? path
    var before = stat()
    let exists = stat(target, &before) == 0
    let temporary = "\(target).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let isForbidden = errno == EACCES || errno == EPERM
      throw Failure(
        .failed, "\(target): cannot be written: \(lastError())" + (isForbidden ? "; try it with sudo" : ""))
    }
    defer { close(descriptor) }
    do {
      // The owner first: a change of owner may clear bits of the mode.
      if exists, fchown(descriptor, before.st_uid, before.st_gid) != 0, before.st_uid != geteuid() {
        throw Failure(.failed, "\(target): its owner cannot be kept: \(lastError()); try sudo")
      }
      var folder = stat()
      if !exists, stat(Folder.of(target) + "/.", &folder) == 0 {
        // Who may not do that has a file of a group of its own.
        _ = fchown(descriptor, uid_t.max, folder.st_gid)
      }
      guard fchmod(descriptor, exists ? before.st_mode & 0o7777 : 0o640) == 0,
        Descriptor.writeAll(bytes, to: descriptor),
        fsync(descriptor) == 0, rename(temporary, target) == 0
      else { throw Failure(.failed, "\(target): cannot be written: \(lastError())") }
    } catch {
      unlink(temporary)
      throw error
    }
    syncFolder(of: target)
  }

  /// The new name has to survive too.
  private static func syncFolder(of path: String) {
    let folder = open(Folder.of(path) + "/.", O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}
