import Glibc

/// Numbered lines in a ring of files, the newest thousand and some more. A line that is written again under its number
/// replaces the one before.
///
///     line 250 … 499 ──▶ reasons.1, … 1000 … 1249 ──▶ reasons.4, 1250 … ──▶ reasons.0, which begins anew
///
/// They lie in the directory of the control socket, under systemd in memory: a restart keeps them, no card is written
/// to, and a power cut ends them.
struct ReasonFiles {
  static let linesInFile: UInt64 = 250
  static let files: UInt64 = 5
  /// Bytes of a file up to which lines are written again. With the length of a line that bounds all of it.
  static let room = 96 << 10
  /// Bytes of a line, its number and its end included.
  static let longest = 1200

  private let directory: String
  /// Of the file that is written to.
  private var descriptor: Int32 = -1
  private var file: UInt64?
  private var size = 0
  /// The greatest number so far; 0: none.
  private(set) var newest: UInt64 = 0

  /// Goes on where an earlier life of the process has ended.
  init(directory: String) {
    self.directory = directory
    for index in 0..<Self.files {
      for line in Self.lines(of: Self.read(path(index))) { newest = max(newest, line.number) }
    }
  }

  private func path(_ index: UInt64) -> String { "\(directory)/reasons.\(index)" }

  /// False: it cannot be written. Then it is gone, and nothing else is.
  mutating func write(_ number: UInt64, _ text: [UInt8]) -> Bool {
    guard number > 0, number + Self.linesInFile * (Self.files - 1) > newest else { return true }
    guard open(for: max(number, newest) / Self.linesInFile) else { return false }
    var line = Array("\(number) ".utf8)
    line += text
    line.append(UInt8(ascii: "\n"))
    guard line.count <= Self.longest, number > newest || size < Self.room else { return true }
    newest = max(newest, number)
    let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    size += max(0, count)
    return count == line.count
  }

  private mutating func open(for wanted: UInt64) -> Bool {
    if file == wanted, descriptor >= 0 { return true }
    close()
    // What is there is of the ring's last round, unless an earlier life has ended in it.
    let goesOn = newest / Self.linesInFile == wanted
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (goesOn ? 0 : O_TRUNC)
    descriptor = Glibc.open(path(wanted % Self.files), flags, 0o600)
    file = wanted
    size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
    return descriptor >= 0
  }

  mutating func close() {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    (descriptor, file) = (-1, nil)
  }

  /// The newest `last` lines, of those with a greater number than `after`, oldest first.
  func lines(last: Int, after: UInt64) -> [ArraySlice<UInt8>] {
    let beyond = max(after, newest - min(newest, UInt64(last)))
    guard newest > beyond else { return [] }
    var found: [UInt64: ArraySlice<UInt8>] = [:]
    for file in (beyond + 1) / Self.linesInFile...newest / Self.linesInFile {
      for line in Self.lines(of: Self.read(path(file % Self.files))) where line.number > beyond {
        found[line.number] = line.text
      }
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// They tell of places.
  static func remove(in directory: String) {
    for index in 0..<files { unlink("\(directory)/reasons.\(index)") }
  }

  // MARK: Reading

  private static func read(_ path: String) -> [UInt8] {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return [] }
    defer { _ = Glibc.close(descriptor) }
    // A file is never longer: what is, is not ours.
    let limit = room + Int(linesInFile) * longest
    let length = min(limit, max(0, Int(lseek(descriptor, 0, SEEK_END))))
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, length, 0))
    }
  }

  /// Whole ones, each with its number; a process that was killed may have left half of one.
  private static func lines(of bytes: [UInt8]) -> [(number: UInt64, text: ArraySlice<UInt8>)] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      var number: UInt64 = 0
      for (index, byte) in zip(line.indices, line) {
        if byte == UInt8(ascii: " "), line.last == UInt8(ascii: "}") { return (number, line[(index + 1)...]) }
        guard byte >= 48, byte < 58, number < 1 << 53 else { return nil }
        number = number * 10 + UInt64(byte - 48)
      }
      return nil
    }
  }
}
