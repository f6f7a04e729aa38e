import Loop
import Timebase

/// Reads a source at regular intervals: files and chips on the worker, a program in a process of its own. One reading
/// at a time; nothing waits for the answer.
final class RegularReading<Found: Sendable> {
  private let loop: EventLoop
  private let worker: Worker
  private let span: Span
  private let read: @Sendable () -> Found
  private let take: (Found) -> Void
  private var timer: Timer?
  private var program: ChildProgram?
  private var isReading = false
  private var isRare = false

  /// Begins at the loop's next wake-up. `read` runs on the worker, `take` on the loop.
  init(
    loop: EventLoop, worker: Worker, every span: Span, read: @escaping @Sendable () -> Found,
    take: @escaping (Found) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.span = span
    self.read = read
    self.take = take
    timer = loop.makeTimer { [unowned self] in look() }
    timer?.set(at: loop.now.instant)
  }

  deinit { close() }

  /// A program instead of `read`; `timeout`: how long it may take.
  func run(_ words: [String], timeout: Span, then: @escaping (ChildProgram.Outcome) -> Void) {
    program = ChildProgram(loop: loop, words: words, timeout: timeout) { event in
      if case .ended(let outcome) = event { then(outcome) }
    }
  }

  func close() {
    timer?.cancel()
    program?.close()
    program = nil
  }

  /// Nobody waits for the next reading, or somebody does again: then it comes at once.
  func pace(isRare: Bool) {
    guard isRare != self.isRare else { return }
    self.isRare = isRare
    if !isRare { timer?.set(at: loop.now.instant) }
  }

  /// Reads now.
  func look() {
    timer?.set(at: loop.now.instant + (isRare ? max(span, PowerSupply.rareSpan) : span))
    if let program { return program.start() }
    guard !isReading else { return }
    isReading = true
    worker.perform(read) { [weak self] found in
      self?.isReading = false
      self?.take(found)
    }
  }
}
