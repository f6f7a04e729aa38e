import Model

/// Why the broker is not connected, or not well connected. Every cause has its own word for programs and its own
/// sentence for people; neither contains a secret.
public enum BrokerCause: Hashable, Sendable {
  // By choice
  /// A person has switched the connection off, or nothing has asked for one yet.
  case switchedOff
  /// New settings ended the connection; the next one is being made.
  case settingsChanged
  /// A person wants another connection, which is being made.
  case askedAnew
  /// The configuration wants no connection.
  case portIsZero
  /// The configuration names no broker.
  case hostMissing
  /// In plain words: which setting, and what it needs.
  case settingRefused(String)

  // The way there
  /// The name servers answer that there is no such name.
  case nameNotFound(host: String)
  /// The name server has not answered yet, after this time.
  case nameServerSilent(seconds: Int)
  /// The host is there, and nothing listens on the port.
  case refused
  /// The kernel knows no route.
  case unreachable
  /// The connection was not made within `connectionTimeoutSeconds`.
  case timedOut
  /// By the peer or by something in between.
  case reset
  /// After its greeting, without giving a reason.
  case closedByBroker
  /// Before its greeting, on a connection without TLS.
  case closedEarly
  /// The same, but the protocol level may be the reason.
  case closedAtLevel5(isTLS: Bool)
  /// Closed before the greeting, though the broker has greeted us there before, in this process's life.
  case takesNoConnections
  /// Connected for this long without a greeting.
  case noGreeting(seconds: Int)
  /// The connection was over a route that is gone.
  case routeChanged
  /// The broker did not answer the keepalive.
  case silent
  /// The kernel's number and words.
  case systemError(code: Int32, text: String)

  // TLS
  /// Connected for this long without a finished TLS handshake.
  case handshakeSilent(seconds: Int)
  /// Before the TLS handshake was over.
  case closedInHandshake
  /// After the TLS handshake and before the greeting.
  case closedAfterHandshake
  /// The answer is not TLS.
  case notTLS
  /// The port answers TLS and closes anything else.
  case expectsTLS
  /// The broker offers no version that is still safe.
  case tlsVersion
  /// By our clock.
  case certificateExpired
  /// By our clock, which is more likely to be wrong than the certificate.
  case certificateNotYetValid
  /// The host that was called.
  case certificateWrongHost(host: String)
  /// Signed by itself alone, and not in `tlsCaFile`.
  case certificateSelfSigned
  /// The chain ends with one that is not trusted.
  case certificateUnknownAuthority
  /// The chain is not complete.
  case certificateUnknownIssuer
  /// Its authority has revoked it.
  case certificateRevoked
  /// The number of OpenSSL's X509_V_ERR that has no case of its own.
  case certificateRefused(code: Int)
  /// The broker does not accept ours.
  case clientCertificateRefused
  /// The broker wants one, and the configuration has none.
  case clientCertificateMissing
  /// Of a certificate or a key; `why` in the kernel's words.
  case fileUnreadable(path: String, why: String)
  /// The file is readable but holds no `what` in PEM form.
  case fileUnusable(path: String, what: String)
  /// The key at `path` belongs to another certificate.
  case keyMismatch(path: String)
  /// OpenSSL's number, to be looked up.
  case tlsError(code: UInt32)

