import CMicroHTTPD
import Glibc
import Loop
import Timebase

/// HTTP on one listening socket, in the loop's thread: the library has an epoll set of its own, which is a descriptor
/// like any other to ours.
final class HTTPServer {
  private let loop: EventLoop
  /// Answers by `respond`, at once or later; `wait` is called for it where it is later.
  private let handle: (Exchange) -> Void
  /// A request was answered.
  private let served: () -> Void
  /// Of every answer.
  private let headers: [(String, String)]
  private let kept = UnsafeMutablePointer<homeward_http_calls>.allocate(capacity: 1)
  private var server: OpaquePointer?
  private var watch: Watch?
  private var timer: Timer?
  private var sweep: Timer?
  private var visitors = Visitors()
  private let isBehindProxy: Bool

  /// `isBehindProxy`: what comes from this board itself comes from many.
  init(
    loop: EventLoop, listener: Int32, headers: [(String, String)], isBehindProxy: Bool,
    handle: @escaping (Exchange) -> Void, served: @escaping () -> Void
  ) throws(LoopError) {
    self.loop = loop
    self.isBehindProxy = isBehindProxy
    self.headers = headers
    self.handle = handle
    self.served = served
    var calls = homeward_http_calls()
    calls.context = Unmanaged.passUnretained(self).toOpaque()
    calls.request = Self.requested
    calls.completed = Self.completed
    calls.connection = Self.connected
    kept.initialize(to: calls)
    server = homeward_http_start(
      listener, Limits.connections, Limits.connectionMemory, Limits.silence, kept)
    guard let server, case let descriptor = homeward_http_descriptor(server), descriptor >= 0 else {
      throw LoopError("serve the page")
    }
    watch = loop.watch(descriptor, for: .read) { _ in }
    timer = loop.makeTimer {}
    sweep = loop.makeTimer { [unowned self] in visitors.dismissSlow(at: loop.now.instant) }
  }

  /// At the end of every wake-up: whatever has happened may have something to say to somebody.
  func run() {
    guard let server else { return }
    let milliseconds = homeward_http_run(server)
    timer?.set(at: milliseconds < 0 ? nil : loop.now.instant + .milliseconds(Int(milliseconds)))
    sweep?.set(at: visitors.deadline)
  }

  /// An answer is under way, however long it takes.
  var isServing: Bool { visitors.isServing }

  // MARK: What the library calls

  private static let connected:
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, Bool, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Void = { context, connection, isNew, place in
      guard let context, let connection, let place else { return }
      let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
      if isNew {
        let visitor = Visitor(socket: homeward_http_socket(connection), now: server.loop.now.instant)
        if !server.visitors.hasRoom(for: visitor, isBehindProxy: server.isBehindProxy) { visitor.dismiss() }
        server.visitors.add(visitor)
        place.pointee = Unmanaged.passRetained(visitor).toOpaque()
      } else if let kept = place.pointee {
        server.visitors.remove(Unmanaged<Visitor>.fromOpaque(kept).takeRetainedValue())
        place.pointee = nil
      }
    }

  private static let completed:
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?)
      -> Void = { context, connection, place in
        guard let context, let connection, let kept = place?.pointee else { return }
        place?.pointee = nil
        Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue().isOver = true
        let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
        visitor(of: connection)?.isDone(at: server.loop.now.instant)
        server.served()
      }

  private static let requested:
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Bool = { context, connection, path, method, data, size, place in
      guard let context, let connection, let path, let method, let size, let place else { return false }
      let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
      guard let kept = place.pointee else {
        let exchange = Exchange(
          connection, method: String(cString: method), path: String(cString: path))
        place.pointee = Unmanaged.passRetained(exchange).toOpaque()
        // An answer that is queued now would end the connection: right for an unwanted body.
        switch exchange.announced {
        case .fine: return true
        case .tooLong: return server.queue(.tooLarge, on: connection)
        case .contradiction: return server.queue(.contradiction, on: connection)
        }
      }
      let exchange = Unmanaged<Exchange>.fromOpaque(kept).takeUnretainedValue()
      if size.pointee > 0 {
        exchange.append(UnsafeRawBufferPointer(start: data, count: size.pointee))
        size.pointee = 0
        return exchange.isTooLong ? false : true
      }
      return server.answer(exchange)
    }

  private static func visitor(of connection: OpaquePointer) -> Visitor? {
    // The library hands out the address of the place that `connected` has filled.
    homeward_http_context(connection).map { Unmanaged<Visitor>.fromOpaque($0).takeUnretainedValue() }
  }

  private func answer(_ exchange: Exchange) -> Bool {
    if !exchange.isAsked {
      exchange.isAsked = true
      Self.visitor(of: exchange.connection)?.isServed()
      handle(exchange)
    }
    guard let answer = exchange.answer else {
      exchange.wait()
      return true
    }
    return queue(answer, on: exchange.connection)
  }

  private func queue(_ answer: Response, on connection: OpaquePointer) -> Bool {
    guard let response = answer.response() else { return false }
    defer { MHD_destroy_response(response) }
    // A browser that has it has its headers, too.
    let usual = answer.status == 304 ? [] : headers + [("Content-Security-Policy", answer.policy)]
    for (name, value) in usual + answer.headers { homeward_http_add_header(response, name, value) }
    if !answer.kind.isEmpty { homeward_http_add_header(response, "Content-Type", answer.kind) }
    if answer.isLast { homeward_http_add_header(response, "Connection", "close") }
    return homeward_http_queue(connection, answer.status, response)
  }
}

extension Response {
  static var tooLarge: Response { refusal(413, "at most \(Limits.body) bytes are taken") }
  static var contradiction: Response {
    refusal(400, "how long the body is has to be said once, and in one way")
  }

  /// Nil: the library has no memory for it.
  fileprivate func response() -> OpaquePointer? {
    switch body {
    case .bytes(let bytes): bytes.withUnsafeBytes { homeward_http_bytes($0.baseAddress, $0.count, false) }
    case .kept(let bytes): homeward_http_bytes(bytes.baseAddress, bytes.count, true)
    case .file(let descriptor, let range):
      MHD_create_response_from_fd_at_offset64(
        UInt64(range.count), descriptor, UInt64(range.lowerBound))
    case .stream(let outflow): outflow.response()
    }
  }
}

extension Exchange {
  /// By its own account.
  fileprivate var announced: BodyLength {
    BodyLength(
      lengths: headers("Content-Length"), encodings: headers("Transfer-Encoding"), limit: Limits.body)
  }
}
