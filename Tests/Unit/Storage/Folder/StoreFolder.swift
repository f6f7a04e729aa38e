import Glibc
import TestSupport

/// What a test asks of a folder beside what is in its files.
enum StoreFolder {
  static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  static func size(_ path: String) -> Int? { status(path).map { Int($0.st_size) } }

  /// Files and folders at or below a path that this process has open: what is opened is closed again.
  static func open(at path: String) -> [String] { opened(at: path).map(\.file).sorted() }

  /// Their descriptors.
  static func descriptors(at path: String) -> [Int32] { opened(at: path).map(\.descriptor).sorted() }

  private static func opened(at path: String) -> [(descriptor: Int32, file: String)] {
    (Int32(0)..<1024).compactMap { descriptor in
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      guard readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1) > 0 else { return nil }
      let file = String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return file == path || file.hasPrefix(path + "/") ? (descriptor, file) : nil
    }
  }

  /// A disk of so many kilobytes, there for as long as this is.
  final class Disk {
    let scratch = Scratch()

    /// Nil where mounting is not permitted.
    init?(kilobytes: Int) {
      guard mount("tmpfs", scratch.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else { return nil }
    }

    deinit { umount2(scratch.path, Int32(MNT_DETACH)) }
  }

  static var canMount: Bool { Disk(kilobytes: 64) != nil }
}
