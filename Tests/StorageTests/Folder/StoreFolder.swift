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
  static func open(at path: String) -> [String] {
    guard let directory = opendir("/proc/self/fd") else { return ["/proc is not there"] }
    defer { closedir(directory) }
    var open: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      guard readlink("/proc/self/fd/\(name)", &target, target.count - 1) > 0 else { continue }
      let file = String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if file == path || file.hasPrefix(path + "/") { open.append(file) }
    }
    return open.sorted()
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
