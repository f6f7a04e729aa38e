import CCurl
import Glibc

/// Derives a cause from libcurl's errors.
extension BrokerCause {
  init(_ failure: HTTPRequest.Failure, settings: HTTPSettings) {
    let host = settings.address?.host ?? ""
    self =
      switch ccurl_failure(failure.code) {
      case ccurl_bad_protocol, ccurl_bad_url: .settingRefused("no endpoint: url is not usable")
      case ccurl_no_name: .nameNotFound(host: host)
      case ccurl_no_connection: Self.unconnected(failure)
      case ccurl_too_late: .timedOut
      case ccurl_no_answer: .endedWithoutAnswer
      case ccurl_not_sent, ccurl_not_received: Self.broken(failure)
      case ccurl_tls_failed: Self.handshake(failure)
      case ccurl_not_verified: Self.certificate(failure, host: host)
      case ccurl_bad_ca_file: .fileUnusable(path: settings.tlsCaFile, what: "certificates")
      case ccurl_bad_certificate_file:
        .fileUnusable(path: settings.tlsCertificate, what: "a certificate with its key (tlsClientKey)")
      case ccurl_certificate_wanted: .clientCertificateMissing
      default: .systemError(code: Int32(failure.code), text: Self.words(failure))
      }
  }

  /// The library's messages are in English, contain no secret, and may be missing.
  private static func words(_ failure: HTTPRequest.Failure) -> String {
    failure.words.isEmpty ? "libcurl error \(failure.code)" : failure.words.plainLine
  }

  /// The library has no code for it.
  private static func says(_ failure: HTTPRequest.Failure, _ words: String) -> Bool {
    strstr(failure.words, words) != nil
  }

  private static func unconnected(_ failure: HTTPRequest.Failure) -> BrokerCause {
    failure.systemError == 0
      ? .systemError(code: Int32(failure.code), text: words(failure))
      : BrokerDiagnosis.system(failure.systemError)
  }

  private static func broken(_ failure: HTTPRequest.Failure) -> BrokerCause {
    // A TLS alert also ends up here: only the library's message says which.
    if says(failure, "certificate required") { return .clientCertificateMissing }
    if says(failure, "alert") { return .systemError(code: 0, text: words(failure)) }
    return failure.systemError == 0 ? .reset : BrokerDiagnosis.system(failure.systemError)
  }

  private static func handshake(_ failure: HTTPRequest.Failure) -> BrokerCause {
    if says(failure, "wrong version number") || says(failure, "packet length") {
      return .notTLS
    }
    if says(failure, "protocol version") || says(failure, "unsupported protocol") {
      return .tlsVersion
    }
    if failure.words.isEmpty || says(failure, "SSL_ERROR_SYSCALL") { return .closedInHandshake }
    return .systemError(code: Int32(failure.code), text: words(failure))
  }

  private static func certificate(_ failure: HTTPRequest.Failure, host: String) -> BrokerCause {
    switch failure.verified {
    case nil: .certificateRefusedBecause(words(failure))
    // The chain is good but the name is wrong; 1: the chain was not checked yet.
    case 0, 1: .certificateWrongHost(host: host)
    case let code?: BrokerDiagnosis.certificate(code, host: host)
    }
  }
}
