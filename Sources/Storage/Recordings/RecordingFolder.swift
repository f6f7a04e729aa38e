import Glibc
import Model

/// Recordings of drives: files `drive.000001.jsonl`, `drive.000002.jsonl` … in one folder, of which the oldest go so
/// that all of them stay within a limit. Used from the disk's worker only.
public struct RecordingFolder: Hashable, Sendable {
  /// Of a file, of the whole limit.
  private static let share = 4
  private static let prefix = "drive."
  private static let suffix = ".jsonl"

  /// Absolute, without a slash at its end.
  public let path: String
  /// Of all files together, bytes.
  public let limit: Int

  /// Nothing is made before something is written.
  public init(path: String, limit: Int) { (self.path, self.limit) = (path, limit) }

  /// A file that has so many bytes is followed by a new one.
  public var fileLimit: Int { limit / Self.share }

  /// Lines that belong together.
  public struct Chunk: Sendable {
    /// They are the first ones of a file.
    public var beginsFile: Bool
    /// With a line's end each.
    public var bytes: [UInt8]

    /// Of a file that is there already, unless said otherwise.
    public init(beginsFile: Bool = false, bytes: [UInt8]) {
      (self.beginsFile, self.bytes) = (beginsFile, bytes)
    }
  }

  /// Writes them, in their order; returns why it could not. New data may be lost with the power: no one waits for it.
  public func write(_ chunks: [Chunk]) -> String? {
    var number = numbers.last ?? 0
    for chunk in chunks {
      if chunk.beginsFile || number == 0 {
        makeRoom()
        number += 1
      }
      if let why = append(chunk.bytes, to: file(number)) { return why }
    }
    return nil
  }

  /// Nothing of it can be read afterwards.
  public func discard() {
    for number in numbers {
      let path = file(number)
      let descriptor = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      if descriptor >= 0 { close(descriptor) }
      unlink(path)
    }
  }

  private func file(_ number: Int) -> String {
    "\(path)/\(Self.prefix)\(String(1_000_000 + number % 1_000_000).dropFirst())\(Self.suffix)"
  }

  /// Sorted.
  private var numbers: [Int] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var numbers: [Int] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { continue }
      if let number = Int(name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)) {
        numbers.append(number)
      }
    }
    return numbers.sorted()
  }

  /// For one more file.
  private func makeRoom() {
    var sizes = numbers.map { number -> (path: String, bytes: Int) in
      var status = stat()
      let path = file(number)
      return (path, lstat(path, &status) == 0 ? Int(status.st_size) : 0)
    }
    var sum = sizes.reduce(0) { $0 + $1.bytes }
    while sum > limit - fileLimit, !sizes.isEmpty {
      let oldest = sizes.removeFirst()
      unlink(oldest.path)
      sum -= oldest.bytes
    }
  }

  private func append(_ bytes: [UInt8], to path: String) -> String? {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { return "\(path): \(String(cString: strerror(errno)))" }
    defer { close(descriptor) }
    // The group may look, as it may at the control socket.
    fchmod(descriptor, 0o640)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return "\(path): \(String(cString: strerror(errno)))" }
      written += count
    }
    return nil
  }
}
