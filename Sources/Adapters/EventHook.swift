import Loop
import Timebase

/// Runs the owner's program for each event, one after the other: nothing waits for it, and one that hangs
/// is killed.
public final class EventHook {
  public struct Status: Hashable, Sendable {
    public var run = 0
    /// Ended with an error, or could not be started.
    public var failed = 0
    public var killed = 0
    /// Not run, because too many waited.
    public var dropped = 0
  }

  /// Events that wait while the program is busy; the oldest go first.
  static let queueLimit = 32

  public private(set) var status = Status()
  /// A line for the journal.
  public var complain: (String) -> Void = { _ in }

  private let path: String
  /// What is wrong with the program, said once until it is well again.
  private var told: String?
  private var waiting: [(word: String, payload: [UInt8])] = []
  private var program: ChildProgram?

  /// `path`: the program. It gets the event's word as its argument and the message as its input.
  public init(loop: EventLoop, path: String, patience: Span) {
    self.path = path
    program = ChildProgram(loop: loop, words: [path], patience: patience) { [unowned self] in ended($0) }
    program?.freed = { [unowned self] in next() }
  }

  public func close() { program?.close() }

  /// Says now, and not at the first event, that there is nothing to be run.
  public func check() {
    if let why = ChildProgram.obstacle(path) { tell(why) }
  }

  private func tell(_ why: String) {
    guard told != why else { return }
    told = why
    complain("onEvent: \(why)")
  }

  public func happened(_ word: String, _ payload: [UInt8]) {
    if waiting.count == Self.queueLimit {
      waiting.removeFirst()
      status.dropped += 1
    }
    waiting.append((word, payload))
    next()
  }

  private func next() {
    guard program?.isBusy == false, !waiting.isEmpty else { return }
    let event = waiting.removeFirst()
    status.run += 1
    program?.start([path, event.word], input: event.payload)
  }

  private func ended(_ outcome: ChildProgram.Outcome) {
    switch outcome {
    case .said: told = nil
    case .failed(let why):
      status.failed += 1
      tell(why)
    case .hung(let why):
      status.killed += 1
      tell(why)
    }
    next()
  }
}
