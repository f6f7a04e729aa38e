import Host
import Loop
import Timebase

/// Lets go of memory that was wanted once: by the start and the first positions, or by a long answer, whose free memory
/// the heap would keep for good. A burst costs one wake-up, half a minute after it began; without any there is none.
final class MemoryTrim {
  /// After a start its first positions are through, and a client that pages through the history asks again within it.
  static let rest = Span.seconds(30)

  private let loop: EventLoop
  private let timer: Loop.Timer

  /// `letGo`: what is done when it is time.
  init(loop: EventLoop, letGo: @escaping () -> Void = ProgramMemory.letGoOfStart) {
    self.loop = loop
    timer = loop.makeTimer(letGo)
  }

  /// When that will be; nil: nothing has grown since.
  var due: Instant? { timer.deadline }

  /// Something was done that is not done each second. An open page, which asks each second, costs a wake-up each half
  /// minute.
  func grew() {
    guard timer.deadline == nil else { return }
    timer.set(at: loop.now.instant + Self.rest)
  }
}
