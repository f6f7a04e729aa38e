import CMicroHTTPD
import Glibc
import Loop
import Timebase

/// One open page, and the server-sent events for it.
final class EventStream {
  private let loop: EventLoop
  private let socket: Int32
  private var watch: Watch?
  let isKnown: () -> Bool
  /// It has all of the status, and gets what changes.
  var isComplete = false
  private(set) var outflow: Outflow?
  /// Nil: it is sent as it is.
  private let packing: Packing?
  private var isBehindSince: Instant?
  private var lastPush: Instant

  /// `isKnown`: whether who has opened it still is. `gone` is called once, no matter which side ends it.
  init(
    _ exchange: Exchange, loop: EventLoop, isKnown: @escaping () -> Bool,
    gone: @escaping (EventStream) -> Void
  ) {
    (self.loop, self.isKnown) = (loop, isKnown)
    lastPush = loop.now.instant
    socket = homeward_http_socket(exchange.connection)
    packing = Packing(for: exchange.header("Accept-Encoding"))
    let outflow = Outflow(
      exchange.connection, drained: {},
      gone: { [unowned self] in
        watch?.cancel()
        gone(self)
      })
    self.outflow = outflow
    watch = loop.watch(socket, for: .read) { [unowned self] _ in somethingCame() }
  }

  /// While nothing is sent the library does not look at the connection. A page says nothing more: it is the end of it.
  private func somethingCame() {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    drop()
  }

  func send(event: String, _ data: [UInt8]) {
    push(Array("event: \(event)\ndata: ".utf8) + data + Array("\n\n".utf8))
  }

  /// Of the answer.
  var headers: [(String, String)] {
    [("Cache-Control", "no-store")] + (packing == nil ? [] : [("Content-Encoding", "gzip")])
  }

  /// A sign of life, where there was none for a while.
  func comment() {
    guard loop.now.instant - lastPush >= Limits.comment else { return }
    push(Array(":\n\n".utf8))
  }

  private func push(_ bytes: [UInt8]) {
    guard let outflow else { return }
    lastPush = loop.now.instant
    if outflow.backlog == 0 {
      isBehindSince = nil
    } else if isBehindSince == nil {
      isBehindSince = loop.now.instant
    }
    let isLate = isBehindSince.map { loop.now.instant - $0 >= Limits.streamPatience } ?? false
    // The limit is for the backlog before these bytes: the status itself may be longer.
    guard !isLate, outflow.backlog <= Limits.streamBacklog else { return drop() }
    guard let packing else { return outflow.push(bytes) }
    let packed = packing.pack(bytes)
    if packed.isEmpty { drop() } else { outflow.push(packed) }
  }

  /// A page that is still open reconnects.
  func drop() {
    watch?.cancel()
    shutdown(socket, Int32(SHUT_RDWR))
    outflow?.end()
    outflow = nil
  }
}
