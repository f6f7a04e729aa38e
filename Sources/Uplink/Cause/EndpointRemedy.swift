/// What a person does about an endpoint that takes nothing. Each answer has its own.
extension BrokerCause {
  /// Nil: the words of the cause say it, or there is nothing to do but to wait.
  public var remedy: String? {
    switch self {
    case .refusesAll:
      "make this board known there: Traccar wants a device whose identifier is the board's topic (see homeward status); "
        + "everything waits"
    case .expectsTLS:
      "homeward config set tls true, then homeward reload; without TLS the port is 1883 as a rule"
    case .answered(let status): Self.remedy(for: status)
    case .nothingComesBack(_, let base, let isLevelForced):
      "let this board's user write and read there (mosquitto's acl_file: \"topic readwrite \(base)/#\" below its "
        + "\"user\" line), reload the broker, then homeward reload"
        + (isLevelForced
          ? "; or try homeward config set mqttProtocolLevel 5: there the broker says what it refuses" : "")
        + "; if it may write and is only not to read: homeward config set roundTrip false"
    default: nil
    }
  }

  private static func remedy(for status: Int) -> String? {
    switch status {
    case 300..<400: "homeward config set url ADDRESS with the address that it leads to, then homeward reload"
    case 400, 413, 422: "it is given up once the endpoint has taken another one: see refused.jsonl"
    case 401: "homeward config set username and password (auth true), then homeward reload; everything waits"
    case 403: "give this user the right to post there, or look at httpHeaders; everything waits"
    case 404, 405, 410: "homeward config set url ADDRESS, then homeward reload; everything waits"
    case 511: "log in to this network with a browser; everything waits"
    default: nil
    }
  }

  /// The same answer, given to several messages in a row.
  var ofAll: BrokerCause {
    if case .answered(let status) = self { .refusesAll(status: status) } else { self }
  }
}
