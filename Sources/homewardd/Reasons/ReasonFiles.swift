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
  /// Lines that wait for one another, so that one call writes them: a process that is killed loses these at most.
  static let held = 16
  /// Bytes of a line, its number and its end included.
  static let longest = 1200

  private let directory: String
  /// Of the file that is written to.
  private var descriptor: Int32 = -1
  private var file: UInt64?
  /// With the lines that wait.
  private var size = 0
  private var waiting: (lines: Int, bytes: [UInt8]) = (0, [])
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

  /// `isUrgent`: it is there at once, and all that waits with it. False: it cannot be written. Then it is gone, and
  /// nothing else is.
  mutating func write(_ number: UInt64, _ text: [UInt8], isUrgent: Bool) -> Bool {
    guard number > 0, number + Self.linesInFile * (Self.files - 1) > newest else { return true }
    guard open(for: max(number, newest) / Self.linesInFile) else { return false }
    let before = waiting.bytes.count
    waiting.bytes += "\(number) ".utf8
    waiting.bytes += text
    waiting.bytes.append(UInt8(ascii: "\n"))
    let count = waiting.bytes.count - before
    guard count <= Self.longest, number > newest || size < Self.room else {
      waiting.bytes.removeLast(count)
      return true
    }
    newest = max(newest, number)
    size += count
    waiting.lines += 1
    return isUrgent || waiting.lines >= Self.held ? writeWaiting() : true
  }

  /// False: it cannot be done.
  private mutating func writeWaiting() -> Bool {
    defer {
      waiting.lines = 0
      waiting.bytes.removeAll(keepingCapacity: true)
    }
    let count = waiting.bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    return count == waiting.bytes.count
  }

  private mutating func open(for wanted: UInt64) -> Bool {
    if file == wanted, descriptor >= 0 { return true }
    close()
    // The file's contents are from the ring's last round, unless an earlier process has ended in it.
    let goesOn = newest / Self.linesInFile == wanted
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (goesOn ? 0 : O_TRUNC)
    descriptor = Glibc.open(path(wanted % Self.files), flags, 0o600)
    file = wanted
    size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
    return descriptor >= 0
  }

  mutating func close() {
    if waiting.lines > 0 { _ = writeWaiting() }
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    (descriptor, file) = (-1, nil)
  }

  /// The newest `last` lines, of those with a greater number than `after`, oldest first.
  mutating func lines(last: Int, after: UInt64) -> [(number: UInt64, text: ArraySlice<UInt8>)] {
    if waiting.lines > 0 { _ = writeWaiting() }
    let beyond = max(after, newest - min(newest, UInt64(last)))
    guard newest > beyond else { return [] }
    var found: [UInt64: ArraySlice<UInt8>] = [:]
    for file in (beyond + 1) / Self.linesInFile...newest / Self.linesInFile {
      for line in Self.lines(of: Self.read(path(file % Self.files))) where line.number > beyond {
        found[line.number] = line.text
      }
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
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
        if byte == UInt8(ascii: " ") {
          let text = line[(index + 1)...]
          return text.last == UInt8(ascii: "}") || ReasonShorthand.isWhole(text) ? (number, text) : nil
        }
        guard byte >= 48, byte < 58, number < 1 << 53 else { return nil }
        number = number * 10 + UInt64(byte - 48)
      }
      return nil
    }
  }
}
