import CLinux
import Glibc
import Loop
import Model
import Timebase

/// The file of messages that were refused for good: a line each, written by a worker, the older half given
/// up where it would grow over its limit.
///
/// A letter is on the disk when it counts as kept. One that the disk does not take waits here and is tried again: its
/// message leaves the store only when it is kept. How many may wait is for the tracker to limit.
public final class DeadLetters {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// For the journal.
    case warning(String)
  }

  /// The fate of a letter.
  public enum Keeping: Hashable, Sendable {
    /// It is on the disk.
    case kept
    /// It waits; said once of each. Why, in words.
    case delayed(String)
    /// It never will be kept, and is given up. Why, in words.
    case givenUp(String)
  }

  private struct Letter {
    var line: [UInt8]
    var then: (Keeping) -> Void
    var isDelayed = false
  }

  /// Bytes.
  static let limit = 1 << 20

  private let loop: EventLoop
  private let worker: Worker
  private let path: String
  /// A disk that is full has room again sooner or later.
  private let retryDelay: Span
  private let post: (Event) -> Void
  /// Oldest first.
  private var letters: [Letter] = []
  private var isWriting = false
  private var timer: Timer?

  /// `worker` may be shared. Nothing is opened before the first letter.
  public init(
    loop: EventLoop, worker: Worker, path: String, retryDelay: Span = .seconds(30),
    post: @escaping (Event) -> Void
  ) {
    self.retryDelay = retryDelay
    self.loop = loop
    self.worker = worker
    self.path = path
    self.post = post
    timer = loop.makeTimer { [unowned self] in writeNext() }
  }

  deinit { timer?.cancel() }

  /// `line` without its end. `then`: on the loop's thread, in a later wake-up.
  public func keep(_ line: [UInt8], then: @escaping (Keeping) -> Void) {
    letters.append(Letter(line: line, then: then))
    writeNext()
  }

  /// Those that wait belong to a store that is in use no more: they are kept, and not answered.
  public func disown() {
    for index in letters.indices { letters[index].then = { _ in } }
  }

  /// The worker ends: what waits is tried once more.
  public func finish() {
    timer?.cancel()
    timer = nil
    writeNext()
  }

  private func writeNext() {
    guard !isWriting, !letters.isEmpty else { return }
    isWriting = true
    timer?.set(at: nil)
    let lines = letters.map(\.line)
    worker.perform(in: .others) { [path] in
      DeadLetters.append(lines, to: path, limit: DeadLetters.limit)
    } then: { [weak self] outcome in
      self?.wrote(outcome)
    }
  }

  private func wrote(_ outcome: (done: [Keeping], why: String?)) {
    isWriting = false
    let done = Array(letters.prefix(outcome.done.count))
    letters.removeFirst(done.count)
    if let why = outcome.why {
      timer?.set(at: loop.now.instant + retryDelay)
      for index in letters.indices where !letters[index].isDelayed {
        letters[index].isDelayed = true
        letters[index].then(.delayed(why))
      }
    }
    for (letter, keeping) in zip(done, outcome.done) { letter.then(keeping) }
    // Some came meanwhile.
    if outcome.why == nil { writeNext() }
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
    // Those that wait are wanted as well.
    writeNext()
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

  /// As far as it goes, in order; `why`: the next one could not be written.
  private static func append(_ lines: [[UInt8]], to path: String, limit: Int) -> (
    done: [Keeping], why: String?
  ) {
    var done: [Keeping] = []
    for line in lines {
      if line.count >= limit {
        done.append(.givenUp(tooLarge(line)))
        continue
      }
      if let why = append(line, to: path, limit: limit) { return (done, why) }
      done.append(.kept)
    }
    return (done, nil)
  }

  private static func tooLarge(_ line: [UInt8]) -> String {
    "a message of \(line.count) bytes is too large for it"
  }

  /// On the disk when it returns. Why it could not be done, in words; nil: it was.
  package static func append(_ line: [UInt8], to path: String, limit: Int) -> String? {
    guard line.count < limit else { return tooLarge(line) }
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
      let lines = newest(of: file, size, atMost: min(limit / 2, limit - line.count - 1)) + line
      return replace(path, with: lines) ?? syncFolder(of: path)
    }
    var bytes = line + [newline]
    // A power cut may have torn the last line: it must not take the next one with it.
    var last = newline
    if size > 0, pread(file, &last, 1, off_t(size - 1)) == 1, last != newline { bytes.insert(newline, at: 0) }
    guard write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else {
      let why = reason()
      // Half a line on a full disk is of no use, and a whole one would come twice.
      ftruncate(file, off_t(size))
      return why
    }
    return size == 0 ? syncFolder(of: path) : nil
  }

  /// A name is on the disk when its folder is. Why it is not, in words; nil: it is.
  static func syncFolder(of path: String) -> String? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let folder = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return reason() }
    defer { close(folder) }
    return fsync(folder) == 0 ? nil : reason()
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
