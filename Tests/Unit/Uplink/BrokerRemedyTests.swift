import Glibc
import Model
import Testing

@testable import Uplink

// behaviour: status and doctor
/// Each cause has a remedy of its own.
@Suite struct BrokerRemedyTests {
  private static let causes: [BrokerCause] = [
    .switchedOff, .settingsChanged, .askedAnew, .expectsTLS,
    .nothingComesBack(topics: ["a"], base: "a", isLevelForced: true), .hearsNoCommands(topic: "a/cmd"),
    .echoMissing("a/cmd"), .portIsZero, .hostMissing,
    .settingRefused("tls"),
    .nameNotFound(host: "mqtt.example"), .nameServerSilent(seconds: 5), .refused, .unreachable, .timedOut,
    .reset,
    .closedByBroker, .closedEarly, .closedAtLevel5(isTLS: false), .closedAtLevel5(isTLS: true),
    .takesNoConnections,
    .noGreeting(seconds: 30), .routeChanged, .silent, .systemError(code: 5, text: "I/O error"),
    .handshakeSilent(seconds: 30), .closedInHandshake, .closedAfterHandshake, .notTLS, .tlsVersion,
    .certificateExpired, .certificateNotYetValid, .certificateWrongHost(host: "a"), .certificateSelfSigned,
    .certificateUnknownAuthority, .certificateUnknownIssuer, .certificateRevoked,
    .certificateRefused(code: 26),
    .clientCertificateRefused, .clientCertificateMissing, .fileUnreadable(path: "/a/ca.pem", why: "no"),
    .fileUnusable(path: "/a/ca.pem", what: "certificates"), .keyMismatch(path: "/a/key.pem"),
    .tlsError(code: 1),
    .notMQTT, .answersHTTP, .publishForbidden(topic: "a"), .sentElsewhere(status: 302, host: "b"),
    .badCredentials, .notAuthorised, .identifierRejected, .versionRefused(level: 5),
    .serverUnavailable,
    .clientIDInUse, .clientIDReplaced, .packetLimit(bytes: 50), .notAcknowledging(seconds: 40),
    .closedOver(bytes: 5000), .oversized(bytes: 1_000_000), .unreleased, .crowded,
    .reason(code: 0x97, text: "quota"),
    .reason(code: 0x83, text: "specific"), .reason(code: 0x9B, text: "QoS"),
    .reason(code: 0x87, text: "not authorised"), .reason(code: 0x80, text: "unspecified"),
    .nothingPosted, .endedWithoutAnswer, .certificateRefusedBecause("expired"), .webPage,
    .answered(status: 401),
    .answered(status: 503), .refusesAll(status: 400),
  ]

  private func remedy(_ configuration: Configuration = Configuration()) -> BrokerRemedy {
    var configuration = configuration
    if configuration.broker.host.isEmpty { configuration.broker.host = "broker.example" }
    return BrokerRemedy(configuration)
  }

  /// The names of the cases, from where they are written.
  private func names() throws -> [String] {
    let root = #filePath.components(before: "/Tests/Unit/Uplink/")
    let file = try #require(fopen(root + "/Sources/Uplink/Cause/BrokerCause.swift", "r"))
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&buffer, 1, buffer.count, file)
    let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
    return lines.filter { $0.hasPrefix("  case ") }.map { line in
      String(line.dropFirst(7).prefix { $0.isLetter || $0.isNumber })
    }
  }

  @Test func noCauseIsLeftOutHere() throws {
    let other = ["closedAtLevel5", "certificateRefusedBecause", "answered", "refusesAll"]
    let words = Set(Self.causes.map(\.word))
    let missing = try names().filter { !other.contains($0) && !words.contains($0) }
    #expect(missing.isEmpty && words.count > 50)
  }

  @Test func everyCauseHasOneLineOfItsOwn() {
    var configuration = Configuration()
    configuration.identity.username = "jane"
    let remedies = Self.causes.map { remedy(configuration).words(for: $0) }
    #expect(remedies.allSatisfy { $0.count > 10 && !$0.contains("\n") })
    // What is changed in the same way may be said in the same words.
    let shared: Set<String> = [
      "closedEarly", "noGreeting", "notMQTT", "handshakeSilent", "closedInHandshake", "notTLS",
      "clientIDReplaced",
      "serverUnavailable", "notAcknowledging", "endedWithoutAnswer", "answered503",
    ]
    let own = zip(Self.causes, remedies).filter { !shared.contains($0.0.word) }.map(\.1)
    #expect(Set(own).count == own.count)
  }

  @Test func remedyForPermanentCausePromisesNoRecovery() {
    for cause in Self.causes where cause.needsPerson {
      #expect(!remedy().words(for: cause).contains("by itself"), "\(cause)")
    }
  }

  @Test(arguments: [
    ("mqtt://b", "without mqtt://"), ("b:1883", "without :port"), ("b.local", "libnss-mdns"),
    ("b.example", "spelling"),
  ])
  func aNameThatIsNotFoundIsLookedAt(host: String, words: String) {
    #expect(remedy().words(for: .nameNotFound(host: host)).contains(words))
  }

  @Test func theWayDecides() {
    var plain = Configuration()
    plain.tls.isOn = false
    plain.broker.port = 8883
    #expect(remedy(plain).words(for: .closedEarly).contains("homeward config set tls true; "))
    #expect(remedy().words(for: .notTLS).contains("homeward config set tls false; then: homeward reload"))
    #expect(remedy().words(for: .badCredentials).contains("homeward config set username NAME"))
    plain.identity.username = "jane"
    #expect(
      remedy(plain).words(for: .badCredentials)
        == "user jane or the password is refused: homeward config set password -; then: homeward reload")
    #expect(remedy(plain).words(for: .notAuthorised).contains("homeward config set clientId NAME"))
    plain.transport = .http
    plain.http.url = "https://secret.example/hook"
    let posted = Self.causes.map { remedy(plain).words(for: $0) }
    #expect(!posted.contains { $0.contains("secret") })
    #expect(remedy(plain).words(for: .nameNotFound(host: "a")).contains("homeward config set url -"))
  }
}

extension String {
  /// What stands before the first `mark`; all of it where there is none.
  fileprivate func components(before mark: String) -> String {
    var rest = self[...]
    while !rest.isEmpty, !rest.hasSuffix(mark) { rest = rest.dropLast() }
    return rest.isEmpty ? self : String(rest.dropLast(mark.count))
  }
}
