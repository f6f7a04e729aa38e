import CMosquitto
import Glibc

/// From what libmosquitto, the resolver, the socket and OpenSSL leave behind to a cause.
enum BrokerDiagnosis {
  /// What was noticed of TLS while a connection was being made.
  struct Notes: Sendable {
    /// X509_V_ERR_ number of the refused certificate.
    var verifyResult = 0
    /// Codes of OpenSSL's error queue, oldest first.
    var errors: [UInt32] = []
    var isHostWrong = false
    /// The file that could not be used.
    var file: FileTrouble?

    enum FileTrouble: Sendable { case authority, certificate, key, mismatch }

    /// Reads a line of libmosquitto's log; `verifyResult` is asked for only where it matters.
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

  /// What TLS has to say; nil where it says nothing.
  static func tls(_ notes: Notes, settings: BrokerSettings) -> BrokerCause? {
    if let file = notes.file, let cause = fileCause(file, settings.tls) { return cause }
    if notes.isHostWrong { return .certificateWrongHost(host: settings.host) }
    // The top bit: an errno, which tells of the socket and not of TLS.
    let errors = notes.errors.filter { $0 >> 31 == 0 }
    for code in errors {
      // Library 20 is SSL; the lower 23 bits are the reason (OpenSSL 3).
      guard (code >> 23) & 0xFF == 20 else { continue }
      return reason(Int(code & 0x7F_FFFF), notes, settings) ?? .tlsError(code: code)
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

  /// OpenSSL's reasons; those from 1000 on are alerts that the other side sent.
  private static func reason(_ reason: Int, _ notes: Notes, _ settings: BrokerSettings) -> BrokerCause? {
    let hasCertificate = settings.tls?.certificate.isEmpty == false
    return switch reason {
    case 134: certificate(notes.verifyResult, host: settings.host)
    // Wrong version number, HTTP, packet too long: what comes is no TLS record at all.
    case 267, 156, 198, 155: .notTLS
    case 258, 1070: .tlsVersion
    case 294: .closedInHandshake
    case 1116: .clientCertificateMissing
    case 1040: hasCertificate ? .clientCertificateRefused : .clientCertificateMissing
    case 1042...1046, 1048, 1049: .clientCertificateRefused
    default: nil
    }
  }

  static func certificate(_ code: Int, host: String) -> BrokerCause {
    switch code {
    case 9: .certificateNotYetValid
    case 10: .certificateExpired
    case 18: .certificateSelfSigned
    case 19: .certificateUnknownAuthority
    case 2, 20, 21: .certificateUnknownIssuer
    case 23: .certificateRevoked
    case 62, 64: .certificateWrongHost(host: host)
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
    default: .reason(code: code, text: String(cString: mosquitto_reason_string(Int32(code))))
    }
  }

  static func errorText(_ code: Int32) -> String {
    // glibc keeps one text per thread.
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
