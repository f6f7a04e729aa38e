import CLinux
import Glibc
import Loop
import Model

/// The file of messages that were refused for good: a line each, written by a worker, the older half given
/// up where it would grow over its limit. Whatever is wrong with the disk costs one line in the journal.
///
/// Nothing is synced but a file that takes the place of another: a power cut may cost the newest lines.
public final class DeadLetters {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// For the journal, once until it goes well again.
    case warning(String)
  }

  /// Bytes.
  static let limit = 1 << 20
  /// Bytes that wait for a disk that takes its time; more of them are given up.
  static let waitingLimit = 1 << 18

  private let worker: Worker
  private let path: String
  private let post: (Event) -> Void
  /// Bytes that the worker has and has not written.
  private var waiting = 0
  /// The journal knows it: the next line comes when it fails anew.
  private var isFailing = false

  /// `worker` may be shared. Nothing is opened before the first letter.
  public init(worker: Worker, path: String, post: @escaping (Event) -> Void) {
    self.worker = worker
    self.path = path
    self.post = post
  }

  /// `line` without its end.
  public func keep(_ line: [UInt8]) {
    guard waiting + line.count <= max(Self.waitingLimit, line.count) else {
      return report("the disk does not keep up")
    }
    waiting += line.count
    let path = path
    worker.perform(in: .others) {
      DeadLetters.append(line, to: path, limit: DeadLetters.limit)
    } then: { [weak self] why in
      self?.waiting -= line.count
      self?.report(why)
    }
  }

  /// Said once until it goes well again.
  private func report(_ why: String?) {
    if let why, !isFailing { post(.warning("\(path): \(why); refused messages are not kept")) }
    isFailing = why != nil
  }

  // MARK: Back into the queue

  /// The outcome of a request for refused messages.
  public enum Taking: Hashable, Sendable {
    /// Nothing was refused, or all of it has gone again.
    case nothing
    /// None can be sent again; how many, and where the first of them stays and why, as one line.
    case none(Int, because: String)
    /// They are in a file of their own.
    case taken(RefusedMessages)
    /// Nothing has changed, as far as the disk lets us know; in words.
    case failed(String)
  }

  /// `read` makes a message of a line, or says why not; it runs on the worker.
  public func take(
    as first: UInt64, reading read: @escaping ResendFile.Reader, then: @escaping (Taking) -> Void
  ) {
    let resendFile = ResendFile(path: path)
    worker.perform(in: .others) {
      resendFile.take(as: first, reading: read)
    } then: { taking in
      then(taking)
      // A full file is read in one piece; what it took must not stay.
      clinux_trim_heap()
    }
  }

  /// The store has those that were taken by this sequence.
  public func forget(_ first: UInt64) {
    let resendFile = ResendFile(path: path)
    worker.perform(in: .others, { resendFile.forget(first) }, then: {})
  }

  /// At the start, where the power may have gone while some were on their way into the store. `lastSequence`: the
  /// highest that it has ever given.
  public func settle(lastSequence: UInt64) {
    let resendFile = ResendFile(path: path)
    worker.perform(in: .others) {
      resendFile.settle(lastSequence: lastSequence)
    } then: { [post, path] why in
      if let why { post(.warning("\(path): \(why); what was to be sent again stays beside it")) }
    }
  }

  // MARK: On the worker

  /// Why it could not be done, in words; nil: it was.
  package static func append(_ line: [UInt8], to path: String, limit: Int) -> String? {
    guard line.count < limit else { return "a message of \(line.count) bytes is too large for it" }
    let file: Int32
    var facts = stat()
    switch opened(path, O_RDWR | O_CREAT | O_APPEND, &facts) {
    case .success(let opened): file = opened
    case .failure(let trouble): return trouble.words
    }
    defer { close(file) }
    // It contains places: access is restricted even if another program made the file.
    if facts.st_mode & 0o777 != 0o600 { fchmod(file, 0o600) }
    let size = Int(facts.st_size)
    // The ends of two lines: this one's, and that of a line that was torn.
    if size + line.count + 2 > limit {
      return replace(
        path, with: newest(of: file, size, atMost: min(limit / 2, limit - line.count - 1)) + line)
    }
    var bytes = line + [newline]
    // A power cut may have torn the last line: it must not take the next one with it.
    var last = newline
    if size > 0, pread(file, &last, 1, off_t(size - 1)) == 1, last != newline { bytes.insert(newline, at: 0) }
    guard write(file, bytes, bytes.count) == bytes.count else {
      let why = reason()
      // Half a line on a full disk is of no use.
      ftruncate(file, off_t(size))
      return why
    }
    return nil
  }

  /// Why a file cannot be had.
  struct Trouble: Error {
    var words: String
    var isMissing = false
  }

  /// A file and nothing else; who has it closes it.
  static func opened(_ path: String, _ flags: Int32, _ facts: inout stat) -> Result<Int32, Trouble> {
    let file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else {
      let isLink = errno == ELOOP
      let words = isLink ? "a link is in the way, expected a file" : reason()
      return .failure(Trouble(words: words, isMissing: errno == ENOENT))
    }
    let isKnown = fstat(file, &facts) == 0
    if isKnown, facts.st_mode & S_IFMT == S_IFREG { return .success(file) }
    let words = isKnown ? "is in the way, and no file" : reason()
    close(file)
    return .failure(Trouble(words: words))
  }

  static let newline = UInt8(ascii: "\n")

  /// The last whole lines of the file.
  private static func newest(of file: Int32, _ size: Int, atMost limit: Int) -> [UInt8] {
    // One more in front: a line that begins just there is whole.
    let start = max(0, size - limit - 1)
    var bytes = [UInt8](repeating: 0, count: size - start)
    let count = max(0, pread(file, &bytes, bytes.count, off_t(start)))
    bytes.removeLast(bytes.count - count)
    if start > 0 { bytes.removeFirst((bytes.firstIndex(of: newline) ?? bytes.count - 1) + 1) }
    if let last = bytes.last, last != newline { bytes.append(newline) }
    return bytes
  }

  /// The whole file or the old one: whatever happens meanwhile, one of them is there.
  static func replace(_ path: String, with lines: [UInt8]) -> String? {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return reason() }
    let bytes = lines + [newline]
    let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    let why = reason()
    close(file)
    guard isWritten else {
      unlink(draft)
      return why
    }
    return rename(draft, path) == 0 ? nil : reason()
  }

  static func reason() -> String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }
}
