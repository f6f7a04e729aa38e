import Loop
import OwnTracks
import Timebase

/// All open pages. While there is one the tracker is asked once a second, however many there are.
final class Events {
  private let loop: EventLoop
  private var status: StatusWatch?
  private var streams: [ObjectIdentifier: EventStream] = [:]
  private var lists = StaleLists()
  private var last: JSON = .null
  private var comments: Timer?

  init(loop: EventLoop, daemon: DaemonLine) {
    self.loop = loop
    status = StatusWatch(loop: loop, daemon: daemon) { [unowned self] news in send(news) }
    comments = loop.makeTimer { [unowned self] in comment() }
  }

  /// The newest status while a page is open; nil: none is, or there is no status.
  var newest: JSON? { status?.newest }

  /// `isKnown`: whether it may still be told something, asked once a second.
  func open(_ exchange: Exchange, isKnown: @escaping () -> Bool) -> Response {
    guard streams.count < Limits.streams else { return .text(503, "too many open pages") }
    let stream = EventStream(exchange, loop: loop, isKnown: isKnown) { [unowned self] stream in left(stream) }
    guard let outflow = stream.outflow else { return .text(503, "too many open pages") }
    streams[ObjectIdentifier(stream)] = stream
    if comments?.deadline == nil { comments?.set(at: loop.now.instant + Limits.commentLook) }
    if let newest = status?.newest { complete(stream, newest) }
    if status?.isReached == false { stream.send(event: "board", Self.reached(false)) }
    status?.look()
    return Response(
      status: 200, kind: "text/event-stream", body: .stream(outflow), headers: stream.headers)
  }

  private func left(_ stream: EventStream) {
    streams[ObjectIdentifier(stream)] = nil
    guard streams.isEmpty else { return }
    status?.rest()
    comments?.cancel()
    (last, lists) = (.null, StaleLists())
  }

  private func complete(_ stream: EventStream, _ status: JSON) {
    stream.isComplete = true
    stream.send(event: "status", status.serialised())
  }

  private func send(_ news: StatusWatch.News) {
    // A stream may end while it is written to.
    let all = Array(streams.values)
    switch news {
    case .reached(let isReached):
      for stream in all { stream.send(event: "board", Self.reached(isReached)) }
    case .status(let status):
      let changes = StatusSections.changes(from: last, to: status)?.serialised()
      let stale = lists.look(at: status)
      last = status
      for stream in all {
        if !stream.isComplete {
          complete(stream, status)
        } else if let changes {
          stream.send(event: "status", changes)
        }
        for (list, count) in stale where stream.outflow != nil {
          stream.send(event: "changed", JSON.object([.init(list, .integer(count))]).serialised())
        }
      }
    }
  }

  private func comment() {
    for stream in Array(streams.values) { stream.isKnown() ? stream.comment() : stream.drop() }
    comments?.set(at: loop.now.instant + Limits.commentLook)
  }

  private static func reached(_ isReached: Bool) -> [UInt8] {
    JSON.object([.init("reached", .boolean(isReached))]).serialised()
  }
}