  // MQTT
  /// The answer is not a greeting.
  case notMQTT
  /// The answer is HTTP: a web server, or the login page of a network.
  case answersHTTP
  /// The broker refuses user name and password.
  case badCredentials
  /// The user may not connect; also from brokers that do not distinguish this from a wrong password.
  case notAuthorised
  /// The broker does not accept the client id.
  case identifierRejected
  /// `level`: that of `mqttProtocolLevel`.
  case versionRefused(level: Int)
  /// The broker says that it cannot serve now.
  case serverUnavailable
  /// The broker says so, or ends one connection after the other as soon as they stand.
  case clientIDInUse
  /// Against the rules of MQTT 5 the broker assigns another id than the one it was given.
  case clientIDReplaced
  /// The broker acknowledges messages on these topics, but none came back that should have. `base`: the topic of
  /// locations; `isLevelForced`: `mqttProtocolLevel` sets the protocol level.
  case nothingComesBack(topics: [String], base: String, isLevelForced: Bool)
  /// The broker has granted the subscription to commands and accepts those this board sends to itself, but none
  /// arrives.
  case hearsNoCommands(topic: String)
  /// The same, but the broker may have dropped the command: another connection shows more.
  case echoMissing(String)
  /// The broker says that this user may not publish there (MQTT 5). `topic`: that of locations.
  case publishForbidden(topic: String)
  /// No location fits into its packets.
  case packetLimit(bytes: Int)
  /// For this long, with a connection that stands.
  case notAcknowledging(seconds: Int)
  /// The broker ends the connection when it is sent this message.
  case closedOver(bytes: Int)
  /// The broker sent a packet that is too large to be accepted.
  case oversized(bytes: Int)
  /// The broker sends QoS 2 messages and does not release them.
  case unreleased
  /// The broker sent a packet with more properties (MQTT 5) than are accepted.
  case crowded
  /// A code of MQTT 5 that has no case of its own, and its words.
  case reason(code: Int, text: String)

  // HTTP
  /// HTTP has no connection to look at: unknown until the first post.
  case nothingPosted
  /// The posted message may have arrived.
  case endedWithoutAnswer
  /// In the words of a TLS library whose numbers are unknown here.
  case certificateRefusedBecause(String)
  /// Success, and a page for people: a network's login page, or a web site.
  case webPage
  /// A redirection to another host, over an unencrypted connection: a network's login page, as a rule.
  case sentElsewhere(status: Int, host: String)
  /// The endpoint's answer was not one of success.
  case answered(status: Int)
  /// The same answer to several messages in a row, none accepted in between.
  case refusesAll(status: Int)

  /// Whether a person has to fix it; all else heals by itself and is tried again.
  public var needsPerson: Bool {
    switch self {
    // 408, 429 and those from 500 on pass by themselves.
    case .answered(let status): status < 500 && status != 408 && status != 429
    case .hostMissing, .settingRefused, .nameNotFound, .notTLS, .expectsTLS, .tlsVersion, .certificateExpired,
      .certificateNotYetValid, .certificateWrongHost, .certificateSelfSigned, .certificateUnknownAuthority,
      .certificateUnknownIssuer, .certificateRevoked, .certificateRefused, .clientCertificateRefused,
      .clientCertificateMissing, .fileUnreadable, .fileUnusable, .keyMismatch, .notMQTT, .answersHTTP,
      .badCredentials,
      .notAuthorised, .identifierRejected, .versionRefused, .clientIDInUse,
      .clientIDReplaced, .packetLimit, .certificateRefusedBecause, .webPage, .sentElsewhere, .refusesAll:
      true
    case .switchedOff, .settingsChanged, .askedAnew, .portIsZero, .nameServerSilent, .refused, .unreachable,
      .timedOut,
      .reset,
      .closedByBroker, .closedEarly, .closedAtLevel5, .takesNoConnections, .noGreeting, .routeChanged,
      .silent, .systemError, .handshakeSilent,
      .closedInHandshake, .closedAfterHandshake, .tlsError, .serverUnavailable, .notAcknowledging,
      .closedOver, .oversized, .unreleased, .crowded, .reason,
      // Not certain: perhaps only the right to read is missing.
      .nothingComesBack, .hearsNoCommands, .echoMissing,
      // The board goes on with the messages it may publish, and tries again.
      .publishForbidden,
      .nothingPosted, .endedWithoutAnswer:
      false
    }
  }

