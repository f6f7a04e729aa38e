import CMosquitto
import Glibc

/// Derives a cause from the errors left by libmosquitto, the resolver, the socket and OpenSSL.
enum BrokerDiagnosis {
  /// TLS errors noticed while a connection was being made.
  struct Notes: Sendable {
    /// X509_V_ERR_ number of the refused certificate.
    var verifyResult = 0
    /// Codes of OpenSSL's error queue, oldest first.
    var errors: [UInt32] = []
    var isHostWrong = false
    /// The file that could not be used.
    var file: FileTrouble?

    enum FileTrouble: Sendable { case authority, certificate, key, mismatch }

    /// OpenSSL compares a key with the certificate while it reads the key: the key is readable but of another
    /// certificate.
    var fileTrouble: FileTrouble? {
      let mismatches = [X509_R_KEY_VALUES_MISMATCH, X509_R_KEY_TYPE_MISMATCH]
      let isMismatch = errors.contains {
        ERR_GET_LIB(UInt($0)) == ERR_LIB_X509 && mismatches.contains(ERR_GET_REASON(UInt($0)))
      }
      return file == .key && isMismatch ? .mismatch : file
    }

    /// Reads a line of libmosquitto's log; `verifyResult` is called only if it matters.
    mutating func read(_ line: String, verifyResult ask: () -> Int) {
      if line.hasPrefix("OpenSSL Error[") {
        if verifyResult == 0 { verifyResult = ask() }
        if let code = Self.code(in: line) { errors.append(code) }
      } else if line.hasPrefix("Error: host name verification failed") {
        isHostWrong = true
      } else if line.hasPrefix("Error: Unable to load CA") {
        file = .authority
      } else if line.hasPrefix("Error: Unable to load client certificate") {
        file = .certificate
      } else if line.hasPrefix("Error: Unable to load client key") {
        file = .key
      } else if line.hasPrefix("Error: Client certificate/key are inconsistent") {
        file = .mismatch
      }
    }

    /// `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed` gives 0A000086.
    private static func code(in line: String) -> UInt32? {
      let parts = line.split(separator: ":")
      guard let mark = parts.firstIndex(where: { $0.hasSuffix("error") }), mark + 1 < parts.endIndex else {
        return nil
      }
      return UInt32(parts[mark + 1], radix: 16)
    }
  }

  static func certificate(_ code: Int, host: String) -> BrokerCause {
    switch Int32(clamping: code) {
    case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
    case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .certificateSelfSigned
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .certificateUnknownAuthority
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      .certificateUnknownIssuer
    case X509_V_ERR_CERT_REVOKED: .certificateRevoked
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .certificateWrongHost(host: host)
    default: .certificateRefused(code: code)
    }
  }

  /// `code` is an errno of socket, connect, read or write.
  static func system(_ code: Int32) -> BrokerCause {
    switch code {
    case ECONNREFUSED: .refused
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL: .unreachable
    case ETIMEDOUT: .timedOut
    case ECONNRESET, EPIPE: .reset
    // The library's code for any TLS error that it has no name for.
    case EPROTO: .closedInHandshake
    default: .systemError(code: code, text: errorText(code))
    }
  }

  /// `code` is what getaddrinfo returned; `seconds` how long it took.
  static func resolver(_ code: Int32, host: String, seconds: Int) -> BrokerCause {
    // Spelled as numbers: not every name is visible without _GNU_SOURCE.
    switch code {
    case -2, -5: .nameNotFound(host: host)  // EAI_NONAME, EAI_NODATA
    case -3, -4: .nameServerSilent(seconds: seconds)  // EAI_AGAIN, EAI_FAIL
    default: .systemError(code: code, text: String(cString: gai_strerror(code)))
    }
  }

  /// The answer to CONNECT; `level` is the protocol's. nil: accepted.
  static func greeting(_ code: Int, level: Int) -> BrokerCause? {
    switch (level == 5, code) {
    case (_, 0): nil
    case (false, 1), (true, 0x84): .versionRefused(level: level)
    case (false, 2), (true, 0x85): .identifierRejected
    case (false, 3), (true, 0x88), (true, 0x89): .serverUnavailable
    case (false, 4), (true, 0x86): .badCredentials
    case (false, 5), (true, 0x87), (true, 0x8A): .notAuthorised
    default: reason(code)
    }
  }

  /// An MQTT 5 reason code of DISCONNECT or PUBACK.
  static func reason(_ code: Int) -> BrokerCause {
    switch code {
    case 0x8E: .clientIDInUse
    case 0x8B: .serverUnavailable
    case 0x10: .reason(code: code, text: "nobody has subscribed, as the broker says")
    default: .reason(code: code, text: String(cString: mosquitto_reason_string(Int32(code))))
    }
  }

  static func errorText(_ code: Int32) -> String {
    // glibc keeps one text per thread.
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
