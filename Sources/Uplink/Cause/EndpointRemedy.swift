/// Advice for a person about an endpoint that takes nothing: one for each answer.
extension BrokerCause {
  /// Nil: not an answer of an endpoint, or there is nothing to do but wait.
  var endpointRemedy: String? {
    switch self {
    case .refusesAll:
      "make this board known there: Traccar wants a device whose identifier is the board's topic (it is shown by: homeward status); "
        + "everything waits"
    case .answered(let status): Self.remedy(for: status)
    default: nil
    }
  }

  private static func remedy(for status: Int) -> String? {
    switch status {
    case 300..<400: "take the address that it leads to: homeward config set url -; then: homeward reload"
    case 400, 413, 422: "it is given up once the endpoint has taken another one: see refused.jsonl"
    case 401:
      "username and password are refused, or auth is false; everything waits; homeward config set username NAME; "
        + "homeward config set password -; then: homeward reload"
    case 403: "give this user the right to post there, or look at httpHeaders; everything waits"
    case 404, 405, 410: "everything waits; homeward config set url -; then: homeward reload"
    case 511: "log in to this network with a browser; everything waits"
    default: nil
    }
  }

  /// The same answer, given to several messages in a row.
  var ofAll: BrokerCause {
    if case .answered(let status) = self { .refusesAll(status: status) } else { self }
  }
}
