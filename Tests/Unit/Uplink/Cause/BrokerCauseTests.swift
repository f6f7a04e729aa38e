import Model
import Testing

@testable import Uplink

/// What a cause says: to programs, to people, and of what comes next.
@Suite struct BrokerCauseTests {
  private let message = Message(
    sequence: 1, topic: "t", payload: [1, 2, 3], qos: 1, isRetained: false, isEvent: false, time: 0)

  @Test(arguments: [
    (400, true), (407, true), (408, false), (409, true), (428, true), (429, false), (430, true), (499, true),
    (500, false), (501, false), (503, false),
  ])
  func answersThatPassByThemselvesAreNoWorkForAPerson(_ status: Int, isWork: Bool) {
    #expect(BrokerCause.answered(status: status).needsPerson == isWork)
    #expect(BrokerCause.answered(status: status).colour == (isWork ? .red : .amber))
  }

  @Test func aMessageIsSuspectedOnlyWhereTheBrokerHasEndedTheConnection() {
    for cause in [BrokerCause.closedByBroker, .reset, .reason(code: 0x95, text: "too large")] {
      #expect(cause.over(message) == .closedOver(bytes: message.size), "\(cause)")
    }
    for cause in [BrokerCause.silent, .timedOut, .notAcknowledging(seconds: 45)] {
      #expect(cause.over(message) == cause, "\(cause)")
    }
  }

  @Test func withoutCoverageNoNameIsFound() {
    #expect(BrokerCause.nameNotFound(host: "broker.example").isHurryOfUse)
    #expect(BrokerCause.refused.isHurryOfUse)
    #expect(!BrokerCause.certificateExpired.isHurryOfUse)
  }

  // behaviour: No way out for long
  @Test(arguments: [
    BrokerCause.nameNotFound(host: "h"), .nameServerSilent(seconds: 5), .refused, .unreachable, .timedOut,
    .silent,
    .notTLS, .answersHTTP, .notMQTT, .webPage, .sentElsewhere(status: 302, host: "h"), .endedWithoutAnswer,
    .closedInHandshake, .settingsChanged,
  ])
  func withoutAWayToTheServerItIsAnOutage(_ cause: BrokerCause) { #expect(cause.isOutage) }

  // behaviour: No way out for long
  @Test(arguments: [
    BrokerCause.badCredentials, .notAuthorised, .identifierRejected, .clientCertificateRefused,
    .certificateExpired,
    .serverUnavailable, .answered(status: 503), .refusesAll(status: 400), .portIsZero, .switchedOff,
    .hostMissing,
    .settingRefused("x"), .fileUnreadable(path: "/x", why: "y"), .nothingPosted,
  ])
  func aServerThatAnswersAndASettingThatForbidsAreNone(_ cause: BrokerCause) { #expect(!cause.isOutage) }

  @Test func secondsAreNamedWhereThereAreAny() {
    let words = [0, 1, 5].map { BrokerCause.nameServerSilent(seconds: $0).description }
    let start = "name server does not answer"
    #expect(words == [start, start + " (1 s)", start + " (5 s)"])
  }

  @Test func numbersOfOthersAreHexadecimal() {
    #expect(BrokerCause.tlsError(code: 0x0A00_0086).description == "TLS error a000086")
    #expect(BrokerCause.reason(code: 0x97, text: "quota").description == "quota (reason code 0x97)")
    let remedy = BrokerRemedy(Configuration())
    #expect(remedy.words(for: .tlsError(code: 0x0A00_0086)).contains("openssl errstr a000086;"))
    #expect(remedy.words(for: .reason(code: 0x80, text: "unspecified")).contains("look for 0x80 in"))
  }

  @Test func actionableReasonCodesHaveRemedies() {
    let remedy = BrokerRemedy(Configuration())
    for (code, words) in [
      (0x83, "reject-publish"), (0x87, "right to publish"), (0x97, "quota"), (0x9B, "pubQos 1"),
    ] {
      #expect(remedy.words(for: .reason(code: code, text: "")).contains(words), "\(code)")
    }
  }

  // MARK: Remedies

  private func remedy(isTLS: Bool, isHTTP: Bool = false) -> BrokerRemedy {
    var configuration = Configuration()
    configuration.broker.host = "broker.example"
    configuration.broker.port = 4567
    configuration.tls.isOn = isTLS
    if isHTTP {
      configuration.transport = .http
      configuration.http.url = isTLS ? "https://hook.example" : "http://hook.example"
    }
    return BrokerRemedy(configuration)
  }

  @Test func thePortThatIsProposedIsThatOfTheProtocol() {
    #expect(
      remedy(isTLS: true).words(for: .portIsZero) == "homeward config set port 8883; then: homeward reload")
    #expect(
      remedy(isTLS: false).words(for: .portIsZero) == "homeward config set port 1883; then: homeward reload")
  }

  @Test func aResetIsBlamedOnTLSOnlyWhereThereIsNone() {
    let plain = "if the port is one for TLS: homeward config set tls true; then: homeward reload"
    let other = "it tries again by itself; if it stays so, look at the server's log and at firewalls"
    #expect(remedy(isTLS: false).words(for: .reset) == plain)
    #expect(remedy(isTLS: true).words(for: .reset) == other)
    #expect(remedy(isTLS: false, isHTTP: true).words(for: .reset) == other)
    #expect(remedy(isTLS: true, isHTTP: true).words(for: .reset) == other)
  }

  @Test func brokersAndEndpointsAreNotConfused() {
    let (broker, endpoint) = (remedy(isTLS: true), remedy(isTLS: true, isHTTP: true))
    #expect(broker.words(for: .timedOut).hasPrefix("is broker.example:4567 switched on"))
    #expect(endpoint.words(for: .timedOut).hasPrefix("is the endpoint switched on"))
    #expect(broker.words(for: .refused).contains("\"listener 4567\""))
    #expect(endpoint.words(for: .refused) == "is the endpoint running, and does url name its port?")
    let wrong = BrokerCause.certificateWrongHost(host: "broker.example")
    #expect(broker.words(for: wrong).contains("-connect broker.example:4567 "))
    #expect(broker.words(for: wrong).contains("homeward config set host NAME"))
    #expect(endpoint.words(for: wrong).contains("homeward config set url -"))
  }

  @Test func anotherLevelIsProposedOnlyWhereASettingForbidsIt() {
    for isLevelForced in [false, true] {
      let cause = BrokerCause.nothingComesBack(topics: ["o/j/p"], base: "o/j/p", isLevelForced: isLevelForced)
      let words = remedy(isTLS: true).words(for: cause)
      #expect(words.contains("mqttProtocolLevel 5") == isLevelForced)
      #expect(words.contains("\"topic readwrite o/j/p/#\""))
    }
  }
}
