import Access
import Glibc
import Loop
import OwnTracks
import Timebase

/// The page: who may ask, and what for.
final class Page {
  private let loop: EventLoop
  private let daemon: DaemonLine
  private let events: Events
  private let accessControl: AccessControl
  private let files: PageFiles
  private let maps: Maps
  private let names: [String]
  private let version: String
  private var mapSource: String?

  /// Maps that it does without, a line each.
  var mapFaults: [String] { maps.faults }

  init(_ options: ServerOptions, loop: EventLoop, names: [String], version: String) {
    self.loop = loop
    self.names = names
    self.version = version
    daemon = DaemonLine(loop: loop, path: options.control)
    events = Events(loop: loop, daemon: daemon)
    accessControl = AccessControl(state: options.state, run: options.run)
    files = PageFiles(folder: options.page)
    maps = Maps(options.maps)
  }

  func handle(_ exchange: Exchange) {
    guard ["GET", "HEAD", "POST"].contains(exchange.method) else {
      return exchange.respond(.refusal(405, "only GET and POST are understood"))
    }
    // First of all: a request for another host name learns nothing, not even that a server is here.
    guard let host = exchange.header("Host"), HostName.isOurs(host, names: names) else {
      return exchange.respond(.refusal(421, "this board goes by another name"))
    }
    if exchange.path == "/pair" { return exchange.respond(pair(exchange, host: host)) }
    guard let session = accessControl.session(cookie: exchange.header("Cookie")) else {
      let isPage = exchange.path == "/" && exchange.method != "POST"
      return exchange.respond(
        isPage ? LoginPage.answer(isWrong: false) : .refusal(401, "this browser is not known to the board"))
    }
    if exchange.method == "POST" { return change(exchange, session, host: host) }
    look(exchange, session)
  }

  // MARK: Coming in

  /// A link leads to the form, and only the form tries a code: any site may have a phone follow a link.
  private func pair(_ exchange: Exchange, host: String) -> Response {
    guard exchange.method == "POST" else {
      return LoginPage.answer(isWrong: false, code: PairForm.shown(exchange.parameter("c")))
    }
    guard HostName.isOwn(origin: exchange.header("Origin"), host: host) else {
      return .refusal(403, "this does not come from the board's own page")
    }
    let device = exchange.header("User-Agent") ?? ""
    guard let typed = PairForm.code(in: exchange.body) else { return LoginPage.answer(isWrong: false) }
    guard let key = accessControl.admit(code: typed, device: device, at: loop.now.instant) else {
      return LoginPage.answer(isWrong: true)
    }
    return Response(
      status: 303, kind: "", body: .bytes([]),
      headers: [("Location", "/"), ("Set-Cookie", Cookie.setting(key)), ("Cache-Control", "no-store")])
  }

  // MARK: Looking

  private func look(_ exchange: Exchange, _ session: Session) {
    switch exchange.path {
    case "/": index(exchange)
    case "/api/events":
      exchange.respond(exchange.method == "GET" ? open(exchange, session) : .refusal(405, "only GET here"))
    case "/api/page": describe(exchange, session)
    case "/export.gpx": TrackExport.begin(exchange, daemon)
    case "/map.pmtiles": exchange.respond(part(exchange))
    case "/api/settings": settings(exchange)
    case let path:
      if let words = Questions.words(path, exchange.parameter) {
        ask(exchange, words)
      } else if let place = TilePath(path) {
        exchange.respond(tile(place, of: maps.file(exchange.parameter("map"))))
      } else if let file = files.file(at: path) {
        exchange.respond(file.answer(known: exchange.header("If-None-Match")).under(policy))
      } else {
        exchange.respond(.text(404, "there is nothing here"))
      }
    }
  }

  /// Until the phone is forgotten.
  private func open(_ exchange: Exchange, _ session: Session) -> Response {
    events.open(exchange) { [unowned self] in accessControl.knows(session) }
  }

  private var policy: String { Policy.page(mapSources: maps.hosts + (mapSource.map { [$0] } ?? [])) }

  /// The policy names the map's server: the tracker is asked which it is.
  private func index(_ exchange: Exchange) {
    status { [unowned self] status in
      mapSource = Self.mapSource(status?.page)
      // A browser that has the page keeps the policy that it came with.
      let answer = files.file(at: "/")?.answer(known: exchange.header("If-None-Match"), with: policy)
      exchange.respond((answer?.under(policy) ?? .text(404, "the page's files are not installed")))
    }
  }

  private static func mapSource(_ page: StatusRecord.Page?) -> String? {
    page?.template.flatMap(TemplateHost.source)
  }

  /// The tracker's, which also says how the page draws differently; nil: it does not answer.
  private func status(then: @escaping (StatusRecord?) -> Void) {
    func received(_ status: JSON?) { then(status.flatMap { StatusRecord(answer: $0) }) }
    if let newest = events.newest { return received(newest) }
    daemon.askValue(["status"], within: Limits.pollAnswer) { answer in
      received(answer.flatMap { StatusReply(answer: $0) }?.status)
    }
  }

  /// Whether the owner lets nobody at the board change anything; nil: the tracker does not answer.
  private func isLocked(then: @escaping (Bool?) -> Void) {
    daemon.askValue(["settings", "show"], within: Limits.pollAnswer) { answer in
      then(answer.map { SettingList(answer: $0)?.locked ?? false })
    }
  }

