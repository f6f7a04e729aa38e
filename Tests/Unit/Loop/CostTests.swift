import Glibc
import Loop
import Testing
import Timebase

/// What the loop itself costs: figures for people, not limits.
@Suite(.serialized) struct CostTests {
  @Test func aTimerCycle() throws {
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
    print("measure: a timer cycle: \(Int(each * 1e9)) ns of processor time")
    #expect(left == 0)
  }

  @Test func aJobThereAndBack() throws {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "cost")
    var back = 0
    let before = processorTime()
    for number in 1...2000 {
      worker.perform({ 1 }, then: { back += $0 })
      while back < number { loop.runOnce(within: nil) }
    }
    let each = (processorTime() - before) / 2000
    print("measure: a job there and back: \(Int(each * 1e9)) ns of processor time")
    #expect(back == 2000)
    worker.finish()
  }

  /// Seconds of this thread.
  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
