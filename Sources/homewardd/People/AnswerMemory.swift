import Host
import Loop
import Timebase

/// Gives back what answering people has grown: a long answer leaves free memory behind that the heap would keep for
/// good. A burst of questions costs one wake-up, half a minute after its first; without questions there is none.
final class AnswerMemory {
  /// After a question. Somebody who pages through the history asks again within it.
  static let rest = Span.seconds(30)

  private let loop: EventLoop
  private let timer: Loop.Timer

  /// `giveBack`: what is done when it is time.
  init(loop: EventLoop, giveBack: @escaping () -> Void = ProgramMemory.giveBack) {
    self.loop = loop
    timer = loop.makeTimer(giveBack)
  }

  /// When that will be; nil: nobody has asked since.
  var due: Instant? { timer.deadline }

  /// Somebody has asked something. Who goes on asking, as an open page does once a second, costs a wake-up each half
  /// minute.
  func asked() {
    guard timer.deadline == nil else { return }
    timer.set(at: loop.now.instant + Self.rest)
  }
}
