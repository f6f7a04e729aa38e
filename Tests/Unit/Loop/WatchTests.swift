import Glibc
import Loop
import Testing
import Timebase

@Suite struct WatchTests {
  let loop: EventLoop
  let pipe: Pipe

  init() throws {
    loop = try EventLoop()
    pipe = Pipe()
  }

  @Test func aReadyDescriptorIsDelivered() {
    var ready: Interest = []
    let watch = loop.watch(pipe.reader, for: .read) { ready = $0 }
    pipe.put()
    loop.turn(until: { !ready.isEmpty })
    #expect(ready == .read)
    watch.cancel()
  }

  @Test func unreadDescriptorIsDeliveredAgain() {
    var count = 0
    let watch = loop.watch(pipe.reader, for: .read) { _ in count += 1 }
    pipe.put()
    loop.runOnce(within: .zero)
    loop.runOnce(within: .zero)
    #expect(count == 2)
    watch.cancel()
  }

  @Test func aHangUpIsDeliveredToTheReader() {
    var ready: Interest = []
    let watch = loop.watch(pipe.reader, for: .read) { ready = $0 }
    pipe.closeWriter()
    loop.turn(until: { !ready.isEmpty })
    #expect(ready == .read)
    watch.cancel()
  }

  @Test func aLostReaderIsDeliveredToTheWriter() {
    var ready: Interest = []
    pipe.fill()
    let watch = loop.watch(pipe.writer, for: .write) { ready = $0 }
    loop.runOnce(within: .zero)
    #expect(ready == [])
    pipe.closeReader()
    loop.turn(until: { !ready.isEmpty })
    #expect(ready == [.write, .failure])
    watch.cancel()
  }

  @Test func aPausedWatchHearsNotEvenAHangUp() {
    var count = 0
    let watch = loop.watch(pipe.reader, for: .read) { _ in count += 1 }
    watch.change(to: [])
    pipe.closeWriter()
    let before = loop.wakeUps
    loop.turn(for: .milliseconds(30))
    #expect(count == 0)
    #expect(loop.wakeUps - before <= 2)
    watch.change(to: .read)
    loop.runOnce(within: .seconds(1))
    #expect(count == 1)
    watch.cancel()
  }

  @Test func aWatchCancelledInTheSameWakeUpIsSilent() {
    let other = Pipe()
    var ran: [String] = []
    var watches: [Watch] = []
    // Whichever comes first cancels both.
    let handler = { (name: String) in
      ran.append(name)
      for watch in watches { watch.cancel() }
    }
    watches = [
      loop.watch(pipe.reader, for: .read) { _ in handler("a") },
      loop.watch(other.reader, for: .read) { _ in handler("b") },
    ]
    pipe.put()
    other.put()
    loop.turn(for: .milliseconds(20))
    #expect(ran.count == 1)
  }

  @Test func aNewWatchOnAReusedNumberGetsNoEventOfTheOldOne() {
    let pipe = Pipe(from: 500)
    let other = Pipe(from: 520)
    var old: [Watch] = []
    var new: Watch?
    var newRan = 0
    // The first handler closes the other descriptor and opens an idle one under its number.
    let swap = { [loop] (victim: Pipe) in
      for watch in old { watch.cancel() }
      let idle = Pipe()
      dup2(idle.reader, victim.reader)
      new = loop.watch(victim.reader, for: .read) { _ in newRan += 1 }
    }
    old = [
      loop.watch(pipe.reader, for: .read) { _ in swap(other) },
      loop.watch(other.reader, for: .read) { _ in swap(pipe) },
    ]
    pipe.put()
    other.put()
    loop.runOnce(within: .seconds(1))
    #expect(new != nil)
    #expect(newRan == 0)
    new?.cancel()
  }

