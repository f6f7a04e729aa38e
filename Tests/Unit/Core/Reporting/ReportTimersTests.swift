import Model
import Testing
import Timebase

@testable import Core

/// From when the timers of a mode run, call by call.
struct ReportTimersTests {
  private let rules = ReportPolicy.Rules(
    displacement: 0, interval: .seconds(60), significantDisplacement: 0, significantInterval: .zero,
    adaptive: nil, ping: .minutes(15))

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func armed(
    _ timers: inout ReportTimers, _ mode: MonitoringMode, _ policy: ReportPolicy = .init(published: nil)
  ) -> [Instant?] {
    var deadlines = Deadlines()
    timers.arm(policy, mode: mode, rules: rules, deadlines: &deadlines)
    return [deadlines[.periodicReport], deadlines[.ping]]
  }

  @Test func theyRunFromTheStart() {
    var timers = ReportTimers()
    timers.start(at: at(10))
    #expect(armed(&timers, .move) == [at(70), at(910)])
    #expect(armed(&timers, .significant) == [nil, at(910)])
    #expect(armed(&timers, .quiet) == [nil, nil])
  }

  @Test func anotherModeBeginsTheWaitAnewAndLeavesAPingThatIsArmed() {
    var timers = ReportTimers()
    timers.start(at: at(0))
    timers.modeChanged(isPinging: true, at: at(100))
    #expect(armed(&timers, .move) == [at(160), at(900)])
    timers.modeChanged(isPinging: false, at: at(200))
    #expect(armed(&timers, .move) == [at(260), at(1100)])
  }

  @Test func anotherIntervalLeavesThePing() {
    var timers = ReportTimers()
    timers.start(at: at(0))
    timers.intervalChanged(at: at(50))
    #expect(armed(&timers, .move) == [at(110), at(900)])
  }

  /// A ping arms them again, and is not what an interval counts from.
  @Test func reportIsOverdueUntilItsIntervalBeginsAnew() {
    var timers = ReportTimers()
    timers.start(at: at(0))
    timers.ranOut(at: at(60))
    #expect(armed(&timers, .move) == [nil, at(900)] && timers.isOverdue)
    timers.intervalChanged(at: at(70))
    #expect(armed(&timers, .move) == [at(130), at(900)] && !timers.isOverdue)
    timers.ranOut(at: at(130))
    #expect(armed(&timers, .significant) == [nil, at(900)] && !timers.isOverdue)
  }

  @Test func aPublishedLocationPutsThemOff() {
    var timers = ReportTimers()
    timers.start(at: at(0))
    var policy = ReportPolicy(published: nil)
    let fix = Fix(time: WallTime(seconds: 1_700_000_000), coordinate: Scene.place(0, 0), accuracy: 5)
    policy.published(fix, time: fix.time, isPing: false, at: at(30))
    #expect(armed(&timers, .move, policy) == [at(90), at(930)])
  }

  @Test func owedLocationIsDueInASecondUntilCleared() {
    var (timers, deadlines) = (ReportTimers(), Deadlines())
    #expect(!timers.isOverdue)
    timers.owe(.interval, deadlines: &deadlines, at: at(5))
    #expect(timers.owed == .interval && deadlines[.owedLocation] == at(6))
    timers.oweNothing(deadlines: &deadlines)
    #expect(timers.owed == nil && deadlines[.owedLocation] == nil)
  }
}
