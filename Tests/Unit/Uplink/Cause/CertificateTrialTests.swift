import Testing
import Timebase

@testable import Uplink

// behaviour: Renewed certificates
/// What a trial of a certificate makes of attempts that end.
struct CertificateTrialTests {
  private var trial: CertificateTrial
  private var status = UplinkStatus()

  init() {
    status.counters.connections = 3
    trial = CertificateTrial(after: status)
  }

  /// An attempt has ended like this, and another one is waited for.
  private mutating func end(_ cause: BrokerCause) -> CertificateTrial.Verdict {
    status.attempts += 1
    (status.cause, status.nextAttempt) = (cause, .zero)
    return trial.look(at: status)
  }

  @Test mutating func aConnectionThatIsAcceptedProvesIt() {
    #expect(trial.look(at: status) == .open)
    status.counters.connections += 1
    #expect(trial.look(at: status) == .stands)
  }

  /// As where the store comes late: the connections are counted anew.
  @Test mutating func anotherCounterBeginsAtNothing() {
    status.counters.connections = 0
    #expect(trial.look(at: status) == .open)
    status.counters.connections = 1
    #expect(trial.look(at: status) == .stands)
  }

  @Test(arguments: [
    BrokerCause.clientCertificateRefused, .notAuthorised, .badCredentials, .keyMismatch(path: "/k"),
  ])
  mutating func aClearWordOfTheServerIsEnough(_ cause: BrokerCause) {
    #expect(end(cause) == .failed(cause))
  }

  @Test(arguments: [
    BrokerCause.refused, .unreachable, .timedOut, .nameNotFound(host: "h"), .nameServerSilent(seconds: 5),
    .certificateUnknownAuthority, .serverUnavailable, .switchedOff,
  ])
  mutating func anOutageIsNoVerdict(_ cause: BrokerCause) {
    for _ in 0..<100 { #expect(end(cause) == .open) }
    status.counters.connections += 1
    #expect(trial.look(at: status) == .stands)
  }

  @Test mutating func anEndWithoutAWordCountsFiveTimes() {
    for _ in 1..<CertificateTrial.patience {
      #expect(end(.closedInHandshake) == .open)
      // The same end is not counted twice.
      #expect(trial.look(at: status) == .open)
      #expect(end(.unreachable) == .open)
    }
    status.nextAttempt = nil
    status.attempts += 1
    #expect(trial.look(at: status) == .open, "it is under way")
    status.nextAttempt = .zero
    status.cause = .reset
    #expect(trial.look(at: status) == .failed(.reset))
  }

  /// The old one was refused before the trial.
  @Test mutating func earlierAttemptsDoNotCount() {
    _ = end(.clientCertificateRefused)
    trial = CertificateTrial(after: status)
    status.nextAttempt = nil
    status.attempts += 1
    #expect(trial.look(at: status) == .open)
  }
}