  @Test func aDescriptorClosedBehindTheLoopDoesNotSpin() {
    let pipe = Pipe(from: 540)
    let watch = loop.watch(pipe.reader, for: .read) { _ in }
    // The duplicate keeps the open file, and with it the registration, alive.
    let duplicate = dup(pipe.reader)
    pipe.put()
    pipe.closeReader()
    let before = loop.wakeUps
    loop.turn(for: .milliseconds(50))
    // It is asked after every 32nd wake-up, and the set is made anew then.
    #expect(loop.wakeUps - before <= 40)
    watch.cancel()
    close(duplicate)
  }

  @Test func afterAGhostTheOthersAreStillHeard() {
    let ghost = Pipe(from: 560)
    let watches = [loop.watch(ghost.reader, for: .read) { _ in }]
    var heard = 0
    var ticked = 0
    let other = loop.watch(pipe.reader, for: .read) { _ in heard += 1 }
    let timer = loop.makeTimer { ticked += 1 }
    let duplicate = dup(ghost.reader)
    ghost.put()
    ghost.closeReader()
    for _ in 0..<40 { loop.runOnce(within: .zero) }
    timer.set(at: loop.now.instant + .milliseconds(5))
    // Only the alarm can end this wait.
    loop.runOnce(within: nil)
    #expect(ticked == 1)
    pipe.put()
    loop.turn(until: { heard > 0 })
    for watch in watches + [other] { watch.cancel() }
    close(duplicate)
  }

  @Test func cancellingAWatchOfAClosedDescriptorLeavesTheNumbersNewOwnerAlone() {
    let pipe = Pipe(from: 580)
    let old = loop.watch(pipe.reader, for: .read) { _ in }
    let other = Pipe()
    pipe.closeReader()
    let number = dup2(other.reader, old.descriptor)
    var heard = 0
    let new = loop.watch(number, for: .read) { _ in heard += 1 }
    old.cancel()
    other.put()
    loop.turn(until: { heard > 0 })
    #expect(heard == 1)
    new.cancel()
    close(number)
  }

  @Test func handlersComeBeforeTimersAndTheAfterHandlers() {
    var order: [String] = []
    let watch = loop.watch(pipe.reader, for: .read) { _ in order.append("handler") }
    let timer = loop.makeTimer { order.append("timer") }
    loop.afterHandlers = { order.append("after") }
    timer.set(at: loop.now.instant)
    pipe.put()
    loop.runOnce(within: .seconds(1))
    #expect(order == ["handler", "timer", "after"])
    watch.cancel()
  }

  @Test func runEndsAfterTheWakeUpThatStopsIt() {
    var after = 0
    let watch = loop.watch(pipe.reader, for: .read) { [loop] _ in loop.stop() }
    loop.afterHandlers = { after += 1 }
    pipe.put()
    loop.run()
    #expect(after == 1)
    watch.cancel()
  }

  @Test func aClosedPeerIsAnErrorAndNotTheEnd() {
    pipe.closeReader()
    let result = write(pipe.writer, "x", 1)
    #expect(result == -1 && errno == EPIPE)
  }
}

/// A pipe that closes itself.
final class Pipe {
  private(set) var reader: Int32
  private(set) var writer: Int32

  /// `lowest`: numbers from there on, for tests that play with numbers: those that run beside them
  /// are given the lowest free ones.
  init(from lowest: Int32 = 0) {
    var ends: [Int32] = [0, 0]
    precondition(Glibc.pipe(&ends) == 0)
    (reader, writer) = (fcntl(ends[0], F_DUPFD, lowest), fcntl(ends[1], F_DUPFD, lowest))
    close(ends[0])
    close(ends[1])
  }

  deinit {
    closeReader()
    closeWriter()
  }

  func put() { write(writer, "x", 1) }

  func fill() {
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    let block = [UInt8](repeating: 0, count: 4096)
    while write(writer, block, block.count) > 0 {}
  }

  func closeReader() {
    if reader >= 0 { close(reader) }
    reader = -1
  }

  func closeWriter() {
    if writer >= 0 { close(writer) }
    writer = -1
  }
}
