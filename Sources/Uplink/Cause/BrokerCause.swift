import Model

/// Why the broker is not connected, or not well connected. Every one has its own word for programs and
/// its own sentence for people; nothing secret is in either.
public enum BrokerCause: Hashable, Sendable {
  // By choice
  /// A person has switched the connection off, or nothing has asked for one yet.
  case switchedOff
  /// New settings ended the connection; the next one is on its way.
  case settingsChanged
  /// A person wants another one, which is on its way.
  case askedAnew
  /// The configuration wants no connection.
  case portIsZero
  /// The configuration names no broker.
  case hostMissing
  /// In plain words, which setting and what it needs.
  case settingRefused(String)

  // The way there
  /// The name servers answer that there is no such name.
  case nameNotFound(host: String)
  /// It is still being asked, and for how long.
  case nameServerSilent(seconds: Int)
  /// The host is there, and nothing listens on the port.
  case refused
  /// The kernel knows no route.
  case unreachable
  /// The connection did not come about in `connectionTimeoutSeconds`.
  case timedOut
  /// By the peer or by something in between.
  case reset
  /// After its greeting, without a word.
  case closedByBroker
  /// Before its greeting, on a connection without TLS.
  case closedEarly
  /// The same where it may be the level's fault.
  case closedAtLevel5(isTLS: Bool)
  /// It has greeted us there before, in this process's life.
  case takesNoConnections
  /// It stands for so long, and the broker says nothing.
  case noGreeting(seconds: Int)
  /// The connection was over a route that is gone.
  case routeChanged
  /// It did not answer the keepalive.
  case silent
  /// The kernel's number and words.
  case systemError(code: Int32, text: String)

  // TLS
  /// It stands for so long, and TLS does not come about.
  case handshakeSilent(seconds: Int)
  /// Before TLS stood.
  case closedInHandshake
  /// After TLS stood and before the greeting.
  case closedAfterHandshake
  /// What came is no TLS.
  case notTLS
  /// It answers TLS and closes what is none.
  case expectsTLS
  /// It offers no version that is still safe.
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
  /// Its authority has taken it back.
  case certificateRevoked
  /// The number of OpenSSL's X509_V_ERR that has no case of its own.
  case certificateRefused(code: Int)
  /// The broker does not take ours.
  case clientCertificateRefused
  /// The broker wants one, and the configuration has none.
  case clientCertificateMissing
  /// Of a certificate or a key; `why` in the kernel's words.
  case fileUnreadable(path: String, why: String)
  /// It is read, and holds no `what` in PEM form.
  case fileUnusable(path: String, what: String)
  /// The key at `path` is of another certificate.
  case keyMismatch(path: String)
  /// OpenSSL's number, for those who look it up.
  case tlsError(code: UInt32)

  // MQTT
  /// What came is no greeting.
  case notMQTT
  /// What came is HTTP: a web server, or the login page of a network.
  case answersHTTP
  /// The broker refuses user name and password.
  case badCredentials
  /// The user may not connect; also from brokers that do not tell this from a wrong password.
  case notAuthorised
  /// The client id is none that it takes.
  case identifierRejected
  /// `level`: that of `mqttProtocolLevel`.
  case versionRefused(level: Int)
  /// The broker says that it cannot serve now.
  case serverUnavailable
  /// It says so, or connections are ended one after the other as soon as they stand.
  case clientIDInUse
  /// Against the rules of MQTT 5 it names another id than the one that it was given.
  case clientIDReplaced
  /// It acknowledges messages on these topics, and none came back that should have. `base`: that of locations;
  /// `isLevelForced`: `mqttProtocolLevel` says how it is spoken to.
  case nothingComesBack(topics: [String], base: String, isLevelForced: Bool)
  /// It has agreed to deliver commands, and takes what this board sends to itself there, and it does not come.
  case hearsNoCommands(topic: String)
  /// The same where the broker may have dropped it: another connection shows more.
  case echoMissing(String)
  /// It says that this user may not publish there (MQTT 5). `topic`: that of locations.
  case publishForbidden(topic: String)
  /// No location fits into its packets.
  case packetLimit(bytes: Int)
  /// For how long, with a connection that stands.
  case notAcknowledging(seconds: Int)
  /// It ends the connection when it is given this message.
  case closedOver(bytes: Int)
  /// It sent a packet that is not taken in.
  case oversized(bytes: Int)
  /// It sends messages and does not release them.
  case unreleased
  /// It sent a packet with more properties (MQTT 5) than are taken in.
  case crowded
  /// A code of MQTT 5 that has no case of its own, and its words.
  case reason(code: Int, text: String)

  // HTTP
  /// HTTP has no connection to look at: the first post tells.
  case nothingPosted
  /// What was posted may have arrived.
  case endedWithoutAnswer
  /// In the words of a TLS library whose numbers nobody here knows.
  case certificateRefusedBecause(String)
  /// Success, and a page for people: a network's login page, or a web site.
  case webPage
  /// A redirection to another host, over a connection that anybody can answer on: a network's login page, as a rule.
  case sentElsewhere(status: Int, host: String)
  /// The endpoint's answer was not one of success.
  case answered(status: Int)
  /// Several messages in a row, and none was taken between them.
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
      // As far as is known: perhaps nothing is wrong but a right to read.
      .nothingComesBack, .hearsNoCommands, .echoMissing,
      // It goes on with what it may publish, and tries again.
      .publishForbidden,
      .nothingPosted, .endedWithoutAnswer:
      false
    }
  }

  /// The light that goes with it while there is no good connection.
  public var colour: ConnectionColour {
    switch self {
    case .switchedOff, .portIsZero, .nothingPosted: .blue
    default: needsPerson ? .red : .amber
    }
  }

  /// Whether the broker may have ended a connection so because of what it was sent.
  var isTheBrokers: Bool {
    switch self {
    case .closedByBroker, .reset, .reason: true
    default: false
    }
  }

  /// What is said of a message that a connection has ended over.
  public func over(_ message: Message) -> BrokerCause {
    if end == .silent { self } else { .closedOver(bytes: message.size) }
  }

  /// Whether a connection ends so by our own DISCONNECT, while the program goes on.
  public var isLeaving: Bool {
    switch self {
    case .settingsChanged, .askedAnew, .switchedOff, .hearsNoCommands, .echoMissing: true
    default: false
    }
  }

  /// What it says of messages that were under way on a connection that stood.
  var end: ConnectionEnd.Kind {
    switch self {
    case .closedByBroker, .clientIDInUse, .reset, .reason: .closed
    case .silent, .notAcknowledging, .timedOut, .unreachable, .systemError: .silent
    default: .left
    }
  }

  /// Whether something new to tell is a reason to try sooner: not where a person has to act, nor where the server itself
  /// has said that it cannot.
  var isHurryOfUse: Bool {
    switch self {
    case .serverUnavailable, .answered, .refusesAll: false
    // Where there is no coverage this may be the name server's word.
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
