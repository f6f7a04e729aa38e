import Model
import OwnTracks
import Testing
import Timebase

@testable import Uplink

// behaviour: Connecting
@Suite struct BackoffTests {
  private func ladder() -> Backoff { Backoff(minimum: .seconds(2), maximum: .seconds(64)) }

  @Test func doublesUpToTheLongest() {
    var backoff = ladder()
    let waits = (0..<8).map { _ in backoff.next(random: 0).seconds }
    #expect(waits == [2, 4, 8, 16, 32, 64, 64, 64])
  }

  @Test func isUpToAFifthLonger() {
    var backoff = ladder()
    let waits = [0, 0.999_999].map { backoff.next(random: $0).seconds }
    #expect(waits[0] == 2)
    #expect(abs(waits[1] - 4.8) < 0.001)
  }

  @Test func aMinuteAwayIsMetByTheSixthAttempt() {
    for random in [0, 0.5, 0.999] {
      var backoff = ladder()
      let sum = (0..<5).map { _ in backoff.next(random: random).seconds }.reduce(0, +)
      #expect((60...75).contains(sum))
    }
  }

  @Test func aConnectionThatLivedStartsAnew() {
    var backoff = ladder()
    for _ in 0..<5 { _ = backoff.next(random: 0) }
    backoff.lost(after: .seconds(11))
    let wait = backoff.next(random: 0)
    #expect(wait == .seconds(2))
  }

  @Test func threeYoungDeathsClimb() {
    var backoff = ladder()
    let waits = (0..<5).map { _ in
      backoff.lost(after: .seconds(1))
      return backoff.next(random: 0).seconds
    }
    #expect(waits == [2, 2, 4, 8, 16])
  }

  @Test func deathsThatAMessageMayBeTheReasonOfCountHalf() {
    var backoff = ladder()
    for _ in 0..<5 { backoff.lost(after: .seconds(1), because: .perhapsMessage) }
    #expect(!backoff.isFlapping)
    // It is found, and goes.
    for _ in 0..<9 { backoff.lost(after: .seconds(1), because: .other) }
    #expect(!backoff.isFlapping)
    backoff.lost(after: .seconds(1), because: .perhapsMessage)
    #expect(backoff.isFlapping)
  }

  @Test func deathsThatAreExplainedAreForgiven() {
    var backoff = ladder()
    for _ in 0..<3 { backoff.lost(after: .seconds(1)) }
    #expect(backoff.isFlapping)
    backoff.forgive()
    #expect(!backoff.isFlapping)
  }

  @Test func aLongLifeForgivesYoungDeaths() {
    var backoff = ladder()
    for _ in 0..<3 { backoff.lost(after: .seconds(1)) }
    backoff.lost(after: .seconds(10))
    #expect(!backoff.isFlapping)
  }
}

// behaviour: Connecting
@Suite struct BrokerStallTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  @Test func nothingOwedNeverStalls() {
    var stall = BrokerStall()
    let step = stall.look(owed: nil, at: at(1000))
    #expect(step == .wait(until: nil))
  }

  @Test func asksAfterThirtySeconds() {
    var stall = BrokerStall()
    let steps = [29, 30].map { stall.look(owed: at(0), at: at($0)) }
    #expect(steps == [.wait(until: at(30)), .ask(until: at(45))])
  }

  @Test func answeredButNotAcknowledgedReconnectsAt45() {
    var stall = BrokerStall()
    _ = stall.look(owed: at(0), at: at(30))
    stall.answered()
    let steps = [31, 45].map { stall.look(owed: at(0), at: at($0)) }
    #expect(steps == [.stuck(until: at(45)), .reconnect])
  }

  @Test func unansweredWaitsUntil62() {
    var stall = BrokerStall()
    _ = stall.look(owed: at(0), at: at(30))
    let steps = [45, 61, 62].map { stall.look(owed: at(0), at: at($0)) }
    #expect(steps == [.stuck(until: at(62)), .stuck(until: at(62)), .reconnect])
  }

  @Test func anAcknowledgementEndsTheQuestion() {
    var stall = BrokerStall()
    _ = stall.look(owed: at(0), at: at(30))
    _ = stall.look(owed: at(29), at: at(31))
    #expect(!stall.isAsked)
  }
}

@Suite struct BrokerInFlightTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func three() -> BrokerInFlight {
    var table = BrokerInFlight()
    for number in 1...3 {
      _ = table.add(
        Int32(number), sequence: UInt64(number * 10), qos: 1, isAliasOnly: false, at: at(Double(number)))
    }
    return table
  }

  @Test func aNumberMeansItsMessageOnce() {
    var table = three()
    let first = table.take(2, at: at(9))
    let second = table.take(2, at: at(9))
    #expect(first?.sequence == 20)
    #expect(second == nil)
  }

  @Test func aNumberInUseIsNotGivenAgain() {
    var table = three()
    let isTaken = table.add(3, sequence: 40, qos: 1, isAliasOnly: false, at: at(4))
    let kept = table.take(3, at: at(9))
    #expect(!isTaken)
    #expect(kept?.sequence == 30)
  }

  @Test func acknowledgementsInOrderKeepTheRestWaiting() {
    var table = three()
    _ = table.take(1, at: at(50))
    #expect(table.owedSince == at(50))
  }

  @Test func aMessagePassedOverIsOwedSinceItWasSent() {
    var table = three()
    _ = table.take(2, at: at(50))
    #expect(table.owedSince == at(1))
  }

  @Test func allAreGivenBackInOrder() {
    var table = three()
    let given = table.takeAll()
    #expect(given == [10, 20, 30])
    #expect(table.isEmpty)
  }

  @Test func onlyQoS0DiesWithTheConnection() {
    var table = three()
    _ = table.add(4, sequence: 40, qos: 0, isAliasOnly: false, at: at(4))
    let given = table.takeForgotten()
    #expect(given == [40])
    #expect(table.count == 3)
  }

  @Test func sentAgainIsOwedFromThenOn() {
    var table = three()
    _ = table.take(2, at: at(50))
    table.sentAgain(at: at(60))
    #expect(table.owedSince == at(60))
  }
}

