import Glibc
import Loop
import TestSupport
import Testing
import Timebase

@testable import Host

// behaviour: The owner's program
/// The owner's program, run for what happened here whatever others send.
struct EventHookTests {
  private let directory = Scratch()
  private let loop: EventLoop
  private let hook: EventHook
  private var log: String { directory.path + "/log" }

  init() throws {
    loop = try EventLoop()
    let program = directory.path + "/program"
    writeFile(Array("#!/bin/sh\necho \"$1\" >> \(directory.path)/log\ncat > /dev/null\n".utf8), to: program)
    chmod(program, 0o700)
    hook = EventHook(loop: loop, path: program, timeout: .seconds(generous)) { _ in }
  }

  private var words: [Substring] { String(decoding: readFile(log), as: UTF8.self).split(separator: "\n") }

  private func runs(until isSo: () -> Bool) -> Bool {
    let deadline = SystemClock.read().instant + .seconds(generous)
    while !isSo() {
      guard SystemClock.read().instant < deadline else { return false }
      loop.runOnce(within: .milliseconds(10))
    }
    return true
  }

  @Test func othersDisplaceNothingOfOurs() {
    for number in 0..<100 {
      if number % 10 == 0 { hook.happened("transition", [1]) }
      for _ in 0..<100 { hook.noticed([2]) }
    }
    #expect(runs { words.count { $0 == "transition" } == 10 })
    #expect(words.count { $0 == "notice" } <= 20)
    #expect(hook.status.dropped >= 9_900)
    hook.close()
  }

  @Test func nonEventsDoNotDisplaceQueuedEvents() {
    for _ in 0...EventHook.queueLimit { hook.happened("trip", [1]) }
    for _ in 0..<50 { hook.happened("location", [1], isEvent: false) }
    #expect(hook.status.dropped == 50)
    #expect(runs { words.count >= 3 } && words.allSatisfy { $0 == "trip" })
    hook.happened("location", [1], isEvent: false)
    while hook.status.dropped == 50 { hook.happened("alarm", [1]) }
    // It was the location that went, though it came last.
    hook.happened("alarm", [1])
    #expect(hook.status.dropped == 52)
    hook.close()
  }

  @Test func noticesAreRunOneASecondAtMost() {
    for _ in 0..<5 { hook.noticed([2]) }
    let start = SystemClock.read().instant
    #expect(runs { words.count == 4 })
    #expect((SystemClock.read().instant - start).seconds > 2.5)
    hook.close()
  }

  @Test func aLongNoticeIsNotWorthAStart() {
    hook.noticed([UInt8](repeating: 1, count: 9000))
    #expect(hook.status.dropped == 1 && hook.status.run == 0)
    hook.close()
  }
}
