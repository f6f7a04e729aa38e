import CPacketGate

/// The causes in words for people: the fault and, if only a person can fix it, the remedy.
extension BrokerCause: CustomStringConvertible {
  public var description: String { text ?? tlsText ?? httpText ?? mqttText }

  private var text: String? {
    switch self {
    case .switchedOff: "switched off"
    case .settingsChanged: "the settings changed: connecting anew"
    case .askedAnew: "asked to connect anew"
    case .portIsZero: "offline: port is 0"
    case .hostMissing: "no broker: host is not set"
    case .settingRefused(let what): what
    case .nameNotFound(let host): "name not found: \(host)"
    case .nameServerSilent(let seconds):
      "name server does not answer" + (seconds > 0 ? " (\(seconds) s)" : "")
    case .refused: "connection refused: nothing listens on this port"
    case .unreachable: "network unreachable"
    case .timedOut: "timed out: no answer from the host"
    case .reset: "connection reset"
    case .closedByBroker: "the broker closed the connection"
    case .closedEarly: "closed before the broker's greeting: not an MQTT port, or it expects TLS"
    case .closedAtLevel5(isTLS: false):
      "closed before the broker's greeting: not an MQTT port, it expects TLS, or it does not speak MQTT 5 (try "
        + "mqttProtocolLevel 4)"
    case .closedAtLevel5(isTLS: true):
      "closed right after the TLS handshake: the broker may not speak MQTT 5 (try mqttProtocolLevel 4), or want "
        + "another certificate of us"
    case .takesNoConnections: "the broker takes no connections now: it closes them before its greeting"
    case .noGreeting(let seconds): "connected, but no MQTT greeting in \(seconds) s"
    case .routeChanged: "the route changed"
    case .silent: "the broker fell silent"
    case .systemError(_, let text): text
    default: nil
    }
  }

  private var tlsText: String? {
    switch self {
    case .handshakeSilent(let seconds): "connected, but no TLS handshake in \(seconds) s"
    case .closedInHandshake: "closed during the TLS handshake: the port may not speak TLS"
    case .closedAfterHandshake:
      "closed right after the TLS handshake: the broker may want another certificate of us"
    case .notTLS: "the port does not speak TLS: wrong port, or tls must be false"
    case .expectsTLS: "the port expects TLS: tls must be true, or another port"
    case .tlsVersion: "TLS version: the broker offers nothing newer than TLS 1.1"
    case .certificateExpired: "certificate expired"
    case .certificateNotYetValid: "certificate not yet valid: the clock may be wrong"
    case .certificateWrongHost(let host): "certificate is for another host name than \(host)"
    case .certificateSelfSigned: "certificate is self-signed: give it as tlsCaFile to trust it"
    case .certificateUnknownAuthority: "certificate of an unknown authority: set tlsCaFile to its certificate"
    case .certificateUnknownIssuer:
      "certificate's issuer unknown: tlsCaFile does not hold it, and the broker does not send it"
    case .certificateRevoked: "certificate revoked"
    case .certificateRefused(let code): "certificate refused (X509 error \(code))"
    case .clientCertificateRefused: "the broker refused the client certificate (tlsClientCert)"
    case .clientCertificateMissing:
      "the broker wants a client certificate: set tlsClientCert and tlsClientKey"
    case .fileUnreadable(let path, let why): "\(path): cannot be read: \(why)"
    case .fileUnusable(let path, let what): "\(path): not \(what) in PEM form"
    case .keyMismatch(let path): "\(path): key does not belong to the client certificate"
    case .tlsError(let code): "TLS error \(String(code, radix: 16))"
    default: nil
    }
  }

  private var httpText: String? {
    switch self {
    case .nothingPosted: "nothing posted yet"
    case .endedWithoutAnswer: "the endpoint closed the connection without an answer"
    case .certificateRefusedBecause(let words): "certificate refused: \(words)"
    case .webPage:
      "a web page answers (HTML): this network wants a login, or url is no tracker's endpoint"
    case .refusesAll(let status):
      "the endpoint refuses all that is posted and may not know this board (\(status)): everything waits"
    case .sentElsewhere(let status, let host):
      "what is posted is redirected to \(host) (\(status)): this network wants a login, or url has moved there"
    case .answered(let status):
      switch status {
      case 300..<400: "the endpoint redirects (\(status)): set url to where it leads"
      case 401: "the endpoint refuses user or password (401)"
      case 403: "the endpoint forbids it (403)"
      case 404: "the endpoint knows no such address (404): look at url"
      case 405: "the endpoint takes no posts at this address (405): look at url"
      case 410: "the endpoint has gone from this address (410): look at url"
      case 408: "the endpoint waited too long for us (408)"
      case 429: "the endpoint wants fewer messages (429)"
      case 511: "this network wants a login (511)"
      case 500...: "the endpoint is in trouble (\(status))"
      default: "the endpoint refuses the message (\(status))"
      }
    default: nil
    }
  }

  private var mqttText: String {
    switch self {
    case .notMQTT: "the port does not speak MQTT: wrong port, or tls must be true"
    case .answersHTTP: "a web server answers (HTTP): this network wants a login, or the port is the wrong one"
    case .badCredentials: "bad user name or password"
    case .notAuthorised: "not authorised"
    case .identifierRejected: "the broker rejected the client identifier (clientId)"
    case .versionRefused(let level): "the broker refused protocol level \(level): set mqttProtocolLevel"
    case .serverUnavailable: "server unavailable"
    case .clientIDInUse:
      "client id in use by another device? Connections are closed as soon as they are established"
    case .clientIDReplaced:
      "the broker names another client id than the one it was given, against the rules of MQTT 5: set "
        + "mqttProtocolLevel to 4"
    case .nothingComesBack(let topics, _, _):
      "it acknowledges what is published on \(topics.joined(separator: ", ")) and none of it came back: it may drop it "
        + "for want of a right to write, or keep us from reading it (MQTT 3.1.1 does not say which)"
    case .hearsNoCommands(let topic):
      "no commands arrive: what this board sends to itself on \(topic) is taken by the broker and does not come back"
    case .echoMissing(let topic):
      "what this board sends to itself on \(topic) has not come back: asking for commands anew"
    case .publishForbidden(let topic):
      "the broker refuses all that is published on \(topic) (not authorised): locations wait"
    case .packetLimit(let bytes):
      "the broker takes no packets of more than \(bytes) bytes: no location fits into that; they wait"
    case .notAcknowledging(let seconds): "the broker does not acknowledge (\(seconds) s)"
    case .closedOver(let bytes):
      "it ends the connection over a message of \(bytes) bytes: see its limit of size, its access rules and whether it "
        + "keeps retained messages"
    case .oversized(let bytes):
      "it sent a packet of \(bytes) bytes and at most \(PacketLimits.packet) are read: connection ended"
    case .crowded:
      "it sent a packet with more than \(Int(PACKET_GATE_PROPERTIES)) properties: connection ended"
    case .unreleased: "it sent too many messages of QoS 2 without releasing them: connection ended"
    case .reason(let code, let text): "\(text) (reason code 0x\(String(code, radix: 16)))"
    default: "unknown"
    }
  }
}
