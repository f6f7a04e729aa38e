import Model
import OwnTracks
import Timebase

/// The consequence of an endpoint's answer for the posted message.
enum HTTPVerdict: Hashable {
  case delivered
  /// The endpoint rejects this message as wrong; or rejects every message (`HTTPInFlight`).
  case turnedAway(BrokerCause)
  /// The message has to be posted again, but not before the span is over.
  case kept(BrokerCause, for: Span)

  init(_ answer: HTTPRequest.Answer, settings: HTTPSettings) {
    switch answer.status {
    case 200..<300:
      // It was accepted, even if the rest of the answer was lost.
      let isPage = WebPage.isOne(kind: answer.kind, body: answer.body)
      self = isPage ? .kept(.webPage, for: .zero) : .delivered
    case 400, 413, 422: self = .turnedAway(.answered(status: answer.status))
    case 0:
      let cause = answer.failure.map { BrokerCause($0, settings: settings) }
      self = .kept(cause ?? .endedWithoutAnswer, for: .zero)
    default:
      // All others concern the path, access rights or the endpoint: the next message would fare no better.
      let span = RetryAfter.span(answer.retryAfter, answeredAt: answer.date)
      let host = Self.hostElsewhere(answer, settings)
      let cause = host.map { BrokerCause.sentElsewhere(status: answer.status, host: $0) }
      self = .kept(cause ?? .answered(status: answer.status), for: span)
    }
  }

  /// The other host named by a redirection over an unencrypted connection. Nil: it is no such redirection.
  private static func hostElsewhere(_ answer: HTTPRequest.Answer, _ settings: HTTPSettings) -> String? {
    guard (300..<400).contains(answer.status), let address = settings.address, !address.isEncrypted else {
      return nil
    }
    let scheme = answer.location.hasPrefix("//") ? "http:" : ""
    guard let other = HTTPAddress(scheme + answer.location) else { return nil }
    return other.host.lowercased() == address.host.lowercased() ? nil : other.host
  }
}
