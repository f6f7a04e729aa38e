import OwnTracks
import Timebase

/// The own history as a GPX file: asked for page by page, as fast as it is taken, so that a long one needs no memory. A
/// part of it is no track: where the tracker stops answering, the file does not end.
final class TrackExport {
  private let daemon: DaemonLine
  private let ends: [String]
  private var after: Int64 = 0
  private var isAsking = false
  private var isOver = false
  private weak var outflow: Outflow?

  private init(_ daemon: DaemonLine, _ ends: [String]) {
    self.daemon = daemon
    self.ends = ends
  }

  /// `from` and `to` in the query: Unix seconds; without them all of it.
  static func begin(_ exchange: Exchange, _ daemon: DaemonLine) {
    var ends: [String] = []
    for name in ["from", "to"] {
      guard let text = exchange.parameter(name), !text.isEmpty else { continue }
      guard Questions.isNumber(text) else {
        return exchange.respond(.text(400, "from and to are Unix seconds"))
      }
      ends += ["--" + name, text]
    }
    TrackExport(daemon, ends).first(exchange)
  }

  /// Whether there is anything to send is known with the first page.
  private func first(_ exchange: Exchange) {
    ask { [self] page in
      guard let page, page.points != nil else {
        return exchange.respond(.text(503, "the tracker does not answer"))
      }
      begin(exchange, with: page)
    }
  }

  private func begin(_ exchange: Exchange, with page: HistoryPage) {
    guard !exchange.isOver else { return }
    // The outflow keeps us as long as the connection lives.
    let outflow = Outflow(exchange.connection, drained: { self.next() }, gone: { self.isOver = true })
    self.outflow = outflow
    outflow.push(Array(GPXTrack.head.utf8))
    received(page)
    exchange.respond(
      Response(
        status: 200, kind: "application/gpx+xml", body: .stream(outflow),
        headers: [
          ("Content-Disposition", "attachment; filename=\"homeward.gpx\""), ("Cache-Control", "no-store"),
        ]))
  }

  private func next() {
    guard !isAsking, !isOver else { return }
    isAsking = true
    ask { [weak self] page in
      self?.isAsking = false
      self?.received(page)
    }
  }

  private func ask(then: @escaping (HistoryPage?) -> Void) {
    let words = ["history", "--after", "\(after)", "--limit", "500"] + ends
    daemon.askValue(words) { answer in then(answer.flatMap { HistoryPage(answer: $0) }) }
  }

  private func received(_ page: HistoryPage?) {
    guard !isOver, let outflow else { return }
    guard let page, page.points != nil else {
      isOver = true
      return outflow.fail()
    }
    var text = PointRecord.all(page.points).compactMap { GPXTrack.point($0) }.joined()
    if let next = page.next, next > after {
      after = next
    } else {
      isOver = true
      text += GPXTrack.foot
    }
    outflow.push(Array(text.utf8))
    if isOver { outflow.end() } else if text.isEmpty { self.next() }
  }
}
