import CCurl
import Glibc
import Loop
import Timebase

/// Posts one payload at a time through libcurl, on the loop. The connection stays open for the next one.
final class HTTPRequest {
  struct Answer: Hashable, Sendable {
    /// 0: the head of an answer was not received, or only in part.
    var status = 0
    /// The headers Content-Type, Retry-After, Date and Location; empty: there are none.
    var kind = ""
    var retryAfter = ""
    var date = ""
    var location = ""
    /// The part received, up to `bodyLimit`.
    var body: [UInt8] = []
    /// The body is complete.
    var isWhole = false
    /// Nil: the answer is complete, or longer than the limit.
    var failure: Failure?
  }

  /// The error as the library reports it.
  struct Failure: Hashable, Sendable {
    /// Its own code.
    var code: UInt32
    var systemError: Int32
    /// X509_V_ERR_ number of the certificate that was refused; nil: unknown.
    var verified: Int?
    var words: String
  }

  /// Bytes of an answer's body. Decoding its messages takes up to a hundred times that if they are crafted for it: few
  /// megabytes on a board with little memory. A hundred commands fit in, or some friends with their pictures; a longer
  /// answer is ignored, and the connection is closed to save the data volume.
  static let bodyLimit = 1 << 16
  /// Bytes of an answer's head.
  static let headLimit = 1 << 16

  private let loop: EventLoop
  private let finished: (Answer) -> Void
  private let words: UnsafeMutablePointer<CChar>
  private var multi: UnsafeMutableRawPointer?
  private var easy: UnsafeMutableRawPointer?
  private var headers: UnsafeMutableRawPointer?
  private var watches: [Int32: Watch] = [:]
  private var timer: Timer?
  private var head = HTTPHead()
  private var body: [UInt8] = []
  private var isCut = false
  private(set) var isRunning = false
  private var sockets: Set<Int32> = []
  /// Bytes of those that are closed.
  private var closedBytes = 0

  /// Only if the library is loaded. Nil: it rejects a setting, or has no memory.
  init?(loop: EventLoop, settings: HTTPSettings, finished: @escaping (Answer) -> Void) {
    self.loop = loop
    self.finished = finished
    words = .allocate(capacity: Int(ccurl_words))
    words.initialize(repeating: 0, count: Int(ccurl_words))
    let own = Unmanaged.passUnretained(self).toOpaque()
    multi = ccurl_multi(watchSocket, setTimer, own)
    easy = ccurl_easy(headCame, bodyCame, own, words)
    if let easy { ccurl_easy_sockets(easy, socketOpened, socketClosing, own) }
    timer = loop.makeTimer { [unowned self] in
      ccurl_timeout(multi)
      collect()
    }
    guard multi != nil, let easy, set(settings, on: easy) else { return nil }
  }

  deinit {
    close()
    words.deallocate()
  }

  /// Nothing is called afterwards.
  func close() {
    guard let multi else { return }
    self.multi = nil
    timer?.cancel()
    for watch in watches.values { watch.cancel() }
    watches = [:]
    if isRunning { ccurl_stop(multi, easy) }
    if let easy { ccurl_easy_free(easy) }
    easy = nil
    ccurl_multi_free(multi)
    ccurl_headers_free(headers)
  }

  // MARK: One request

  /// `isFresh`: over a new connection. Returns false if the request cannot be made.
  func begin(_ payload: [UInt8], within span: Span, isFresh: Bool) -> Bool {
    releaseAssert(!isRunning, "a second request beside the first")
    guard let multi, let easy else { return false }
    head = HTTPHead()
    body = []
    isCut = false
    words[0] = 0
    ccurl_set_number(easy, ccurl_milliseconds, Int(span.seconds * 1000))
    ccurl_set_number(easy, ccurl_fresh, isFresh ? 1 : 0)
    guard ccurl_set_body(easy, payload, payload.count) == 0 else { return false }
    isRunning = ccurl_start(multi, easy) == 0
    return isRunning
  }

  /// Ends it without an answer.
  func cancel() {
    guard isRunning, let multi else { return }
    isRunning = false
    ccurl_stop(multi, easy)
  }

  /// For the end of the program, without the loop: serves the request until `deadline` at most.
  func serve(until deadline: Instant) {
    while isRunning, case let left = deadline - SystemClock.read().instant, left > .zero {
      ccurl_serve(multi, Int32(min(100, left.seconds * 1000)))
      collect()
    }
  }

  private func collect() {
    var code: Int32 = 0
    guard let multi, isRunning, ccurl_done(multi, &code) else { return }
    var answer = Answer()
    if head.isWhole {
      answer.status = Int(ccurl_ask(easy, ccurl_status))
      answer.kind = head.kind
      answer.retryAfter = head.retryAfter
      answer.date = head.date
      answer.location = head.location
      answer.body = body
      answer.isWhole = code == 0 && !isCut
    }
    if code != 0, !isCut {
      answer.failure = Failure(
        code: UInt32(code), systemError: Int32(ccurl_ask(easy, ccurl_errno)),
        verified: ccurl_has_openssl() ? Int(ccurl_ask(easy, ccurl_verified)) : nil,
        words: String(cString: words))
    }
    isRunning = false
    body = []
    ccurl_stop(multi, easy)
    finished(answer)
  }

  // MARK: What it costs

  /// Bytes of all its connections, see `WireMeter`.
  var carried: Int {
    sockets.reduce(closedBytes) { $0 + (WireMeter.bytes($1) ?? 0) }
  }

