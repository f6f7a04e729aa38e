import Glibc
import Model

/// Refused messages on their way back into the queue. They move from the file of the refused to one of their own,
/// named by the sequence that the first of them gets; it is removed when the store has them.
///
///     refused.jsonl ──take──▶ refused.jsonl.N ──forget──▶ gone
///           ▲                      │
///           └──────── settle ──────┘  at the start, where the store has never given N
///
/// The new file is whole before a line leaves the old one, and a line that is in both is one: whenever the power goes,
/// none is lost, and none goes twice. For the worker's thread alone.
public struct ResendFile: Sendable {
  /// A message of a line, or why there is none.
  public typealias Reader = @Sendable ([UInt8]) -> Result<Message, LineFault>

  /// Why a line stays; one line.
  public struct LineFault: Error {
    var words: String

    /// In words.
    public init(_ words: String) { self.words = words }
  }

  /// Bytes; the tracker's own file is an eighth of it.
  static let limit = 8 * DeadLetters.limit

  let path: String

  /// `path`: of the file of the refused.
  package init(path: String) { self.path = path }

  private func path(_ first: UInt64) -> String { "\(path).\(first)" }

  // MARK: What is done

  /// Moves what can be a message again into a file that is called by `first`.
  package func take(as first: UInt64, reading: Reader) -> DeadLetters.Taking {
    let lines: [[UInt8]]
    switch Self.lines(of: path) {
    case .success(let read): lines = read
    case .failure(let trouble):
      return trouble.isMissing ? .nothing : .failed("\(path): \(trouble.words)")
    }
    guard !lines.isEmpty else { return .nothing }
    var refused = RefusedMessages(first: first)
    var (taken, left): ([[UInt8]], [[UInt8]]) = ([], [])
    for line in lines {
      switch reading(line) {
      case .success(let message):
        refused.messages.append(message)
        taken.append(line)
      case .failure(let fault):
        left.append(line)
        refused.leftBecause = refused.leftBecause ?? "\(path), line \(left.count): \(fault.words)"
      }
    }
    refused.leftCount = left.count
    if let why = refused.leftBecause, taken.isEmpty { return .none(left.count, because: why) }
    if let why = write(taken, to: path(first)) ?? write(left, to: path) ?? DeadLetters.syncFolder(of: path) {
      // The old one is as it was, or has the lines again that it lost.
      return .failed("\(path): \(giveBack([first]) ?? why)")
    }
    return .taken(refused)
  }

  /// The store has those that were taken as `first`.
  package func forget(_ first: UInt64) {
    unlink(path(first))
    _ = DeadLetters.syncFolder(of: path)
  }

  /// At a start, `lastSequence` being the highest that the store has ever given. Why it could not be done, in words;
  /// nil: it was.
  package func settle(lastSequence: UInt64) -> String? {
    let waiting = waiting()
    for first in waiting where first <= lastSequence { forget(first) }
    return giveBack(waiting.filter { $0 > lastSequence })
  }

  /// In front of those refused since, oldest first: a file that could not be given back may be there beside a newer one
  /// that has its lines, and more.
  private func giveBack(_ waiting: [UInt64]) -> String? {
    var new: [[UInt8]] = []
    switch Self.lines(of: path) {
    case .success(let read): new = read
    case .failure(let trouble): if !trouble.isMissing { return trouble.words }
    }
    var (known, old, given) = (Set(new), [[UInt8]](), [UInt64]())
    var trouble: String?
    for first in waiting {
      switch Self.lines(of: path(first)) {
      case .success(let read):
        old += read.filter { !known.contains($0) }
        known.formUnion(read)
        given.append(first)
      case .failure(let fault): if !fault.isMissing { trouble = fault.words }
      }
    }
    guard !given.isEmpty else { return trouble }
    if let why = write(old + new, to: path) ?? DeadLetters.syncFolder(of: path) { return why }
    for first in given { forget(first) }
    return trouble
  }

  // MARK: Files

  /// Of files that wait for the store, oldest first.
  private func waiting() -> [UInt64] {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), let folder = opendir(String(path[..<slash]))
    else { return [] }
    defer { closedir(folder) }
    let start = String(path[path.utf8.index(after: slash)...]) + "."
    var found: [UInt64] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(start), let first = UInt64(name.dropFirst(start.count)) { found.append(first) }
    }
    return found.sorted()
  }

  /// Without empty ones.
  static func lines(of path: String) -> Result<[[UInt8]], DeadLetters.Trouble> {
    var facts = stat()
    let file: Int32
    switch DeadLetters.opened(path, O_RDONLY, &facts) {
    case .success(let opened): file = opened
    case .failure(let trouble): return .failure(trouble)
    }
    defer { close(file) }
    guard facts.st_size <= off_t(limit) else {
      return .failure(DeadLetters.Trouble(words: "has more than \(limit >> 20) MiB, too much to send again"))
    }
    var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
    var count = 0
    while count < bytes.count {
      let read = bytes.withUnsafeMutableBytes {
        pread(file, $0.baseAddress! + count, $0.count - count, off_t(count))
      }
      guard read >= 0 else { return .failure(DeadLetters.Trouble(words: DeadLetters.reason())) }
      if read == 0 { break }
      count += read
    }
    return .success(bytes.prefix(count).split(separator: DeadLetters.newline).map(Array.init))
  }

  /// The whole of it or the old one; none at all where there are no lines.
  private func write(_ lines: [[UInt8]], to target: String) -> String? {
    guard !lines.isEmpty else {
      return unlink(target) == 0 || errno == ENOENT ? nil : DeadLetters.reason()
    }
    return DeadLetters.replace(target, with: Array(lines.joined(separator: [DeadLetters.newline])))
  }
}
