import Model

/// Why the broker is not connected, or not well connected. Every one has its own word for programs and
/// its own sentence for people; nothing secret is in either.
public enum BrokerCause: Hashable, Sendable {
  // By choice
  case switchedOff
  /// New settings ended the connection; the next one is on its way.
  case settingsChanged
  case portIsZero
  case hostMissing
  case settingRefused(String)

  // The way there
  case nameNotFound(host: String)
  case nameServerSilent(seconds: Int)
  case refused
  case unreachable
  case timedOut
  case reset
  case closedByBroker
  case closedEarly
  /// The same where it may be the level's fault.
  case closedAtLevel5(isTLS: Bool)
  /// It has greeted us there before, in this process's life.
  case takesNoConnections
  case noGreeting(seconds: Int)
  case routeChanged
  case silent
  case systemError(code: Int32, text: String)

  // TLS
  case handshakeSilent(seconds: Int)
  case closedInHandshake
  case closedAfterHandshake
  case notTLS
  case tlsVersion
  case certificateExpired
  case certificateNotYetValid
  case certificateWrongHost(host: String)
  case certificateSelfSigned
  case certificateUnknownAuthority
  case certificateUnknownIssuer
  case certificateRevoked
  case certificateRefused(code: Int)
  case clientCertificateRefused
  case clientCertificateMissing
  case fileUnreadable(path: String, why: String)
  case fileUnusable(path: String, what: String)
  case keyMismatch(path: String)
  case tlsError(code: UInt32)

  // MQTT
  case notMQTT
  case badCredentials
  case notAuthorised
  case identifierRejected
  case versionRefused(level: Int)
  case serverUnavailable
  case clientIDInUse
  /// Against the rules of MQTT 5 it names another id than the one that it was given.
  case clientIDReplaced
  /// No location fits into its packets.
  case packetLimit(bytes: Int)
  case notAcknowledging(seconds: Int)
  /// It ends the connection when it is given this message.
  case closedOver(bytes: Int)
  /// It sent a packet that is not taken in.
  case oversized(bytes: Int)
  /// It sends messages and does not release them.
  case unreleased
  case reason(code: Int, text: String)

  // HTTP
  case nothingPosted
  case endedWithoutAnswer
  /// In the words of a TLS library whose numbers nobody here knows.
  case certificateRefusedBecause(String)
  /// Success, and a page for people: a network's login page, or a web site.
  case webPage
  /// The endpoint's answer was not one of success.
  case answered(status: Int)

  /// Whether a person has to mend it; all else heals by itself and is tried again.
  public var needsPerson: Bool {
    switch self {
    // 408, 429 and those from 500 on pass by themselves.
    case .answered(let status): status < 500 && status != 408 && status != 429
    case .hostMissing, .settingRefused, .nameNotFound, .notTLS, .tlsVersion, .certificateExpired,
      .certificateNotYetValid, .certificateWrongHost, .certificateSelfSigned, .certificateUnknownAuthority,
      .certificateUnknownIssuer, .certificateRevoked, .certificateRefused, .clientCertificateRefused,
      .clientCertificateMissing, .fileUnreadable, .fileUnusable, .keyMismatch, .notMQTT, .badCredentials,
      .notAuthorised, .identifierRejected, .versionRefused, .clientIDInUse,
      .clientIDReplaced, .packetLimit, .certificateRefusedBecause, .webPage:
      true
    case .switchedOff, .settingsChanged, .portIsZero, .nameServerSilent, .refused, .unreachable, .timedOut,
      .reset,
      .closedByBroker, .closedEarly, .closedAtLevel5, .takesNoConnections, .noGreeting, .routeChanged,
      .silent, .systemError, .handshakeSilent,
      .closedInHandshake, .closedAfterHandshake, .tlsError, .serverUnavailable, .notAcknowledging,
      .closedOver, .oversized, .unreleased, .reason,
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
  func over(_ message: Message) -> BrokerCause {
    if case .notAcknowledging = self { self } else { .closedOver(bytes: message.size) }
  }

  /// Whether trying soon again is of no use: the answer will be the same.
  var isVerdict: Bool {
    switch self {
    case .badCredentials, .notAuthorised, .identifierRejected, .versionRefused, .clientIDReplaced: true
    default: false
    }
  }
}
