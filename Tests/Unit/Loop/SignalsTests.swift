import Glibc
import Loop
import Testing
import Timebase

@Suite(.serialized) struct SignalsTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func aSignalArrivesInTheLoop() throws {
    var heard: [Int32] = []
    let signals = Signals(loop: loop, try BlockedSignals([SIGUSR1, SIGHUP])) { heard.append($0) }
    // To this thread: the others of the test runner have not blocked it.
    pthread_kill(pthread_self(), SIGUSR1)
    loop.turn(until: { !heard.isEmpty })
    #expect(heard == [SIGUSR1])
    signals.cancel()
  }

  @Test func aCaughtSignalEndsTheSleepAndNotTheLoop() throws {
    // A handler of the C library's kind, so that epoll_wait is interrupted.
    signal(SIGUSR2) { _ in }
    let thread = pthread_self()
    let worker = try Worker(loop: loop, name: "interrupter")
    worker.perform(
      {
        usleep(20_000)
        pthread_kill(thread, SIGUSR2)
      }, then: { _ in })
    loop.runOnce(within: nil)
    loop.turn(until: { worker.pending == 0 })
    #expect(worker.pending == 0)
    worker.finish()
  }

  @Test func workersDoNotTakeSignals() throws {
    let worker = try Worker(loop: loop, name: "test")
    var isBlocked = false
    worker.perform(
      {
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        return sigismember(&set, SIGTERM) == 1
      }, then: { isBlocked = $0 })
    loop.turn(until: { worker.pending == 0 })
    #expect(isBlocked)
  }
}
