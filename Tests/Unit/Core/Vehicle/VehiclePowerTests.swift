import Model
import Testing
import Timebase

@testable import Core

/// What the wires say and for how long they have to, call by call.
struct VehiclePowerTests {
  private var power = VehiclePower()
  private var rules = VehiclePower.Rules(parkedAfter: .seconds(60), low: 12, empty: 11)

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private mutating func measure(_ volts: Double?, at second: Double) {
    power.measured(volts, rules: rules, at: at(second))
  }

  private mutating func changes(at second: Double) -> [VehiclePower.Change] {
    power.changes(rules: rules, at: at(second))
  }

  /// Low and empty since the second 0, and known to be.
  private mutating func runDown() {
    measure(10, at: 0)
    #expect(changes(at: 59.9).isEmpty)
    #expect(changes(at: 60) == [.low, .empty] && power.isLow && power.isEmpty)
  }

  @Test mutating func aBatteryIsLowBelowTheLimitAndEmptyBelowTheOther() {
    measure(12, at: 0)
    #expect(power.next(rules: rules) == nil && changes(at: 100).isEmpty)
    measure(11, at: 100)
    #expect(power.next(rules: rules) == at(160) && changes(at: 160) == [.low] && !power.isEmpty)
    measure(10.9, at: 200)
    #expect(power.next(rules: rules) == at(260))
    #expect(changes(at: 259).isEmpty && changes(at: 260) == [.empty])
  }

  /// Five per cent above what is low, for a minute.
  @Test(arguments: [(12.5, false), (12 * 1.05, true)])
  mutating func batteryIsWellOnlyFivePercentAboveLow(volts: Double, isWell: Bool) {
    runDown()
    measure(volts, at: 100)
    #expect(power.next(rules: rules) == (isWell ? at(160) : nil))
    #expect(!power.isWell(rules: rules) && changes(at: 159).isEmpty)
    #expect(changes(at: 160) == (isWell ? [.well] : []) && power.isWell(rules: rules) == isWell)
  }

  /// At once, though it goes on being low.
  @Test(arguments: [(10.9, true), (11, false)])
  mutating func batteryIsEmptyOnlyBelowItsLimit(volts: Double, isEmpty: Bool) {
    runDown()
    measure(volts, at: 100)
    #expect(power.isEmpty == isEmpty && power.isLow)
  }

  @Test mutating func unknownVoltageIsNeitherEmptyNorWell() {
    #expect(!power.isWell(rules: rules) && !power.isLow && !power.isEmpty)
    measure(13, at: 0)
    #expect(power.isWell(rules: rules))
    measure(nil, at: 1)
    #expect(!power.isWell(rules: rules))
    runDown()
    measure(nil, at: 100)
    #expect(!power.isEmpty && power.isLow && power.next(rules: rules) == nil)
  }

  /// It was low until then.
  @Test mutating func aLimitThatIsTakenAwayMakesItWellAtOnce() {
    runDown()
    #expect(changes(at: 100).isEmpty)
    rules.low = 0
    measure(10, at: 101)
    #expect(changes(at: 101) == [.well] && !power.isLow)
  }

  @Test mutating func lostIgnitionLineMakesDrivingUnknown() {
    power.line(true, at: at(0))
    #expect(power.next(rules: rules) == at(1) && changes(at: 0.9).isEmpty && changes(at: 1) == [.driving])
    power.line(nil, at: at(10))
    #expect(power.isDriving == nil && power.offSince == nil)
    power.line(false, at: at(20))
    #expect(power.offSince == at(20) && power.isDriving == nil)
    #expect(changes(at: 79).isEmpty && changes(at: 80) == [.parked])
    power.line(true, at: at(100))
    #expect(power.isDriving == false)
  }
}
