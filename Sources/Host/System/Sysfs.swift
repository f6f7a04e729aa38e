import Glibc

/// The kernel's small text files under /sys.
package enum Sysfs {
  /// An attribute is a page at most; only short words and numbers are read here.
  private static let limit = 4096

  /// The text without surrounding white space; nil if there is none to be read.
  package static func text(_ path: String) -> String? {
    // Some files are beside our socket, where somebody may have put a pipe: do not wait for it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return trimmed(String(decoding: buffer.prefix(count), as: UTF8.self))
    }
  }

  /// Nil if there is nothing to be read, or no finite number.
  package static func number(_ path: String) -> Double? {
    text(path).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether there is anything at the path, readable or not.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The last component of a link's target: sysfs names drivers and subsystems this way.
  package static func linkName(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count > 0 else { return nil }
      let target = String(decoding: buffer.prefix(count).lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return target.split(separator: "/").last.map(String.init)
    }
  }

  /// The names in a directory, sorted; empty if it cannot be read.
  package static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\t" }
    var rest = text[...]
    while rest.first.map(isSpace) == true { rest.removeFirst() }
    while rest.last.map(isSpace) == true { rest.removeLast() }
    return String(rest)
  }
}
