import CLinux
import Glibc

/// State shared by the loop's thread and a worker's thread: the jobs that wait, how many are done, and the
/// eventfd that signals the loop. Everything in it is touched under `lock` only.
final class JobQueue: @unchecked Sendable {
  /// Readable while there are results to be collected.
  let doorbell: Int32

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let wake = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting: [Worker.Lane: [@Sendable () -> Void]] = [:]
  private var done: [Worker.Lane: Int] = [:]
  private var isClosed = false

  init() throws(LoopError) {
    doorbell = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    pthread_mutex_init(lock, nil)
    pthread_cond_init(wake, nil)
    guard doorbell >= 0 else { throw LoopError("make an event descriptor") }
  }

  deinit {
    if doorbell >= 0 { Glibc.close(doorbell) }
    pthread_cond_destroy(wake)
    pthread_mutex_destroy(lock)
    wake.deallocate()
    lock.deallocate()
  }

  // The loop's side

  func push(in lane: Worker.Lane, _ job: @escaping @Sendable () -> Void) {
    locked { waiting[lane, default: []].append(job) }
    pthread_cond_signal(wake)
  }

  /// How many jobs were done since the last call.
  func takeDone() -> [Worker.Lane: Int] {
    var count: UInt64 = 0
    read(doorbell, &count, 8)
    return locked {
      defer { done = [:] }
      return done
    }
  }

  func waitForBell() {
    var entry = pollfd(fd: doorbell, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, -1)
  }

  /// The thread ends; jobs that still wait are dropped.
  func close() {
    locked { isClosed = true }
    pthread_cond_signal(wake)
  }

  // The worker's side

  func run() {
    while let lane = runOne() { announce(lane) }
  }

  /// Nil: closed. The job is let go of as soon as it has run.
  private func runOne() -> Worker.Lane? {
    guard let (lane, job) = takeNext() else { return nil }
    job()
    return lane
  }

  /// Sleeps until there is something; nil: closed.
  private func takeNext() -> (Worker.Lane, @Sendable () -> Void)? {
    locked {
      while !isClosed {
        for lane in Worker.Lane.allCases {
          if let first = waiting[lane]?.first {
            waiting[lane]?.removeFirst()
            return (lane, first)
          }
        }
        pthread_cond_wait(wake, lock)
      }
      return nil
    }
  }

  private func announce(_ lane: Worker.Lane) {
    locked { done[lane, default: 0] += 1 }
    var one: UInt64 = 1
    write(doorbell, &one, 8)
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }
}
