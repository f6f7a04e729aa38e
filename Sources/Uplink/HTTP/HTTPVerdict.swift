import OwnTracks
import Timebase

/// What an endpoint's answer says of the message that was posted.
enum HTTPVerdict: Hashable {
  case delivered
  /// The endpoint takes this message for wrong; or says so to all of them (`HTTPTray`).
  case turnedAway(BrokerCause)
  /// The message has to go again, not before the span is over.
  case kept(BrokerCause, for: Span)

  init(_ answer: HTTPRequest.Answer, settings: HTTPSettings) {
    switch answer.status {
    case 200..<300:
      // It was taken, whatever became of the rest of the answer.
      let isPage = WebPage.isOne(kind: answer.kind, body: answer.body)
      self = isPage ? .kept(.webPage, for: .zero) : .delivered
    case 400, 413, 422: self = .turnedAway(.answered(status: answer.status))
    case 0:
      let cause = answer.failure.map { BrokerCause($0, settings: settings) }
      self = .kept(cause ?? .endedWithoutAnswer, for: .zero)
    default:
      // All others tell of the way there, of rights or of the endpoint: the next message would fare no better.
      let span = RetryAfter.span(answer.retryAfter, answeredAt: answer.date)
      self = .kept(.answered(status: answer.status), for: span)
    }
  }
}
