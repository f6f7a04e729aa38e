import CMosquitto

/// Derives the cause of a failed connection from OpenSSL's errors.
extension BrokerDiagnosis {
  /// The cause according to TLS; nil: TLS reports none.
  static func tls(_ notes: Notes, settings: BrokerSettings) -> BrokerCause? {
    if let file = notes.fileTrouble, let cause = fileCause(file, settings.tls) { return cause }
    if notes.isHostWrong { return .certificateWrongHost(host: settings.host) }
    // An errno is about the socket, not about TLS.
    let errors = notes.errors.filter { ERR_GET_LIB(UInt($0)) != ERR_LIB_SYS }
    for code in errors where ERR_GET_LIB(UInt(code)) == ERR_LIB_SSL {
      return reason(ERR_GET_REASON(UInt(code)), notes, settings) ?? .tlsError(code: code)
    }
    return errors.first.map { .tlsError(code: $0) }
  }

  private static func fileCause(_ file: Notes.FileTrouble, _ tls: BrokerSettings.TLS?) -> BrokerCause? {
    guard let tls else { return nil }
    return switch file {
    case .authority: .fileUnusable(path: tls.caFile, what: "certificates")
    case .certificate: .fileUnusable(path: tls.certificate, what: "a certificate")
    case .key: .fileUnusable(path: tls.key, what: "a key without passphrase")
    case .mismatch: .keyMismatch(path: tls.key)
    }
  }

  /// OpenSSL's reasons; those with ALERT in their names were sent by the other side.
  private static func reason(_ reason: Int32, _ notes: Notes, _ settings: BrokerSettings) -> BrokerCause? {
    let hasCertificate = settings.tls?.certificate.isEmpty == false
    return switch reason {
    case SSL_R_CERTIFICATE_VERIFY_FAILED: certificate(notes.verifyResult, host: settings.host)
    // The answer is not a TLS record at all.
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST,
      SSL_R_PACKET_LENGTH_TOO_LONG:
      .notTLS
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION: .tlsVersion
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: .closedInHandshake
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: .clientCertificateMissing
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      hasCertificate ? .clientCertificateRefused : .clientCertificateMissing
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
      SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
      SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
      SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      .clientCertificateRefused
    default: nil
    }
  }
}
