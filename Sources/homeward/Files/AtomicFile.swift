import Glibc

/// Replaces a file so that a power cut leaves the old one or the new one, never a half of each.
///
/// It is made beside the old one and renamed over it, both within a folder that is held open: whatever is done to the
/// name meanwhile, nothing outside of that folder is written.
enum AtomicFile {
  /// Owner and mode of a file that exists are kept; a new one is for its owner and the folder's group only: that of
  /// the configuration is the tracker's. A link is followed, for it is the file behind it that is meant: by root only
  /// one that nobody but root can have placed.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let place = try Place(path)
    defer { close(place.folder) }
    var before = stat()
    let exists = fstatat(place.folder, place.name, &before, AT_SYMLINK_NOFOLLOW) == 0
    try replace(place, with: bytes) { descriptor in
      // The owner first: a change of owner may clear bits of the mode.
      if exists, fchown(descriptor, before.st_uid, before.st_gid) != 0, before.st_uid != geteuid() {
        throw Failure(.failed, "\(place.path): its owner cannot be kept: \(lastError()); try sudo")
      }
      var around = stat()
      if !exists, fstat(place.folder, &around) == 0 {
        // Without that right the file keeps the user's own group.
        _ = fchown(descriptor, uid_t.max, around.st_gid)
      }
      return fchmod(descriptor, exists ? before.st_mode & 0o777 : 0o640) == 0
    }
  }

  /// In a folder where others may place what they like: whatever has that name there is replaced, and no link is
  /// followed. `isFolders`: it belongs to whom the folder belongs to.
  static func write(
    _ bytes: [UInt8], as name: String, in folder: String, mode: mode_t, isFolders: Bool = false
  ) throws {
    let place = try Place(name, in: folder)
    defer { close(place.folder) }
    var owner = stat()
    guard fstat(place.folder, &owner) == 0 else { throw place.failure() }
    try replace(place, with: bytes) { descriptor in
      if isFolders, fchown(descriptor, owner.st_uid, owner.st_gid) != 0, owner.st_uid != geteuid() {
        return false
      }
      return fchmod(descriptor, mode) == 0
    }
  }

  /// `prepare` gives the new one its owner and mode; false: it could not, and errno says why.
  private static func replace(
    _ place: Place, with bytes: [UInt8], prepare: (_ descriptor: Int32) throws -> Bool
  ) throws {
    // Nobody can have taken the name before.
    let temporary = "\(place.name).\(String(UInt64.random(in: .min ... .max), radix: 16)).new"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = openat(place.folder, temporary, flags, 0o600)
    guard descriptor >= 0 else { throw place.failure() }
    defer { close(descriptor) }
    do {
      guard try prepare(descriptor), Descriptor.writeAll(bytes, to: descriptor), fsync(descriptor) == 0,
        renameat(place.folder, temporary, place.folder, place.name) == 0
      else { throw place.failure() }
    } catch {
      unlinkat(place.folder, temporary, 0)
      throw error
    }
    // The new name has to survive too.
    fsync(place.folder)
  }
}

/// A name in a folder that is held open.
private struct Place {
  /// To be closed.
  let folder: Int32
  let name: String
  /// For people.
  let path: String

  private static let mostLinks = 40

  /// `path`: as people call it.
  init(_ name: String, in folder: String, called path: String? = nil) throws {
    self.name = name
    self.path = path ?? folder + "/" + name
    self.folder = open(folder + "/.", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard self.folder >= 0 else { throw failure() }
  }

  /// Where `path` leads to, whether there is a file or not.
  init(_ path: String) throws {
    var path = path
    for _ in 0..<Self.mostLinks {
      let place = try Place(Folder.lastName(of: path), in: Folder.of(path), called: path)
      do {
        guard let target = try place.target() else {
          self = place
          return
        }
        path = target.hasPrefix("/") ? target : Folder.of(path) + "/" + target
        close(place.folder)
      } catch {
        close(place.folder)
        throw error
      }
    }
    throw Failure(.failed, "\(path): more than \(Self.mostLinks) links one after the other")
  }

  /// Target of the symbolic link with this name; nil: it is no link.
  private func target() throws -> String? {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFLNK
    else { return nil }
    var around = stat()
    guard fstat(folder, &around) == 0 else { throw failure() }
    let isRoots = status.st_uid == 0 && around.st_uid == 0 && around.st_mode & 0o022 == 0
    guard geteuid() != 0 || isRoots else {
      throw Failure(
        .failed,
        "\(path): a link that others than root may have placed is not followed; name the file behind it")
    }
    var buffer = [CChar](repeating: 0, count: 4097)
    let count = readlinkat(folder, name, &buffer, buffer.count - 1)
    guard count > 0 else { throw failure() }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// By errno.
  func failure() -> Failure {
    let isForbidden = errno == EACCES || errno == EPERM
    return Failure(
      .failed, "\(path): cannot be written: \(lastError())" + (isForbidden ? "; try it with sudo" : ""))
  }
}
