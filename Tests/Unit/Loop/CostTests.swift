import Glibc
import Loop
import Testing
import Timebase

/// What the loop itself costs; the figures are printed, the limits are far from what is usual.
@Suite(.serialized) struct CostTests {
  @Test func anIdleLoopDoesNotWake() throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "idle")
    let far = loop.makeTimer {}
    far.set(at: loop.now.instant + .seconds(3600))
    let pipe = Pipe()
    let watch = loop.watch(pipe.reader, for: .read) { _ in }
    let before = loop.wakeUps
    let start = SystemClock.read().instant
    loop.runOnce(within: .seconds(2))
    // One: the limit of this very wait.
    #expect(loop.wakeUps - before == 1)
    #expect(SystemClock.read().instant - start >= .seconds(2))
    watch.cancel()
    far.cancel()
    worker.finish()
  }

  @Test(.enabled(if: getenv("HOMEWARD_SANITIZED") == nil, "a sanitizer costs more than what is measured"))
  func aTimerCycleIsCheap() throws {
    let loop = try EventLoop()
    var left = 10_000
    var timer: Timer?
    timer = loop.makeTimer { [loop] in
      left -= 1
      if left > 0 { timer?.set(at: loop.now.instant) } else { loop.stop() }
    }
    timer?.set(at: loop.now.instant)
    let before = processorTime()
    loop.run()
    let each = (processorTime() - before) / 10_000
    print("a timer cycle: \(Int(each * 1e9)) ns of processor time")
    #expect(each < 0.000_2)
  }

  @Test(.enabled(if: getenv("HOMEWARD_SANITIZED") == nil, "a sanitizer costs more than what is measured"))
  func aJobThereAndBackIsCheap() throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "cost")
    let before = processorTime()
    for _ in 0..<2000 {
      var isBack = false
      worker.perform({ 1 }, then: { _ in isBack = true })
      while !isBack { loop.runOnce(within: nil) }
    }
    let each = (processorTime() - before) / 2000
    print("a job there and back: \(Int(each * 1e9)) ns of processor time")
    #expect(each < 0.001)
    worker.finish()
  }

  /// Seconds of this thread.
  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
