import CLinux
import Glibc
import Timebase

/// One thread for what may block: name servers, TLS, fsync. It is handed values, runs the jobs one
/// after the other, and wakes the loop when one is done; it touches nothing else.
///
/// There are two lanes, each in the order its jobs came. A job of the second lane begins only when none waits in
/// the first: so jobs that others cause wait for our own, and delay them by one job at most.
///
/// How many jobs may wait is for the caller to limit: it knows what one of them holds.
public final class Worker {
  /// Bytes. Measured with a painted stack: SQLite with VACUUM, a TLS 1.3 handshake with a 4096-bit RSA key
  /// and getaddrinfo each use 16 KiB or less; an eightfold reserve is for name service plug-ins.
  private static let stackSize = 128 * 1024

  private let queue: JobQueue
  private var thread: UInt = 0
  private var watch: Watch?
  /// Handlers of the results, by lane, in the order of the jobs.
  private var continuations: [Lane: [() -> Void]] = [.own: [], .others: []]

  /// Which jobs go first.
  public enum Lane: Hashable, Sendable, CaseIterable {
    /// Our own jobs; in order.
    case own
    /// Jobs that others cause: done while none of ours waits, in order.
    case others
  }

  /// `name`: at most 15 bytes, as `top` shows it.
  public init(loop: EventLoop, name: String) throws(LoopError) {
    queue = try JobQueue()
    let retained = Unmanaged.passRetained(queue)
    let failure = clinux_start_thread(&thread, name, Self.stackSize, runJobs, retained.toOpaque())
    guard failure == 0 else {
      retained.release()
      throw LoopError("start the thread \(name)", code: failure)
    }
    watch = loop.watch(queue.doorbell, for: .read) { [unowned self] _ in deliver() }
  }

  deinit { end() }

  /// Jobs that were given and whose result has not been handed back yet.
  public var pending: Int { continuations.values.reduce(0) { $0 + $1.count } }

  /// `job` runs on the worker's thread, `then` with its result on the loop's, in a later wake-up.
  public func perform<Result: Sendable>(
    in lane: Lane = .own, _ job: @escaping @Sendable () -> Result, then: @escaping (Result) -> Void
  ) {
    releaseAssert(watch != nil, "a worker that has finished was given a job")
    let slot = Slot<Result>()
    continuations[lane, default: []].append {
      // Set before the queue counted the job as done.
      if let result = slot.result { then(result) }
    }
    queue.push(in: lane) { slot.result = job() }
  }

  /// Blocks until every job is done, those included that a `then` adds meanwhile; all `then`s run.
  /// The thread has ended afterwards.
  public func finish() {
    while pending > 0 {
      queue.waitForBell()
      deliver()
    }
    end()
  }

  private func deliver() {
    let done = queue.takeDone()
    for lane in Lane.allCases {
      let count = done[lane] ?? 0
      guard count > 0, let waiting = continuations[lane] else { continue }
      continuations[lane]?.removeFirst(count)
      for continuation in waiting.prefix(count) { continuation() }
    }
  }

  private func end() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    queue.close()
    clinux_join_thread(thread)
  }
}

/// Where a job leaves its result. Only one thread has it at a time: the queue hands it over.
private final class Slot<Result>: @unchecked Sendable {
  var result: Result?
}

private func runJobs(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let raw else { return nil }
  Unmanaged<JobQueue>.fromOpaque(raw).takeRetainedValue().run()
  return nil
}
