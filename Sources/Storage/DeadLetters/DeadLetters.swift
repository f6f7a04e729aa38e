import Glibc
import Loop

/// The file of messages that were refused for good: a line each, written by a worker, the older half given
/// up where it would grow over its limit. Whatever is wrong with the disk costs one line in the journal.
///
/// Nothing is synced but a file that takes the place of another: a power cut may cost the newest lines.
public final class DeadLetters {
  /// What is posted, on the loop's thread.
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
      return tell("the disk does not keep up")
    }
    waiting += line.count
    let path = path
    worker.perform(in: .others) {
      DeadLetters.append(line, to: path, limit: DeadLetters.limit)
    } then: { [weak self] why in
      self?.waiting -= line.count
      self?.tell(why)
    }
  }

  /// Said once until it goes well again.
  private func tell(_ why: String?) {
    if let why, !isFailing { post(.warning("\(path): \(why); refused messages are not kept")) }
    isFailing = why != nil
  }

  // MARK: On the worker

  /// Why it could not be done, in words; nil: it was.
  static func append(_ line: [UInt8], to path: String, limit: Int) -> String? {
    guard line.count < limit else { return "a message of \(line.count) bytes is too large for it" }
    let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { return errno == ELOOP ? "a link is in the way, expected a file" : reason() }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else { return reason() }
    guard facts.st_mode & S_IFMT == S_IFREG else { return "is in the way, and no file" }
    // It tells of places; a file that somebody else made is closed too.
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
      // Half a line on a full disk is of no use to anybody.
      ftruncate(file, off_t(size))
      return why
    }
    return nil
  }

  private static let newline = UInt8(ascii: "\n")

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
  private static func replace(_ path: String, with lines: [UInt8]) -> String? {
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

  private static func reason() -> String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }
}
