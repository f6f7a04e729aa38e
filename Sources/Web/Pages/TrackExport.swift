import OwnTracks
import Timebase

/// The own history as a GPX file: asked for page by page, as fast as it is taken, so that a long one needs no memory.
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
    let export = TrackExport(daemon, ends)
    // The outflow keeps it as long as the connection lives.
    let outflow = Outflow(exchange.connection, drained: { export.next() }, gone: { export.isOver = true })
    export.outflow = outflow
    outflow.push(Array(GPXTrack.head.utf8))
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
    let words = ["history", "--after", "\(after)", "--limit", "500"] + ends
    daemon.askValue(words) { [weak self] answer in
      self?.received(answer.flatMap { HistoryPage(answer: $0) })
    }
  }

  private func received(_ page: HistoryPage?) {
    isAsking = false
    guard !isOver, let outflow else { return }
    var text = PointRecord.all(page?.points).compactMap { GPXTrack.point($0) }.joined()
    if let next = page?.next, next > after {
      after = next
    } else {
      isOver = true
      text += GPXTrack.foot
    }
    outflow.push(Array(text.utf8))
    if isOver { outflow.end() } else if text.isEmpty { self.next() }
  }
}
