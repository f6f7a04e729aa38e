/// Whether a new certificate does what the old one did. It has what it is to prove when the server accepts a connection
/// with it, and has failed when the server, which is reached, does not. Whatever keeps the board from reaching a server
/// says nothing about a certificate: without a network a trial goes on for as long as it takes.
public struct CertificateTrial {
  /// The state of a trial.
  public enum Verdict: Hashable, Sendable {
    /// Nothing is known yet.
    case open
    /// The server has accepted it.
    case stands
    /// Why the last attempt ended.
    case failed(BrokerCause)
  }

  /// Attempts that a server may end without a word of the certificate. It may be about to start.
  static let patience = 5

  /// How often the server had accepted a connection before.
  private var connections: Int
  private var attempts: Int
  private var failures = 0

  /// `status`: before the connection is configured with the new certificate.
  public init(after status: UplinkStatus?) {
    connections = status?.counters.connections ?? 0
    attempts = status?.attempts ?? 0
  }

  /// To be asked about once a second: attempts that end meanwhile are counted as one.
  public mutating func look(at status: UplinkStatus) -> Verdict {
    // Another object has begun to count anew.
    if status.counters.connections < connections { connections = 0 }
    if status.counters.connections > connections { return .stands }
    let ended = status.nextAttempt == nil ? status.attempts - 1 : status.attempts
    guard let cause = status.cause, ended > attempts else { return .open }
    attempts = ended
    switch cause.isOfCertificate {
    case .no: return .open
    case .yes: return .failed(cause)
    case .perhaps:
      failures += 1
      return failures < Self.patience ? .open : .failed(cause)
    }
  }
}

extension BrokerCause {
  fileprivate enum Suspicion { case yes, no, perhaps }

  /// Whether the certificate that we have shown may be why the server does not accept the connection.
  fileprivate var isOfCertificate: Suspicion {
    switch self {
    // The server says so, or who we are by our certificate may not connect.
    case .clientCertificateRefused, .clientCertificateMissing, .fileUnreadable, .fileUnusable, .keyMismatch,
      .badCredentials, .notAuthorised, .identifierRejected:
      .yes
    // It answers, and ends it all the same.
    case .closedInHandshake, .closedAfterHandshake, .closedEarly, .closedAtLevel5, .takesNoConnections,
      .tlsError,
      .handshakeSilent, .noGreeting, .closedByBroker, .reset, .reason:
      .perhaps
    case _: .no
    }
  }
}
