/// What a person does about an endpoint that takes nothing. Each answer has its own.
extension BrokerCause {
  /// Nil: the words of the cause say it, or there is nothing to do but to wait.
  public var remedy: String? {
    guard case .answered(let status) = self else { return nil }
    switch status {
    case 300..<400:
      return "homeward config set url ADDRESS with the address that it leads to, then homeward reload"
    case 400, 413, 422:
      return
        "make this board known there: Traccar wants a device whose identifier is the board's topic (see homeward "
        + "status); everything waits"
    case 401:
      return "homeward config set username and password (auth true), then homeward reload; everything waits"
    case 403: return "give this user the right to post there, or look at httpHeaders; everything waits"
    case 404, 405, 410: return "homeward config set url ADDRESS, then homeward reload; everything waits"
    case 511: return "log in to this network with a browser; everything waits"
    default: return nil
    }
  }
}
