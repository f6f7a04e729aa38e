import Access
import Glibc
import Loop
import Timebase

/// The server from its start to its end. It ends by itself after a while without a client: systemd keeps the
/// socket, and starts it again for the next one.
public final class Program {
  private let loop: EventLoop
  private let page: Page
  private let idle: Span?
  private var server: HTTPServer?
  private var signals: Signals?
  private var timer: Timer?
  private var lastVisit: Instant

  /// `version`: what the page shows. Throws `Secret.Missing`, `LoopError` or `Listener.Refusal`.
  public init(_ options: ServerOptions, version: String) throws {
    try Secret.load()
    let blocked = try BlockedSignals([SIGTERM, SIGINT])
    guard let listener = try Listener.handedOver() ?? options.listen.map(Listener.open) else {
      throw Listener.Refusal(description: "systemd hands over no socket, and there is no --listen")
    }
    loop = try EventLoop()
    lastVisit = loop.now.instant
    idle = options.idle > 0 ? .seconds(options.idle) : nil
    let names = Self.ownNames() + options.names
    page = Page(options, loop: loop, names: names, version: version)
    let server = try HTTPServer(
      loop: loop, listener: listener, headers: Policy.headers, isBehindProxy: !options.names.isEmpty,
      handle: { [unowned self] in page.handle($0) },
      served: { [unowned self] in lastVisit = loop.now.instant })
    self.server = server
    signals = Signals(loop: loop, blocked) { [unowned self] _ in loop.stop() }
    timer = loop.makeTimer { [unowned self] in endIfAlone() }
    loop.afterHandlers = { server.run() }
  }

  /// Maps of `--map` that are none, a line for people each: it does without them.
  public var mapFaults: [String] { page.mapFaults }

  /// Returns after that time without a client, or at SIGTERM.
  public func run() {
    endIfAlone()
    server?.run()
    loop.run()
  }

  private func endIfAlone() {
    guard let idle else { return }
    if server?.isServing == true { lastVisit = loop.now.instant }
    if loop.now.instant - lastVisit >= idle { return loop.stop() }
    timer?.set(at: lastVisit + idle)
  }

  private static func ownNames() -> [String] {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return [] }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .lowercased()
    return name.isEmpty ? [] : [name]
  }
}
