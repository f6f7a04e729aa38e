/// A command's wish about the board's certificate. It takes a while: the answer comes as an event.
public struct CertificateOrder: Hashable, Sendable {
  /// Bytes of PEM that are taken: a certificate and those that signed it.
  public static let limit = 16_384

  /// A step of a renewal.
  public enum Step: Hashable, Sendable {
    /// A request for a certificate, of a key that is made here and stays here.
    case request
    /// The certificate, as PEM.
    case take(String)
  }

  /// The wish itself.
  public var step: Step
  /// Of the command.
  public var id: CommandID
  /// Where its answer goes; nil: to the usual topic.
  public var topic: String?

  /// Of a command that may be obeyed.
  public init(_ step: Step, id: CommandID, topic: String?) {
    self.step = step
    self.id = id
    self.topic = topic
  }

  /// Its answer, without a time.
  public func result(_ outcome: CommandResult.Outcome, reason: String? = nil) -> CommandResult {
    var result = CommandResult(id: id, action: command.action, outcome, reason: reason)
    result.topic = topic
    return result
  }

  private var command: Command {
    switch step {
    case .request: .requestCertificate
    case .take(let text): .setCertificate(text)
    }
  }
}
