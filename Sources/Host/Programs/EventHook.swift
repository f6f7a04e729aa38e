import Loop
import Timebase

/// Runs the owner's program for each event: nothing waits for it, and one that hangs is killed.
///
/// Events of this board have a lane of their own; notices, which others cause, run beside it, rarely, and can neither
/// delay nor displace them.
public final class EventHook {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// For the journal, once until the program is well again.
    case warning(String)
  }

  /// Counters since the start, for `homeward status`.
  public struct Status: Hashable, Sendable {
    /// Starts of the program, for events and notices.
    public var run = 0
    /// Ended with an error, or could not be started.
    public var failed = 0
    /// It took longer than its time.
    public var killed = 0
    /// Not run, because too many waited.
    public var dropped = 0
  }

  /// Events of this board that wait while the program is busy: a day of them. Beyond that, messages that are not events
  /// are dropped first, then the oldest.
  static let queueLimit = 256
  /// Notices that wait, and how far apart they are run.
  static let noticeLimit = 8
  static let noticeGap = Span.seconds(1)
  /// Bytes; a longer notice is not worth a program's start.
  static let longestNotice = 8 << 10

  /// Goes on counting over all its runs.
  public private(set) var status = Status()

  private let loop: EventLoop
  private let path: String
  private let post: (Event) -> Void
  /// The fault of the program, reported once until it is well again.
  private var reported: String?
  private var waiting: [(word: String, payload: [UInt8], isEvent: Bool)] = []
  private var program: ChildProgram?
  private var notices: [[UInt8]] = []
  private var noticeProgram: ChildProgram?
  private var noticeTimer: Timer?

  /// `path`: the program. It gets the event's name as its argument and the message as its input.
  public init(loop: EventLoop, path: String, timeout: Span, post: @escaping (Event) -> Void) {
    self.loop = loop
    self.path = path
    self.post = post
    program = ChildProgram(loop: loop, words: [path], timeout: timeout) { [unowned self] event in
      switch event {
      case .ended(let outcome): ended(outcome)
      case .freed: next()
      }
    }
    noticeProgram = ChildProgram(loop: loop, words: [path], timeout: timeout) { [unowned self] event in
      if case .ended(let outcome) = event { ended(outcome) }
    }
    noticeTimer = loop.makeTimer { [unowned self] in nextNotice() }
  }

  /// Ends running programs; waiting events and notices are not run any more.
  public func close() {
    noticeTimer?.cancel()
    program?.close()
    noticeProgram?.close()
  }

  /// Reports now, not at the first event, that the program cannot be run.
  public func check() {
    if let why = ChildProgram.blockedReason(path) { report(why) }
  }

  private func report(_ why: String) {
    guard reported != why else { return }
    reported = why
    post(.warning("onEvent: \(why)"))
  }

  /// An event of this board, or another of its messages (`isEvent` false), which displaces no event.
  public func happened(_ word: String, _ payload: [UInt8], isEvent: Bool = true) {
    if waiting.count == Self.queueLimit {
      status.dropped += 1
      let everyday = waiting.firstIndex { !$0.isEvent }
      guard isEvent || everyday != nil else { return }
      waiting.remove(at: everyday ?? 0)
    }
    waiting.append((word, payload, isEvent))
    next()
  }

  /// Another tracker's message: somebody came or went.
  public func noticed(_ payload: [UInt8]) {
    guard notices.count < Self.noticeLimit, payload.count <= Self.longestNotice else {
      status.dropped += 1
      return
    }
    notices.append(payload)
    if noticeTimer?.deadline == nil { nextNotice() }
  }

  private func next() {
    guard program?.isBusy == false, !waiting.isEmpty else { return }
    let event = waiting.removeFirst()
    status.run += 1
    program?.start([path, event.word], input: event.payload)
  }

  private func nextNotice() {
    guard !notices.isEmpty else { return }
    noticeTimer?.set(at: loop.now.instant + Self.noticeGap)
    guard noticeProgram?.isBusy == false else { return }
    status.run += 1
    noticeProgram?.start([path, "notice"], input: notices.removeFirst())
  }

  private func ended(_ outcome: ChildProgram.Outcome) {
    switch outcome {
    case .said: reported = nil
    case .failed(let why):
      status.failed += 1
      report(why)
    case .hung(let why):
      status.killed += 1
      report(why)
    }
    next()
  }
}
