import CLinux

/// One watched descriptor. The loop holds it until `cancel`; cancel before closing the descriptor.
public final class Watch {
  /// Owned by the creator of the watch: it is not closed here.
  public let descriptor: Int32
  /// The events that the loop looks for now; empty while it is paused.
  public private(set) var interest: Interest

  /// Never reused, so that an event of a cancelled watch finds no owner even when its descriptor's
  /// number is in use again.
  let number: UInt64
  let handler: (Interest) -> Void
  private let loop: EventLoop
  private var isCancelled = false

  init(
    _ descriptor: Int32, _ interest: Interest, number: UInt64, loop: EventLoop,
    handler: @escaping (Interest) -> Void
  ) {
    self.descriptor = descriptor
    self.interest = interest
    self.number = number
    self.loop = loop
    self.handler = handler
  }

  /// Nothing (`[]`) pauses the watch: not even a hang-up is delivered then.
  public func change(to interest: Interest) {
    guard !isCancelled, interest != self.interest else { return }
    let before = self.interest
    self.interest = interest
    loop.poller.change(self, from: before)
  }

  /// No handler runs after this, not even for what this wake-up has already found. Twice is harmless.
  public func cancel() {
    isCancelled = true
    loop.poller.remove(self)
  }
}
