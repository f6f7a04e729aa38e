import Testing
import Timebase

@testable import Uplink

// behaviour: Whether commands arrive
/// Whether commands arrive, as a command to ourselves shows it.
@Suite struct CommandEchoTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func echo(level: Int = 5) -> CommandEcho {
    var echo = CommandEcho()
    echo.configured(isWanted: true, isOther: true)
    echo.connected(level: level, at: at(0))
    return echo
  }

  private func number(_ payload: [UInt8]) -> UInt64? {
    payload.withUnsafeBytes { CommandEcho.number(in: $0) }
  }

  /// The number in one that went out; nil: none did.
  private func send(_ echo: inout CommandEcho, at seconds: Double) -> UInt64? {
    guard let payload = echo.payload(at: at(seconds)) else { return nil }
    echo.sent(7, at: at(seconds))
    return number(payload)
  }

  /// One goes out and is acknowledged, and nothing comes; what is to be done.
  private func miss(_ echo: inout CommandEcho, at seconds: Double) -> CommandEcho.Step {
    _ = send(&echo, at: seconds)
    _ = echo.acknowledged(7, reason: 0, at: at(seconds))
    return echo.timeIsOver(at: at(seconds + 10))
  }

  private func hear(_ echo: inout CommandEcho, at seconds: Double) throws -> Bool {
    let sent = send(&echo, at: seconds)
    let number = try #require(sent)
    _ = echo.acknowledged(7, reason: 0, at: at(seconds))
    return echo.cameBack(number, at: at(seconds))
  }

  // MARK: When

  @Test func itGoesOutOnEachConnectionAndOnceADay() throws {
    var echo = echo()
    #expect(try !hear(&echo, at: 1))
    #expect(echo.finding == .heard(at: at(1)) && echo.next(after: at(1)) == at(86_401))
    #expect(send(&echo, at: 86_400) == nil)
    #expect(send(&echo, at: 86_401) != nil)
    echo.ended(isByBroker: false)
    #expect(send(&echo, at: 86_402) == nil, "without a connection")
    echo.connected(level: 5, at: at(86_500))
    #expect(send(&echo, at: 86_500) != nil)
  }

  /// An echo that comes late is not taken for the one after it.
  @Test func eachEchoHasANumberOfItsOwn() throws {
    var echo = echo()
    let first = try #require(send(&echo, at: 1))
    echo.ended(isByBroker: false)
    echo.connected(level: 5, at: at(2))
    #expect(try #require(send(&echo, at: 2)) != first)
    _ = echo.acknowledged(7, reason: 0, at: at(2))
    _ = echo.cameBack(first, at: at(2))
    #expect(echo.finding != .heard(at: at(2)))
  }

  @Test func disabledEchoSendsNothing() {
    var echo = CommandEcho()
    echo.configured(isWanted: false, isOther: true)
    echo.connected(level: 5, at: at(0))
    #expect(echo.payload(at: at(1)) == nil && echo.next(after: at(0)) == nil)
  }

  @Test func switchedOnItLooksOnTheConnectionThatStands() {
    var echo = CommandEcho()
    echo.configured(isWanted: false, isOther: true)
    echo.connected(level: 5, at: at(0))
    echo.configured(isWanted: true, isOther: false)
    #expect(send(&echo, at: 5) != nil)
    echo.ended(isByBroker: false)
    echo.configured(isWanted: false, isOther: false)
    echo.configured(isWanted: true, isOther: false)
    #expect(send(&echo, at: 6) == nil, "without a connection")
  }

  /// The timer would ring and ring while the filter has no answer.
  @Test func echoAwaitingItsFilterSetsNoTimer() {
    let echo = echo()
    #expect(echo.next(after: at(0)) == nil && echo.next(after: at(9)) == nil)
  }

  // MARK: What comes back

  @Test func onlyItsOwnNumberCounts() throws {
    var echo = echo()
    let sent = send(&echo, at: 0)
    let first = try #require(sent)
    #expect(!echo.cameBack(first &+ 1, at: at(0)) && echo.isUnanswered)
    #expect(!echo.cameBack(first, at: at(1)) && echo.finding == .heard(at: at(1)))
    // Its acknowledgement comes after it, from mosquitto.
    #expect(!echo.isUnanswered && !echo.acknowledged(7, reason: 0, at: at(1)))
    #expect(!echo.cameBack(first, at: at(2)) && echo.finding == .heard(at: at(1)))
  }

  @Test func itsFormIsKnownAndNothingElse() throws {
    var echo = echo()
    let due = echo.payload(at: at(0))
    let payload = try #require(due)
    #expect(number(payload) != nil)
    #expect(String(decoding: payload, as: UTF8.self).hasPrefix(#"{"_type":"cmd","action":"echo","id":""#))
    for other in [
      "", #"{"_type":"cmd","action":"echo","id":""}"#, #"{"_type":"cmd","action":"status","id":"1"}"#,
      #"{"_type":"cmd","action":"echo","id":"1"} "#,
      #"{"_type":"cmd","action":"echo","id":"0123456789abcdef0"}"#,
      #"{"_type":"cmd","action":"echo","id":"x"}"#,
    ] { #expect(number(Array(other.utf8)) == nil, "\(other)") }
  }

  // MARK: What does not

  @Test func missingEchoEscalatesThenRetriesHourly() {
    var echo = echo()
    #expect(send(&echo, at: 0) != nil && echo.timeIsOver(at: at(59)) == .nothing)
    #expect(echo.acknowledged(7, reason: 0x10, at: at(1)) && echo.next(after: at(1)) == at(11))
    #expect(echo.timeIsOver(at: at(10.9)) == .nothing && echo.finding == .untried)
    #expect(echo.timeIsOver(at: at(11)) == .askAnew && echo.finding == .missing)
    echo.connected(level: 5, at: at(12))
    #expect(miss(&echo, at: 12) == .beginAnew)
    echo.connected(level: 5, at: at(30))
    #expect(miss(&echo, at: 30) == .nothing && echo.finding == .missing)
    #expect(send(&echo, at: 3_639) == nil)
    #expect(miss(&echo, at: 3_640) == .nothing && echo.finding == .missing)
  }

  @Test func echoAfterMissResetsEscalation() throws {
    var echo = echo()
    _ = miss(&echo, at: 0)
    echo.connected(level: 5, at: at(20))
    #expect(try hear(&echo, at: 20), "it was missing")
    #expect(echo.finding == .heard(at: at(20)))
    // And the ways of healing begin anew.
    echo.connected(level: 5, at: at(30))
    #expect(miss(&echo, at: 30) == .askAnew)
  }

  @Test func unacknowledgedEchoIsInconclusive() {
    var echo = echo()
    _ = send(&echo, at: 0)
    #expect(echo.next(after: at(0)) == at(60) && echo.timeIsOver(at: at(60)) == .nothing)
    #expect(echo.finding == .untried && echo.next(after: at(60)) == at(3_660))
  }

  @Test func withQoS0ItHasMoreTime() {
    var echo = echo()
    _ = send(&echo, at: 0)
    _ = echo.acknowledged(7, reason: 0, qos: 0, at: at(0))
    #expect(echo.next(after: at(0)) == at(60))
  }

  // MARK: Where it may not be published

  @Test func aRefusalIsNamedAndNoDeafness() {
    var echo = echo()
    _ = send(&echo, at: 0)
    let isOurs = echo.acknowledged(7, reason: 0x87, at: at(1))
    #expect(isOurs && echo.finding == .barred(BrokerDiagnosis.reason(0x87)) && !echo.isUnanswered)
    #expect(echo.timeIsOver(at: at(60)) == .nothing && echo.next(after: at(60)) == at(86_401))
  }

  @Test func aConnectionThatEndsOverItTwiceIsNotTriedAThirdTime() {
    var echo = echo()
    _ = send(&echo, at: 0)
    echo.ended(isByBroker: true)
    #expect(echo.hasEnded && echo.finding == .barred(.closedByBroker))
    echo.connected(level: 4, at: at(2))
    #expect(send(&echo, at: 2) != nil)
    echo.ended(isByBroker: true)
    echo.connected(level: 4, at: at(4))
    #expect(send(&echo, at: 4) == nil && send(&echo, at: 999_999) == nil)
    echo.ended(isByBroker: true)
    #expect(!echo.hasEnded, "nothing was on its way")
    echo.forgive(at: at(1_000_000))
    #expect(echo.finding == .untried && send(&echo, at: 1_000_000) == nil, "without a connection")
    for again in [1_000_001.0, 1_000_002] {
      echo.connected(level: 4, at: at(again))
      #expect(send(&echo, at: again) != nil)
      echo.ended(isByBroker: true)
    }
  }

  @Test func aLineThatFallsSilentIsNoEndOverIt() {
    var echo = echo()
    _ = send(&echo, at: 0)
    echo.ended(isByBroker: false)
    #expect(!echo.hasEnded && echo.finding == .untried)
  }

  /// Without reason codes a broker may have dropped it: that is said, and is no alarm.
  @Test func echoAtLevel4IsMissingOnlyAfterOneCame() throws {
    var echo = echo(level: 4)
    #expect(miss(&echo, at: 0) == .askAnew && echo.finding == .untried)
    echo.connected(level: 4, at: at(20))
    #expect(miss(&echo, at: 20) == .nothing && echo.finding == .unclear)
    echo.heardAnother()
    #expect(echo.finding == .barred(nil), "commands of others come")
    echo.connected(level: 4, at: at(4_000))
    #expect(miss(&echo, at: 4_000) == .nothing && echo.finding == .barred(nil))
    echo.connected(level: 4, at: at(8_000))
    #expect(try !hear(&echo, at: 8_000))
    echo.connected(level: 4, at: at(9_000))
    #expect(miss(&echo, at: 9_000) == .askAnew && echo.finding == .missing)
    echo.heardAnother()
    #expect(echo.finding == .missing, "QoS 0 may come where QoS 1 does not")
  }

  // MARK: People

  @Test func otherSettingsBeginAnewAndTheSameDoNot() throws {
    var echo = echo()
    _ = try hear(&echo, at: 0)
    echo.configured(isWanted: true, isOther: false)
    #expect(echo.finding == .heard(at: at(0)))
    echo.configured(isWanted: true, isOther: true)
    #expect(echo.finding == .untried)
  }

  @Test func aReloadLooksAtOnce() throws {
    var echo = echo()
    _ = try hear(&echo, at: 0)
    echo.forgive(at: at(100))
    #expect(echo.finding == .heard(at: at(0)) && send(&echo, at: 100) != nil)
  }
}
