import Loop
import Testing
import Timebase

extension EventLoop {
  /// Turns until `isDone`, for a generous time at most.
  func turn(until isDone: () -> Bool) {
    let limit = SystemClock.read().instant + .seconds(60)
    while !isDone(), SystemClock.read().instant < limit { runOnce(within: .milliseconds(50)) }
    if !isDone() { Issue.record("it did not happen within 60 s") }
  }

  /// Turns for so long, whatever happens: for tests of what must not happen.
  func turn(for span: Span) {
    let limit = SystemClock.read().instant + span
    while case let left = limit - SystemClock.read().instant, left > .zero { runOnce(within: left) }
    // On a busy machine the time may be over before the first turn.
    runOnce(within: .zero)
  }
}
