import Model
import Testing
import Timebase

@testable import Core

/// When the board is switched off, call by call.
struct ShutDownTests {
  private let rules = ShutDown.Rules(
    vehicle: .init(parkedAfter: .seconds(60), low: 12, empty: 11.5), parkedShutdown: 600)
  private let parked = HaltCause.parked(seconds: 600)

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// Parked since the second 0, and its last reports are made since the second 600.
  private func reporting(_ deadlines: inout Deadlines) -> ShutDown {
    var shutDown = ShutDown()
    shutDown.start(at: at(0))
    shutDown.line(false, rules: rules, deadlines: &deadlines, at: at(0))
    _ = deadlines.takeIfDue(.halt, at: at(600))
    _ = shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(600))
    return shutDown
  }

  @Test func aLongParkingEndsWithTheLastPlaceAndThenWithTheEnd() {
    var deadlines = Deadlines()
    var shutDown = ShutDown()
    shutDown.start(at: at(0))
    shutDown.line(false, rules: rules, deadlines: &deadlines, at: at(5))
    #expect(deadlines[.halt] == at(605))
    #expect(shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(604)) == nil)
    #expect(shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(605)) == .sayLastPlace(parked))
    #expect(deadlines[.halt] == at(725) && shutDown.isReporting && shutDown.status.isHalting)
    #expect(shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(725)) == .switchOff(parked))
    #expect(deadlines[.halt] == at(1325) && !shutDown.isReporting)
    #expect(shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(1325)) == .switchOff(parked))
  }

  @Test func confirmedLastReportsSwitchOffOnce() {
    var deadlines = Deadlines()
    var shutDown = reporting(&deadlines)
    #expect(shutDown.allConfirmed(rules: rules, deadlines: &deadlines, at: at(601)) == .switchOff(parked))
    #expect(shutDown.allConfirmed(rules: rules, deadlines: &deadlines, at: at(602)) == nil)
  }

  @Test func callOffWithdrawsOnlyRequestedShutdown() {
    var deadlines = Deadlines()
    var waiting = reporting(&deadlines)
    var asked = waiting
    #expect(waiting.callOff(rules: rules, deadlines: &deadlines, at: at(610)) == nil)
    _ = asked.allConfirmed(rules: rules, deadlines: &deadlines, at: at(601))
    #expect(asked.callOff(rules: rules, deadlines: &deadlines, at: at(610)) == .stayOn)
    #expect(!asked.status.isHalting)
  }

  @Test func anEngineThatIsCrankedIsWaitedFor() {
    var deadlines = Deadlines()
    var shutDown = reporting(&deadlines)
    shutDown.line(true, rules: rules, deadlines: &deadlines, at: at(610))
    #expect(shutDown.allConfirmed(rules: rules, deadlines: &deadlines, at: at(610)) == nil)
    #expect(deadlines[.halt] == at(612) && shutDown.isReporting)
    // It did not start: the parking counts from here.
    shutDown.line(false, rules: rules, deadlines: &deadlines, at: at(611))
    #expect(shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(612)) == nil)
    #expect(deadlines[.halt] == at(1211) && !shutDown.status.isHalting)
  }

  @Test func aSettingThatForbidsItEndsIt() {
    var deadlines = Deadlines()
    var shutDown = reporting(&deadlines)
    var never = rules
    never.parkedShutdown = 0
    #expect(shutDown.fellDue(rules: never, deadlines: &deadlines, at: at(720)) == nil)
    #expect(deadlines[.halt] == nil && !shutDown.status.isHalting)
  }

  @Test func anEmptyBatteryLeavesTenMinutesAfterTheStart() {
    var deadlines = Deadlines()
    var shutDown = ShutDown()
    shutDown.start(at: at(100))
    shutDown.measured(11, rules: rules, deadlines: &deadlines, at: at(101))
    #expect(deadlines[.vehicle] == at(161) && deadlines[.halt] == nil)
    #expect(shutDown.changes(rules: rules, at: at(161)) == [.low, .empty])
    shutDown.rearm(rules: rules, deadlines: &deadlines, at: at(161))
    #expect(deadlines[.halt] == at(700) && shutDown.isVehicleLow)
    let order = shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(700))
    #expect(order == .sayLastPlace(.batteryLow(volts: 11)))
    let end = shutDown.allConfirmed(rules: rules, deadlines: &deadlines, at: at(701))
    #expect(end == .switchOff(.batteryLow(volts: 11)))
  }

  /// It has parked for long enough as well.
  @Test func aBatteryThatIsNoLongerEmptyIsNotTheCause() {
    var deadlines = Deadlines()
    var shutDown = ShutDown()
    shutDown.start(at: at(0))
    shutDown.line(false, rules: rules, deadlines: &deadlines, at: at(0))
    shutDown.measured(11, rules: rules, deadlines: &deadlines, at: at(1))
    _ = shutDown.changes(rules: rules, at: at(61))
    let order = shutDown.fellDue(rules: rules, deadlines: &deadlines, at: at(600))
    #expect(order == .sayLastPlace(.batteryLow(volts: 11)))
    shutDown.measured(12.7, rules: rules, deadlines: &deadlines, at: at(620))
    #expect(shutDown.allConfirmed(rules: rules, deadlines: &deadlines, at: at(630)) == .switchOff(parked))
  }

  /// Only what stands is switched off, however empty the battery is.
  @Test(arguments: [(true, nil), (nil, 700), (false, 700)] as [(Bool?, Double?)])
  func anEmptyBatteryOfAVehicleThatIsDrivenEndsNothing(ignition: Bool?, due: Double?) {
    var deadlines = Deadlines()
    var shutDown = ShutDown()
    shutDown.start(at: at(100))
    shutDown.line(ignition, rules: rules, deadlines: &deadlines, at: at(101))
    shutDown.measured(11, rules: rules, deadlines: &deadlines, at: at(101))
    _ = shutDown.changes(rules: rules, at: at(161))
    shutDown.rearm(rules: rules, deadlines: &deadlines, at: at(161))
    #expect(deadlines[.halt] == due.map { at($0) })
  }

  @Test func aParkingOfOneSecondIsOne() {
    var deadlines = Deadlines()
    var shutDown = ShutDown()
    var soon = rules
    soon.parkedShutdown = 1
    shutDown.start(at: at(0))
    shutDown.line(false, rules: soon, deadlines: &deadlines, at: at(5))
    #expect(deadlines[.halt] == at(6))
  }

  @Test func anotherTrackerKnowsTheVehicleAndJudgesTheEndAnew() {
    var deadlines = Deadlines()
    let before = reporting(&deadlines)
    var next = ShutDown()
    next.goOn(from: before, deadlines: &deadlines, at: at(700))
    #expect(next.status.ignition == false && !next.status.isHalting)
  }

  @Test func anEndThatWaitsForNothingIsNamed() {
    var deadlines = Deadlines()
    let shutDown = reporting(&deadlines)
    #expect(shutDown.inconsistency(deadlines) == nil)
    deadlines[.halt] = nil
    #expect(shutDown.inconsistency(deadlines)?.contains("nothing is waited for") == true)
  }
}
