import CMicroHTTPD

/// The bytes of an answer that goes on: they are taken as fast as the visitor takes them.
///
/// The library asks for bytes over and over. Where there are none the connection is suspended, which is the only way
/// to keep it from spinning, until there are some or the answer has ended.
final class Outflow {
  private let connection: OpaquePointer
  /// Everything was taken: more may be pushed.
  private let drained: () -> Void
  /// The connection is over, no matter which side ended it; told once.
  private let gone: () -> Void
  private var bytes: [UInt8] = []
  private var taken = 0
  private var isSuspended = false
  private var isEnded = false
  private var isBroken = false
  private var isGone = false

  init(_ connection: OpaquePointer, drained: @escaping () -> Void, gone: @escaping () -> Void) {
    self.connection = connection
    self.drained = drained
    self.gone = gone
  }

  /// Bytes that were not taken yet.
  var backlog: Int { bytes.count - taken }

  func push(_ more: [UInt8]) {
    guard !isEnded, !isGone else { return }
    if taken > 0 { bytes.removeFirst(taken) }
    taken = 0
    bytes += more
    resume()
  }

  /// After what was pushed.
  func end() {
    guard !isEnded, !isGone else { return }
    isEnded = true
    resume()
  }

  /// After what was pushed, in a way that the visitor does not take for the end of all there is.
  func fail() {
    isBroken = true
    end()
  }

  private func resume() {
    guard isSuspended else { return }
    isSuspended = false
    MHD_resume_connection(connection)
  }

  /// Nothing is told any more once the library has let go of it.
  fileprivate func release() {
    guard !isGone else { return }
    isGone = true
    gone()
  }

  fileprivate func take(_ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
    if backlog == 0, !isEnded { drained() }
    let count = min(room, backlog)
    guard count > 0 else {
      // The end of an answer whose length was not known (-1), or of one that lacks the rest (-2).
      if isEnded { return isBroken ? -2 : -1 }
      if !isSuspended {
        isSuspended = true
        MHD_suspend_connection(connection)
      }
      return 0
    }
    bytes.withUnsafeBytes { source in
      UnsafeMutableRawPointer(buffer).copyMemory(from: source.baseAddress! + taken, byteCount: count)
    }
    taken += count
    if backlog == 0 { (bytes, taken) = ([], 0) }
    return count
  }

  /// Nil: the library has no memory for it.
  func response() -> OpaquePointer? {
    let kept = Unmanaged.passRetained(self)
    let response = homeward_http_stream(
      4096,
      { context, _, buffer, room in
        guard let context, let buffer else { return -1 }
        return Unmanaged<Outflow>.fromOpaque(context).takeUnretainedValue().take(buffer, room)
      }, kept.toOpaque(),
      { context in
        guard let context else { return }
        let outflow = Unmanaged<Outflow>.fromOpaque(context).takeRetainedValue()
        outflow.release()
      })
    if response == nil { kept.release() }
    return response
  }
}
