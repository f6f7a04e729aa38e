import Testing
import Timebase

@testable import Loop

@Suite struct TimerTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func aTimerRunsAtItsDeadlineAndNotBefore() {
    let deadline = loop.now.instant + .milliseconds(20)
    var ranAt: Instant?
    let timer = loop.makeTimer { [loop] in ranAt = loop.now.instant }
    timer.set(at: deadline)
    loop.turn(until: { ranAt != nil })
    #expect(ranAt.map { $0 >= deadline } == true)
  }

  /// One is the limit of a wait, the other a timerfd; which one it is changes while it runs.
  @Test func farAndNearTimersWakeByThemselves() {
    var order: [String] = []
    let near = loop.makeTimer { order.append("near") }
    let far = loop.makeTimer { order.append("far") }
    far.set(at: loop.now.instant + TimerQueue.soon + .milliseconds(60))
    loop.runOnce(within: .zero)
    near.set(at: loop.now.instant + .milliseconds(80))
    loop.runOnce(within: nil)
    #expect(order == ["near"])
    while order.count < 2 { loop.runOnce(within: nil) }
    #expect(order == ["near", "far"])
  }

  /// Switched off and on and moved in any order: each of the others stays what it was.
  @Test func manyTimersKeepOutOfEachOthersWay() {
    let start = loop.now.instant
    var ran: [Int] = []
    let timers = (0..<8).map { number in loop.makeTimer { ran.append(number) } }
    for (number, timer) in timers.enumerated() { timer.set(at: start + .seconds(Double(100 + number))) }
    timers[2].cancel()
    timers[7].set(at: start + .milliseconds(1))
    timers[0].cancel()
    timers[6].set(at: start + .milliseconds(2))
    timers[7].cancel()
    timers[2].set(at: start + .milliseconds(3))
    timers[4].set(at: start + .milliseconds(4))
    loop.turn(for: .milliseconds(60))
    #expect(ran == [6, 2, 4])
    #expect(timers.map { $0.deadline != nil } == [false, true, false, true, false, true, false, false])
    for timer in timers { timer.cancel() }
    loop.turn(for: .milliseconds(10))
    #expect(ran == [6, 2, 4])
  }

  @Test func aTimerRunsOnce() {
    var count = 0
    let timer = loop.makeTimer { count += 1 }
    timer.set(at: loop.now.instant)
    loop.turn(for: .milliseconds(30))
    #expect(count == 1)
    #expect(timer.deadline == nil)
  }

  @Test func aDeadlineBeforeTheBootIsAtOnce() {
    var count = 0
    let timer = loop.makeTimer { count += 1 }
    timer.set(at: Instant(nanoseconds: -5))
    loop.turn(until: { count > 0 })
    #expect(count == 1)
  }

  @Test func theEarliestRunsFirst() {
    var order: [Int] = []
    let late = loop.makeTimer { order.append(2) }
    let early = loop.makeTimer { order.append(1) }
    late.set(at: loop.now.instant - .milliseconds(1))
    early.set(at: loop.now.instant - .milliseconds(2))
    loop.runOnce(within: .seconds(1))
    #expect(order == [1, 2])
  }

  @Test func anEarlierDeadlineReplacesTheLater() {
    var count = 0
    let timer = loop.makeTimer { count += 1 }
    timer.set(at: loop.now.instant + .seconds(60))
    loop.runOnce(within: .zero)
    timer.set(at: loop.now.instant + .milliseconds(5))
    loop.turn(until: { count > 0 })
    #expect(count == 1)
  }

  @Test func aTimerThatIsOffDoesNotRun() {
    var count = 0
    let timer = loop.makeTimer { count += 1 }
    timer.set(at: loop.now.instant + .milliseconds(5))
    loop.runOnce(within: .zero)
    timer.cancel()
    loop.turn(for: .milliseconds(30))
    #expect(count == 0)
  }

  @Test func aTimerTurnedOffByAnotherOfTheSameWakeUpDoesNotRun() {
    var count = 0
    let second = loop.makeTimer { count += 1 }
    let first = loop.makeTimer { second.cancel() }
    second.set(at: loop.now.instant)
    first.set(at: loop.now.instant - .milliseconds(1))
    loop.turn(for: .milliseconds(10))
    #expect(count == 0)
  }

  @Test func aTimerPutOffByAnotherOfTheSameWakeUpRunsLater() {
    var ranAt: Instant?
    let start = loop.now.instant
    let second = loop.makeTimer { [loop] in ranAt = loop.now.instant }
    let first = loop.makeTimer { second.set(at: start + .milliseconds(30)) }
    second.set(at: start)
    first.set(at: start - .milliseconds(1))
    loop.turn(until: { ranAt != nil })
    #expect(ranAt.map { $0 >= start + .milliseconds(30) } == true)
  }

  @Test func aTimerThatSetsItselfToThePastLeavesOthersTheirTurn() {
    var count = 0
    var timer: Timer?
    timer = loop.makeTimer { [loop] in
      count += 1
      timer?.set(at: loop.now.instant - .seconds(1))
    }
    timer?.set(at: loop.now.instant)
    loop.runOnce(within: .seconds(1))
    #expect(count == 1)
    timer?.cancel()
  }

  @Test func aTimerThatRanOutDoesNotWakeTheLoopAgain() {
    let timer = loop.makeTimer {}
    timer.set(at: loop.now.instant)
    loop.runOnce(within: .seconds(1))
    let before = loop.wakeUps
    // Ends by its own limit: one wake-up, not hundreds.
    loop.turn(for: .milliseconds(50))
    #expect(loop.wakeUps - before <= 2)
  }

  @Test func anIdleLoopDoesNotWake() throws {
    let worker = try Worker(loop: loop, name: "idle")
    let far = loop.makeTimer {}
    far.set(at: loop.now.instant + .seconds(3600))
    let pipe = Pipe()
    let watch = loop.watch(pipe.reader, for: .read) { _ in }
    let before = loop.wakeUps
    let start = SystemClock.read().instant
    loop.runOnce(within: .milliseconds(500))
    // One: the limit of this very wait.
    #expect(loop.wakeUps - before == 1)
    #expect(SystemClock.read().instant - start >= .milliseconds(500))
    watch.cancel()
    far.cancel()
    worker.finish()
  }

  @Test func afterHandlersRunsAfterTheTimers() {
    var order: [String] = []
    loop.afterHandlers = { order.append("after") }
    let timer = loop.makeTimer { order.append("timer") }
    timer.set(at: loop.now.instant)
    loop.runOnce(within: .seconds(1))
    #expect(order == ["timer", "after"])
  }
}
