import CLinux
import Glibc

/// Signals as ordinary events of the loop. Make it before any thread, so that none inherits them.
public final class Signals {
  private let descriptor: Int32
  private var watch: Watch?

  /// Blocks `numbers` for the whole program and has `handler` told of each on the loop's thread.
  public init(
    loop: EventLoop, _ numbers: [Int32], _ handler: @escaping (Int32) -> Void
  ) throws(LoopError) {
    descriptor = clinux_signal_descriptor(numbers, numbers.count)
    guard descriptor >= 0 else { throw LoopError("listen for signals") }
    watch = loop.watch(descriptor, for: .read) { [descriptor] _ in
      while case let number = clinux_next_signal(descriptor), number != 0 { handler(number) }
    }
  }

  /// The signals stay blocked.
  public func cancel() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    close(descriptor)
  }
}