@Suite struct BrokerAliasesTests {
  @Test func firstTheTopicThenTheNumber() {
    var aliases = BrokerAliases(numbers: ["base": 1], maximum: 10)
    let first = aliases.alias(for: "base")
    let second = aliases.alias(for: "base")
    #expect(first?.number == 1 && first?.isTopicNeeded == true)
    #expect(second?.number == 1 && second?.isTopicNeeded == false)
  }

  @Test func neverMoreThanTheBrokerAllows() {
    var aliases = BrokerAliases(numbers: ["base": 1, "base/event": 2], maximum: 1)
    #expect(aliases.alias(for: "base/event") == nil)
    #expect(aliases.alias(for: "base") != nil)
  }
}

@Suite struct BrokerSettingsTests {
  private func settings(_ change: (inout Configuration) -> Void = { _ in }, tst: Int = 1) -> BrokerSettings {
    var configuration = Configuration()
    configuration.identity.username = "jane"
    configuration.identity.deviceId = "pi"
    configuration.broker.host = "broker.example"
    change(&configuration)
    let topics = Topics(configuration, hostName: "board")
    let will = Message(
      topic: topics.base, payload: Array("\(tst)".utf8), qos: 1, isRetained: false, isEvent: false, time: tst)
    return BrokerSettings(configuration, topics: topics, will: will)
  }

  @Test func aNewWillTimeIsNoChange() {
    #expect(settings(tst: 1).change(to: settings(tst: 2)) == .none)
  }

  @Test func timeOutsAreNoChange() {
    #expect(settings().change(to: settings { $0.retry.timeout = 9 }) == .none)
  }

  @Test func aPasswordIsAnotherConnection() {
    #expect(settings().change(to: settings { $0.login.password = "x" }) == .connection)
  }

  @Test func aClientIdIsAnotherSession() {
    #expect(settings().change(to: settings { $0.identity.clientId = "other" }) == .session)
  }

  @Test func subscriptionsAreAnotherSession() {
    #expect(settings().change(to: settings { $0.broker.sub = false }) == .session)
  }

  @Test func noAuthSendsNoName() {
    #expect(settings { $0.login.auth = false }.username == nil)
  }

  @Test func noPasswordWithoutUsePassword() {
    let settings = settings {
      $0.login.password = "x"
      $0.login.usePassword = false
    }
    #expect(settings.username == "jane" && settings.password == nil)
  }

  @Test func portZeroIsOffline() {
    #expect(settings { $0.broker.port = 0 }.fault == .portIsZero)
  }

  @Test func aKeyWithoutCertificateIsRefused() {
    #expect(settings { $0.tls.clientKey = "/k" }.fault?.word == "settingRefused")
  }

  @Test func aliasesAreThoseOfTheApps() {
    let aliases = settings().aliases
    let names = ["", "/event", "/beacon", "/dump", "/waypoints", "/step", "/waypoint", "/status"]
    #expect(names.map { aliases["owntracks/jane/pi" + $0] } == [1, 2, 3, 4, 5, 6, 7, 8])
  }
}

@Suite struct BrokerDiagnosisTests {
  @Test func openSSLCodesAreReadFromTheLog() {
    var notes = BrokerDiagnosis.Notes()
    notes.read("OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed") { 10 }
    #expect(notes.errors == [0x0A00_0086])
    #expect(notes.verifyResult == 10)
  }

  @Test(arguments: [
    (Int32(-2), "nameNotFound"), (-3, "nameServerSilent"), (-5, "nameNotFound"),
  ])
  func resolverCodes(code: Int32, word: String) {
    #expect(BrokerDiagnosis.resolver(code, host: "h", seconds: 5).word == word)
  }

  @Test func level3And5NameTheSameTroubles() {
    let old = (1...5).map { BrokerDiagnosis.greeting($0, level: 4)?.word }
    let new = [0x84, 0x85, 0x88, 0x86, 0x87].map { BrokerDiagnosis.greeting($0, level: 5)?.word }
    #expect(old == new)
  }

  // behaviour: Connecting
  @Test func causeDecidesTheColour() {
    #expect(BrokerCause.badCredentials.colour == .red)
    #expect(BrokerCause.refused.colour == .amber)
    #expect(BrokerCause.portIsZero.colour == .blue)
    #expect(BrokerCause.answered(status: 404).colour == .red)
    #expect(BrokerCause.answered(status: 503).colour == .amber)
    let causes: [BrokerCause] = [
      .badCredentials, .refused, .portIsZero, .answered(status: 404), .answered(status: 503),
    ]
    for cause in causes { #expect(cause.needsPerson == (cause.colour == .red), "\(cause)") }
  }
}
