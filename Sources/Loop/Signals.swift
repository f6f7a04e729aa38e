import CLinux
import Glibc

/// Signals that nothing is hit by any more: they wait for whatever reads them. Make it before any thread, so that none
/// inherits them.
public struct BlockedSignals {
  fileprivate let descriptor: Int32

  /// Blocks `numbers` for the whole program.
  public init(_ numbers: [Int32]) throws(LoopError) {
    descriptor = clinux_signal_descriptor(numbers, numbers.count)
    guard descriptor >= 0 else { throw LoopError("listen for signals") }
  }
}

/// Signals as ordinary events of the loop.
public final class Signals {
  private let descriptor: Int32
  private var watch: Watch?

  /// Has `post` told of each, those that came before included, on the loop's thread.
  public init(loop: EventLoop, _ blocked: BlockedSignals, post: @escaping (Int32) -> Void) {
    descriptor = blocked.descriptor
    watch = loop.watch(descriptor, for: .read) { [descriptor] _ in
      while case let number = clinux_next_signal(descriptor), number != 0 { post(number) }
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
