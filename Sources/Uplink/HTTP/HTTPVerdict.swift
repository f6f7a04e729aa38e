import Model
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
      let host = Self.hostElsewhere(answer, settings)
      let cause = host.map { BrokerCause.sentElsewhere(status: answer.status, host: $0) }
      self = .kept(cause ?? .answered(status: answer.status), for: span)
    }
  }

  /// Where another host is named by an answer that needs no certificate to be given. Nil: it is no such redirection.
  private static func hostElsewhere(_ answer: HTTPRequest.Answer, _ settings: HTTPSettings) -> String? {
    guard (300..<400).contains(answer.status), let address = settings.address, !address.isEncrypted else {
      return nil
    }
    let scheme = answer.location.hasPrefix("//") ? "http:" : ""
    guard let other = HTTPAddress(scheme + answer.location) else { return nil }
    return other.host.lowercased() == address.host.lowercased() ? nil : other.host
  }
}