  fileprivate func opened(_ descriptor: Int32) { sockets.insert(descriptor) }

  fileprivate func close(_ descriptor: Int32) -> Int32 {
    if sockets.remove(descriptor) != nil { closedBytes += WireMeter.bytesAtEnd(of: descriptor) }
    return Glibc.close(descriptor)
  }

  // MARK: What the library asks for

  fileprivate func watch(_ descriptor: Int32, _ what: Int32) {
    guard what != Int32(ccurl_remove.rawValue), multi != nil else {
      watches.removeValue(forKey: descriptor)?.cancel()
      return
    }
    var interest: Interest = []
    if what & Int32(ccurl_read.rawValue) != 0 { interest.insert(.read) }
    if what & Int32(ccurl_write.rawValue) != 0 { interest.insert(.write) }
    if let watch = watches[descriptor] { return watch.change(to: interest) }
    watches[descriptor] = loop.watch(descriptor, for: interest) { [unowned self] ready in
      let read = ready.contains(.read) ? ccurl_read.rawValue : 0
      let write = ready.contains(.write) ? ccurl_write.rawValue : 0
      ccurl_ready(multi, descriptor, Int32(read | write))
      collect()
    }
  }

  fileprivate func set(milliseconds: Int) {
    // By the clock itself: the time of this wake-up is already some milliseconds old.
    timer?.set(
      at: milliseconds < 0 ? nil : SystemClock.read().instant + .milliseconds(milliseconds))
  }

  /// False: stop reading.
  fileprivate func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
    head.take(line)
    return head.count <= Self.headLimit
  }

  fileprivate func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    body.append(contentsOf: bytes.prefix(Self.bodyLimit - body.count))
    isCut = isCut || bytes.count > 0 && body.count == Self.bodyLimit
    return !isCut
  }

  // MARK: Settings

  private func set(_ settings: HTTPSettings, on easy: UnsafeMutableRawPointer) -> Bool {
    guard let address = settings.address, ccurl_set_text(easy, ccurl_url, address.text) == 0 else {
      return false
    }
    // TLS 1.2 and newer.
    let numbers: [(ccurl_number, Int)] = [
      (ccurl_post, 1), (ccurl_follow, 0), (ccurl_no_signals, 1), (ccurl_quick_exit, 1),
      (ccurl_http_version, ccurl_http_1_1), (ccurl_tls_version, ccurl_tls_1_2),
      (ccurl_authentication, ccurl_basic),
      (ccurl_verify_peer, settings.isVerified ? 1 : 0), (ccurl_verify_host, settings.isVerified ? 2 : 0),
    ]
    for (option, number) in numbers { ccurl_set_number(easy, option, number) }
    // In the folder only the one authority needed is read; the system's file with all of them would be read with every
    // connection.
    let texts: [(ccurl_text, String?)] = [
      (ccurl_agent, "homewardd"), (ccurl_protocols, "http,https"), (ccurl_ca_folder, "/etc/ssl/certs"),
      (ccurl_ca_file, settings.tlsCaFile), (ccurl_certificate, settings.tlsCertificate),
      (ccurl_key, settings.tlsKey), (ccurl_user, settings.username), (ccurl_password, settings.password),
    ]
    for (option, text) in texts {
      ccurl_set_text(easy, option, text?.isEmpty == false ? text : nil)
    }
    // `Expect:` is left empty: otherwise the library would wait a second for a `100 Continue` that few servers send.
    let lines = settings.headers.all.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    for line in lines + ["Expect:"] {
      guard let longer = ccurl_headers_add(headers, line) else { return false }
      headers = longer
    }
    return ccurl_set_headers(easy, headers) == 0
  }
}

private func watchSocket(
  _ easy: UnsafeMutableRawPointer?, _ descriptor: Int32, _ what: Int32, _ user: UnsafeMutableRawPointer?,
  _ unused: UnsafeMutableRawPointer?
) -> Int32 {
  user.map { Unmanaged<HTTPRequest>.fromOpaque($0).takeUnretainedValue().watch(descriptor, what) }
  return 0
}

private func setTimer(
  _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ user: UnsafeMutableRawPointer?
) -> Int32 {
  user.map { Unmanaged<HTTPRequest>.fromOpaque($0).takeUnretainedValue().set(milliseconds: milliseconds) }
  return 0
}

private func socketOpened(_ user: UnsafeMutableRawPointer?, _ descriptor: Int32, _ purpose: Int32) -> Int32 {
  user.map { Unmanaged<HTTPRequest>.fromOpaque($0).takeUnretainedValue().opened(descriptor) }
  return 0
}

private func socketClosing(_ user: UnsafeMutableRawPointer?, _ descriptor: Int32) -> Int32 {
  user.map { Unmanaged<HTTPRequest>.fromOpaque($0).takeUnretainedValue().close(descriptor) } ?? -1
}

private func headCame(
  _ bytes: UnsafeMutablePointer<CChar>?, _ one: Int, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int {
  guard let user else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: one * count)
  return Unmanaged<HTTPRequest>.fromOpaque(user).takeUnretainedValue().takeHead(line) ? one * count : 0
}

private func bodyCame(
  _ bytes: UnsafeMutablePointer<CChar>?, _ one: Int, _ count: Int, _ user: UnsafeMutableRawPointer?
) -> Int {
  guard let user else { return 0 }
  let piece = UnsafeRawBufferPointer(start: bytes, count: one * count)
  return Unmanaged<HTTPRequest>.fromOpaque(user).takeUnretainedValue().takeBody(piece) ? one * count : 0
}