  /// Without the tracker's word nothing is said: a page would take it for a board without a map.
  private func describe(_ exchange: Exchange, _ session: Session) {
    status { [unowned self] status in
      guard let status else { return exchange.respond(.failure(503, "the tracker does not answer")) }
      let page = status.page
      isLocked { [unowned self] isLocked in
        let may = session.permission == .change && isLocked == true ? "publish" : session.permission.rawValue
        var map: JSON = [
          "template": .string(page?.template ?? ""),
          "source": .string(Self.mapSource(page) ?? ""), "copyright": .string(page?.copyright ?? ""),
          "file": .string(maps.file(nil)?.form.rawValue ?? ""), "maps": maps.described,
        ]
        if let zooms = maps.file(nil)?.zooms {
          map.set("minZoom", .integer(Int64(zooms.lowerBound)))
          map.set("maxZoom", .integer(Int64(zooms.upperBound)))
        }
        let answer: JSON = [
          "ok": true, "may": .string(may), "map": map,
          "tacho": .string(page?.tacho ?? "interpolated"), "version": .string(version),
        ]
        exchange.respond(.json(200, answer.serialised()))
      }
    }
  }

  private func tile(_ place: TilePath, of map: MapFile?) -> Response {
    guard let tile = map?.tile(place) else { return .text(404, "there is no map here") }
    return Response(
      status: 200, kind: tile.kind, body: .bytes(tile.bytes),
      headers: [("Cache-Control", "private, max-age=86400")])
  }

  private func part(_ exchange: Exchange) -> Response {
    guard let file = maps.file(exchange.parameter("map"))?.opened() else {
      return .text(404, "there is no map here")
    }
    var headers = [("Accept-Ranges", "bytes"), ("Cache-Control", "private, no-cache")]
    switch ByteRange(exchange.header("Range"), size: file.size) {
    case .everything:
      return Response(
        status: 200, kind: "application/octet-stream",
        body: .file(descriptor: file.descriptor, 0..<file.size), headers: headers)
    case .part(let range):
      headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"))
      return Response(
        status: 206, kind: "application/octet-stream", body: .file(descriptor: file.descriptor, range),
        headers: headers)
    case .nothing:
      close(file.descriptor)
      var answer = Response.text(416, "the file is not as long as that")
      answer.headers = headers + [("Content-Range", "bytes */\(file.size)")]
      return answer
    }
  }

  // MARK: Asking the tracker

  private func ask(_ exchange: Exchange, _ words: [String]) {
    daemon.ask(words) { outcome in
      switch outcome {
      case .answer(let bytes): exchange.respond(.list(bytes, exchange))
      case .silence: exchange.respond(.failure(503, "the tracker does not answer"))
      case .tooLong: exchange.respond(.failure(502, "the tracker's answer is too long"))
      }
    }
  }

  /// The tracker says what is set; what there is to know of a key is known here.
  private func settings(_ exchange: Exchange) {
    daemon.askValue(["settings", "show"]) { answer in
      guard let answer else { return exchange.respond(.failure(503, "the tracker does not answer")) }
      exchange.respond(.list(SettingsTable.described(answer).serialised(), exchange))
    }
  }

  private func change(_ exchange: Exchange, _ session: Session, host: String) {
    guard exchange.path == "/api/do" else { return exchange.respond(.refusal(405, "only GET here")) }
    guard HostName.isOwn(origin: exchange.header("Origin"), host: host) else {
      return exchange.respond(.failure(403, "this does not come from the board's own page"))
    }
    guard Self.isJSON(exchange.header("Content-Type")) else {
      return exchange.respond(.failure(403, "expected application/json"))
    }
    guard session.permission == .change else {
      return exchange.respond(.failure(403, "this browser may only look"))
    }
    let words: [String]
    do {
      words = try AllowedWords.words(exchange.body)
    } catch {
      let answer: Response =
        switch error {
        case .malformed: .failure(400, "expected a JSON array of words")
        case .forbidden: .failure(403, "a page may not do this")
        }
      return exchange.respond(answer)
    }
    if AllowedWords.isFree(words) { return ask(exchange, words) }
    isLocked { [unowned self] isLocked in
      switch isLocked {
      case nil: exchange.respond(.failure(503, "the tracker does not answer"))
      case true?:
        exchange.respond(.failure(403, "locked: the configuration allows no changes"))
      case false?: ask(exchange, words)
      }
    }
  }

  private static func isJSON(_ kind: String?) -> Bool {
    guard let kind else { return false }
    return kind.split(separator: ";").first.map { String($0).lowercased().filter { $0 != " " } }
      == "application/json"
  }
}

extension Response {
  /// For a client without a session, or a request that makes no sense: the connection is closed.
  static func refusal(_ status: UInt32, _ sentence: String) -> Response {
    var answer = text(status, sentence)
    answer.isLast = true
    return answer
  }

  static func failure(_ status: UInt32, _ sentence: String) -> Response {
    let json: JSON = ["ok": false, "error": .string(sentence)]
    return self.json(status, json.serialised())
  }

  /// The same answer with another content security policy.
  func under(_ policy: String) -> Response {
    var answer = self
    answer.policy = policy
    return answer
  }
}