  /// Whether there is no way to the server, which is another question than who has to do something: without coverage a
  /// router answers in place of name servers, a network in place of the server.
  public var isOutage: Bool {
    switch self {
    // On the way.
    case .nameNotFound, .nameServerSilent, .refused, .unreachable, .timedOut, .reset, .routeChanged, .silent,
      .systemError, .handshakeSilent, .noGreeting, .endedWithoutAnswer:
      true
    // Somebody closes without a word: the server, or what stands in between.
    case .closedByBroker, .closedEarly, .closedAtLevel5, .takesNoConnections, .closedInHandshake,
      .closedAfterHandshake, .tlsError, .notAcknowledging, .closedOver:
      true
    // Somebody else answers, as the login page of a network does.
    case .notTLS, .notMQTT, .answersHTTP, .webPage, .sentElsewhere: true
    // Another connection is being made.
    case .settingsChanged, .askedAnew, .hearsNoCommands, .echoMissing: true
    // The server answers.
    case .expectsTLS, .tlsVersion, .certificateExpired, .certificateNotYetValid, .certificateWrongHost,
      .certificateSelfSigned, .certificateUnknownAuthority, .certificateUnknownIssuer, .certificateRevoked,
      .certificateRefused, .certificateRefusedBecause, .clientCertificateRefused, .clientCertificateMissing,
      .badCredentials, .notAuthorised, .identifierRejected, .versionRefused, .serverUnavailable,
      .clientIDInUse,
      .clientIDReplaced, .nothingComesBack, .publishForbidden, .packetLimit, .oversized, .unreleased,
      .crowded,
      .reason, .answered, .refusesAll:
      false
    // Nothing is tried.
    case .switchedOff, .portIsZero, .hostMissing, .settingRefused, .fileUnreadable, .fileUnusable,
      .keyMismatch,
      .nothingPosted:
      false
    }
  }

  /// The colour shown for it while there is no good connection.
  public var colour: ConnectionColour {
    switch self {
    case .switchedOff, .portIsZero, .nothingPosted: .blue
    default: needsPerson ? .red : .amber
    }
  }

  /// Whether this can be the broker ending a connection because of what it was sent.
  var isTheBrokers: Bool {
    switch self {
    case .closedByBroker, .reset, .reason: true
    default: false
    }
  }

  /// Whether the server's own end explains it, which all of its trackers see in the same moment: it stops, is
  /// overloaded, or throws out a group. A board's own loss of coverage looks otherwise.
  var isServersEnd: Bool {
    switch self {
    case .refused, .reset, .closedByBroker, .closedEarly, .closedAtLevel5, .takesNoConnections, .noGreeting,
      .closedInHandshake, .closedAfterHandshake, .serverUnavailable, .endedWithoutAnswer:
      true
    // Busy, shutting down, rights changed, quota, connection rate, another server.
    case .reason(let code, _): [0x89, 0x8B, 0x97, 0x98, 0x9C, 0x9D, 0x9F].contains(code)
    case .answered(let status): status >= 500 || status == 429
    default: false
    }
  }

  /// The cause to report for a message that a connection has ended over.
  public func over(_ message: Message) -> BrokerCause {
    if end == .silent { self } else { .closedOver(bytes: message.size) }
  }

  /// Nobody has subscribed: the broker takes the message, and it is held here.
  public var isForWantOfSubscribers: Bool { if case .reason(code: 0x10, _) = self { true } else { false } }

  /// Whether a connection ends so by our own DISCONNECT, while the program goes on.
  public var isLeaving: Bool {
    switch self {
    case .settingsChanged, .askedAnew, .switchedOff, .hearsNoCommands, .echoMissing: true
    default: false
    }
  }

  /// How the connection ended, as far as its messages in flight are concerned.
  var end: ConnectionEnd.Kind {
    switch self {
    case .closedByBroker, .clientIDInUse, .reset, .reason: .closed
    case .silent, .notAcknowledging, .timedOut, .unreachable, .systemError: .silent
    default: .left
    }
  }

  /// Whether a new message is a reason to try sooner: not if a person has to act, nor if the server itself has said
  /// that it cannot.
  var isHurryOfUse: Bool {
    switch self {
    case .serverUnavailable, .answered, .refusesAll: false
    // Without coverage this may be the name server's answer.
    case .nameNotFound: true
    default: !needsPerson
    }
  }

  /// Whether trying soon again is of no use: the answer will be the same.
  var isVerdict: Bool {
    switch self {
    case .badCredentials, .notAuthorised, .identifierRejected, .versionRefused, .clientIDReplaced: true
    default: false
    }
  }
}
