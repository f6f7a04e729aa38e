import Core
import Model
import Testing
import Timebase

@testable import Simulator

/// Judges keep silent where the program is right: each of these was complained of once.
struct FalseAlarmTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  // MARK: Locations

  private func fix(at second: Double, within metres: Double) -> Seen {
    var reading = Reading()
    (reading.mode, reading.time, reading.eph) = (3, WallTime(seconds: 1_800_000_000 + second), metres)
    return .heard(reading)
  }

  @Test func aFixThatIsNotBelievedIsNoneToChooseFrom() {
    let (world, evidence) = (World(seed: 1), Evidence())
    let jump = Seen.withheld(.implausibleJump(metres: 90, possible: 40))
    evidence.saw(.withheld(.choosing(seconds: 5)), in: world)
    evidence.saw(fix(at: 1, within: 8), in: world)
    evidence.saw(fix(at: 2, within: 3), in: world)
    evidence.saw(jump, in: world)
    #expect(evidence.choosing.open?.accuracies == [8])
    // Each fix is refused once, and one that has come late was none to choose from.
    evidence.saw(jump, in: world)
    evidence.saw(fix(at: 1, within: 2), in: world)
    evidence.saw(jump, in: world)
    #expect(evidence.choosing.open?.accuracies == [8])
    evidence.saw(fix(at: 3, within: 4), in: world)
    #expect(evidence.choosing.open?.accuracies == [8, 4])
  }

  @Test func theIntervalIsCountedAnewWithAnotherDistance() {
    var (mode, reports) = (ModeInForce(), Configuration().reports)
    mode.look(.move, .init(reports), at: at(10))
    mode.look(.move, .init(reports), at: at(20))
    #expect(mode.intervalSince == at(10) && mode.pingsSince == at(10))
    reports.locatorDisplacement += 50
    mode.look(.move, .init(reports), at: at(30))
    #expect(mode.intervalSince == at(30) && mode.pingsSince == at(10))
    reports.locatorInterval += 50
    mode.look(.move, .init(reports), at: at(40))
    #expect(mode.intervalSince == at(40) && mode.pingsSince == at(40))
    mode.look(.significant, .init(reports), at: at(50))
    #expect(mode.intervalSince == nil && mode.pingsSince == at(40))
    mode.look(.move, .init(reports), at: at(60))
    #expect(mode.intervalSince == at(60))
    mode.look(.manual, .init(reports), at: at(70))
    #expect(mode.pingsSince == nil)
  }

  /// The battery lowers it, and a moment later the network raises it again.
  @Test func theModeIsLookedAtAfterEachEvent() {
    let (world, evidence) = (World(seed: 1), Evidence())
    evidence.mode.look(.move, .init(Configuration().reports), at: at(10))
    evidence.saw(.event(.tick), in: world)
    #expect(evidence.mode.mode?.0 == .move)
    // No process runs in this world, and so no mode is in force.
    evidence.saw(.handled(.tick), in: world)
    #expect(evidence.mode.mode == nil)
  }

  // MARK: Messages

  /// An event; `text`: what it says.
  private func event(_ text: String) -> Message {
    Message(
      sequence: 0, topic: "t", payload: Array(text.utf8), qos: 1, isRetained: false, isEvent: true, time: 0)
  }

  private func make(_ message: Message, in ledger: inout Ledger, at second: Double, life: Int = 1) throws {
    let report = try #require(BarkTests.good.world.ledger.made.first { $0.isEvent }).report
    ledger.made(report, message, because: nil, mode: .move, life: life, at: at(second))
  }

  @Test func aRepeatedEventWaitsAnew() throws {
    var ledger = Ledger()
    try make(event("a"), in: &ledger, at: 1)
    #expect(QueueLimit.eventsThatMayWait(ledger) == 1)
    ledger.delivered(event("a"), at: at(2))
    #expect(QueueLimit.eventsThatMayWait(ledger) == 0)
    // By a process that began without its store, and by the one after it.
    try make(event("a"), in: &ledger, at: 3, life: 2)
    try make(event("a"), in: &ledger, at: 4, life: 3)
    #expect(QueueLimit.eventsThatMayWait(ledger) == 2)
    ledger.delivered(event("a"), at: at(5))
    #expect(QueueLimit.eventsThatMayWait(ledger) == 1)
    ledger.delivered(event("a"), at: at(6))
    ledger.delivered(event("a"), at: at(7))
    #expect(QueueLimit.eventsThatMayWait(ledger) == 0)
    // All of it may be back.
    ledger.crashed(at: at(8))
    #expect(QueueLimit.eventsThatMayWait(ledger) == 3)
  }

  @Test func aLostEventThatIsRepeatedWaitsOnce() throws {
    var ledger = Ledger()
    try make(event("a"), in: &ledger, at: 1)
    ledger.excuse(event("a"), .crashed)
    try make(event("a"), in: &ledger, at: 2, life: 2)
    ledger.delivered(event("a"), at: at(3))
    #expect(QueueLimit.eventsThatMayWait(ledger) == 0)
  }

  @Test(arguments: [(7199, 1, true), (7201, 1, false), (7199, 2, false)])
  func aMessageThatIsNotDueAgainIsPutOff(_ second: Double, _ life: Int, _ isPutOff: Bool) throws {
    var ledger = Ledger()
    for text in ["stubborn", "turned away once", "arrived", "never sent"] {
      try make(event(text), in: &ledger, at: 0)
      if text != "never sent" { ledger.passing.turnedAway(event(text), from: 1, at: at(0)) }
      if text != "turned away once" { ledger.passing.passed(event(text)) }
    }
    ledger.delivered(event("arrived"), at: at(1))
    ledger.putOff(in: life, at: at(second))
    #expect(ledger.made.map(\.excuse) == [isPutOff ? .refused : nil, nil, nil, nil])
    #expect(ledger.losses.putOff == (isPutOff ? 1 : 0))
  }

  /// A burst of three, and then no more than its rhythm has it; without one, none.
  @Test(arguments: [(nil, 3), (Span.seconds(60), 9), (Span.seconds(120), 5)])
  func aPurposeThatWakesTooOftenIsNoticed(_ least: Span?, _ wakeUps: Int) {
    var accounts = WakeRhythm.Accounts()
    var taken = 0
    while taken < 9, accounts.woke(for: .ping, least: least, at: at(Double(taken) * 60)) { taken += 1 }
    #expect(taken == wakeUps)
    // Another purpose has an account of its own, and what comes from outside pays for all.
    let others = (0..<4).map { accounts.woke(for: .halt, least: nil, at: at(600 + Double($0))) }
    #expect(others == [true, true, true, false])
    for _ in 0..<3 { _ = accounts.woke(for: .halt, least: nil, at: at(610)) }
    accounts.forgive()
    let afterwards = accounts.woke(for: .halt, least: nil, at: at(611))
    #expect(afterwards)
  }

  // MARK: The store

  @Test func aRowThatSaysNothingIsNotMoved() throws {
    let trial = StoreTrial(seed: 1)
    try trial.start(as: .init(contents: .init(), revision: 0), "the beginning")
    repeat { try trial.write(20) } while trial.contents.state.regions.isEmpty
    trial.stop(isKilled: false)
    // One, and of the others some.
    for _ in 0..<100 { _ = trial.garbleRegions(trial.contents, at: trial.revision) }
    #expect(!trial.spoil(.regionMoved))
    try trial.start(as: trial.asLeft, "its rows are in quarantine")
    trial.stop(isKilled: false)
    #expect(!trial.spoil(.regionMoved))
  }
}
