import Model
import Testing
import Timebase

@testable import Core

/// How far a battery makes the board step down, call by call.
struct BatteryWatchTests {
  private var deadlines = Deadlines()

  private static let percent = "receiver|40%\nbeacons|25%\ncheckins|15%\noff|5%"
  private static let volts = "receiver|12.4V\nbeacons|12.2V\ncheckins|12V\noff|11.6V"

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func limits(_ text: String) throws -> [BatteryLimits.Limit] {
    try #require(BatteryLimits(text)).limits
  }

  /// Runs what is due up to and at `second`.
  private mutating func run(_ watch: inout BatteryWatch, until second: Double) -> [BatteryWatch.Change] {
    var changes: [BatteryWatch.Change] = []
    while let due = deadlines[.batteryStep], due <= at(second) {
      deadlines[.batteryStep] = nil
      if let change = watch.fellDue(deadlines: &deadlines, at: due) { changes.append(change) }
    }
    return changes
  }

  private mutating func level(
    _ watch: inout BatteryWatch, _ level: Int, _ state: Battery.State = .unplugged, at second: Double
  ) -> [BatteryWatch.Change] {
    let changes = run(&watch, until: second)
    watch.seen(Battery(level: level, state: state), deadlines: &deadlines, at: at(second))
    return changes
  }

  private mutating func measured(
    _ watch: inout BatteryWatch, _ volts: Double?, at second: Double
  ) -> [BatteryWatch.Change] {
    let changes = run(&watch, until: second)
    watch.measured(volts, deadlines: &deadlines, at: at(second))
    return changes
  }

  // behaviour: Battery steps
  @Test(
    arguments: [
      (40, nil), (39, .receiver), (25, .receiver), (24, .beacons), (15, .beacons), (14, .checkins),
      (5, .checkins), (4, .off),
    ] as [(Int, BatteryStep?)])
  mutating func aPercentageBelowALimitIsItsStep(percent: Int, step: BatteryStep?) throws {
    var watch = BatteryWatch(limits: try limits(Self.percent))
    _ = level(&watch, percent, at: 0)
    #expect(run(&watch, until: 59.9).isEmpty && watch.step == nil)
    _ = run(&watch, until: 60)
    #expect(watch.step == step && deadlines[.batteryStep] == nil)
    #expect(watch.steps == BatterySteps(board: step))
  }

  // behaviour: Battery steps
  @Test(
    arguments: [
      (12.4, nil), (12.39, .receiver), (12.2, .receiver), (12.19, .beacons), (11.99, .checkins),
      (11.59, .off),
    ] as [(Double, BatteryStep?)])
  mutating func voltsBelowALimitAreItsStep(volts: Double, step: BatteryStep?) throws {
    var watch = BatteryWatch(limits: try limits(Self.volts))
    _ = measured(&watch, volts, at: 0)
    _ = run(&watch, until: 60)
    #expect(watch.step == step && watch.steps == BatterySteps(vehicle: step))
  }

  @Test mutating func aFallOverSeveralStepsIsOneChange() throws {
    var watch = BatteryWatch(limits: try limits(Self.percent))
    _ = level(&watch, 3, at: 0)
    #expect(run(&watch, until: 100) == [.init(before: nil, cause: .percent(3, isCharged: false))])
    #expect(watch.step == .off)
  }

  @Test mutating func aFallGoesOnWhereItsFirstStepIsInForce() throws {
    var watch = BatteryWatch(limits: try limits(Self.percent))
    _ = level(&watch, 20, at: 0)
    _ = level(&watch, 3, at: 30)
    #expect(run(&watch, until: 89.9).count == 1 && watch.step == .beacons)
    #expect(run(&watch, until: 90).count == 1 && watch.step == .off)
  }

  /// Two batteries: what switches the board off is the one that runs down furthest.
  @Test mutating func theCauseIsThatOfTheStepInForce() throws {
    let both = try limits("checkins|15%\ncheckins|12V\noff|5%\noff|11.6V")
    var watch = BatteryWatch(BatterySteps(board: .checkins, vehicle: .off), limits: both)
    _ = level(&watch, 10, at: 0)
    _ = measured(&watch, 11.5, at: 0)
    #expect(watch.haltCause == .batteryStep(.off, .volts(11.5)))
    var other = BatteryWatch(BatterySteps(board: .off, vehicle: .checkins), limits: both)
    _ = level(&other, 3, at: 0)
    _ = measured(&other, 11.9, at: 0)
    #expect(other.haltCause == .batteryStep(.off, .percent(3)))
  }

  /// It is over before a minute has passed.
  @Test mutating func atACheckInTenSecondsAreEnough() throws {
    var watch = BatteryWatch(BatterySteps(board: .checkins), limits: try limits(Self.percent))
    watch.checksIn(true, deadlines: &deadlines)
    _ = level(&watch, 4, at: 0)
    #expect(run(&watch, until: 9.9).isEmpty && watch.isTurning)
    #expect(run(&watch, until: 10) == [.init(before: .checkins, cause: .percent(4, isCharged: false))])
    #expect(watch.step == .off && !watch.isTurning)
    var other = BatteryWatch(limits: try limits(Self.percent))
    other.checksIn(true, deadlines: &deadlines)
    _ = level(&other, 39, at: 100)
    // The board stays on.
    other.checksIn(false, deadlines: &deadlines)
    #expect(run(&other, until: 159.9).isEmpty && run(&other, until: 160).count == 1)
  }

  /// 5 % above the limit, for ten seconds, one step after the other.
  @Test mutating func aLevelThatRisesStepsUpAgain() throws {
    var watch = BatteryWatch(BatterySteps(board: .checkins), limits: try limits(Self.percent))
    _ = level(&watch, 19, at: 0)
    #expect(deadlines[.batteryStep] == nil, "4 % above is not enough")
    _ = level(&watch, 20, at: 100)
    #expect(run(&watch, until: 109.9).isEmpty)
    #expect(run(&watch, until: 110) == [.init(before: .checkins, cause: .percent(20, isCharged: false))])
    #expect(watch.step == .beacons)
    _ = level(&watch, 44, at: 200)
    _ = run(&watch, until: 210)
    #expect(watch.step == .receiver)
    _ = level(&watch, 45, at: 300)
    _ = run(&watch, until: 310)
    #expect(watch.step == nil && !watch.isTurning)
  }

  /// 2.5 % above: 12.2 and 0.305 V.
  @Test mutating func voltsThatRiseStepUpAgain() throws {
    var watch = BatteryWatch(BatterySteps(vehicle: .beacons), limits: try limits("beacons|12.2V"))
    _ = measured(&watch, 12.5, at: 0)
    #expect(deadlines[.batteryStep] == nil)
    _ = measured(&watch, 12.51, at: 10)
    #expect(watch.isTurning)
    #expect(run(&watch, until: 20) == [.init(before: .beacons, cause: .volts(12.51))] && watch.step == nil)
  }

  // behaviour: Battery steps
  @Test(arguments: [Battery.State.charging, .full])
  mutating func aBatteryThatIsChargedEndsEveryStep(state: Battery.State) throws {
    var watch = BatteryWatch(BatterySteps(board: .off), limits: try limits(Self.percent))
    _ = level(&watch, 2, state, at: 0)
    #expect(watch.isTurning && run(&watch, until: 10).count == 1 && watch.step == nil)
    _ = level(&watch, 2, state, at: 1000)
    #expect(deadlines[.batteryStep] == nil)
  }

  @Test mutating func theIgnitionEndsTheStepsInVoltsAlone() throws {
    var watch = BatteryWatch(
      BatterySteps(board: .receiver, vehicle: .off), limits: try limits(Self.percent + "\n" + Self.volts))
    _ = level(&watch, 30, at: 0)
    _ = measured(&watch, 11, at: 0)
    watch.ignition(true, deadlines: &deadlines, at: at(5))
    #expect(run(&watch, until: 15) == [.init(before: .off, cause: .ignition)])
    #expect(watch.step == .receiver)
    watch.ignition(false, deadlines: &deadlines, at: at(20))
    #expect(run(&watch, until: 80) == [.init(before: .receiver, cause: .volts(11))] && watch.step == .off)
  }

  // behaviour: Battery steps
  @Test mutating func aLevelThatFlapsChangesNothing() throws {
    var watch = BatteryWatch(limits: try limits(Self.percent))
    var changes = 0
    for turn in 0..<100 {
      changes += level(&watch, turn.isMultiple(of: 2) ? 39 : 41, at: Double(turn) * 59).count
    }
    #expect(changes == 0 && watch.step == nil)
    // Once it is low, no swing around the limit ends that.
    _ = level(&watch, 39, at: 6000)
    _ = run(&watch, until: 6060)
    for turn in 0..<100 {
      changes += level(&watch, turn.isMultiple(of: 2) ? 39 : 44, at: 6100 + Double(turn) * 59).count
    }
    #expect(changes == 0 && watch.step == .receiver)
  }

  // behaviour: Battery steps
  @Test mutating func anUnknownLevelBeginsNoStepAndEndsNone() throws {
    var watch = BatteryWatch(limits: try limits(Self.percent + "\n" + Self.volts))
    _ = level(&watch, 3, at: 0)
    watch.seen(nil, deadlines: &deadlines, at: at(30))
    _ = measured(&watch, 11, at: 30)
    _ = measured(&watch, nil, at: 60)
    #expect(deadlines[.batteryStep] == nil && run(&watch, until: 1000).isEmpty)
    var low = BatteryWatch(BatterySteps(board: .off), limits: try limits(Self.percent))
    low.seen(nil, deadlines: &deadlines, at: at(0))
    #expect(deadlines[.batteryStep] == nil && low.step == .off)
    #expect(low.haltCause == nil, "nothing is switched off for a level that is not known")
  }

  @Test mutating func onlyTheLastTwoStepsSwitchTheBoardOff() throws {
    for (step, percent) in [(BatteryStep.receiver, 30), (.beacons, 20), (.checkins, 10), (.off, 3)] {
      var watch = BatteryWatch(BatterySteps(board: step), limits: try limits(Self.percent))
      _ = level(&watch, percent, at: 0)
      #expect((watch.haltCause != nil) == (step == .off), "it is not known to stand")
      let turns = [true, true].map { watch.stands($0, canWake: true) }
      #expect(turns == [true, false])
      let cause = step < .checkins ? nil : HaltCause.batteryStep(step, .percent(percent))
      #expect(watch.haltCause == cause)
      _ = watch.stands(true, canWake: false)
      #expect((watch.haltCause != nil) == (step == .off), "nothing would wake it")
    }
  }

  // MARK: The limits

  @Test mutating func otherLimitsKeepTheStepWhereTheyHaveIt() throws {
    var watch = BatteryWatch(BatterySteps(board: .beacons), limits: try limits(Self.percent))
    _ = level(&watch, 20, at: 0)
    watch.configure(try limits("receiver|50%\nbeacons|30%"), deadlines: &deadlines, at: at(5))
    #expect(deadlines[.batteryStep] == nil && watch.step == .beacons)
    watch.configure(try limits("receiver|50%"), deadlines: &deadlines, at: at(6))
    #expect(run(&watch, until: 6) == [.init(before: .beacons, cause: .settings)] && watch.step == .receiver)
    watch.configure([], deadlines: &deadlines, at: at(7))
    #expect(run(&watch, until: 7) == [.init(before: .receiver, cause: .settings)])
    #expect(watch.step == nil && !watch.isOn)
  }

  @Test func limitsAreReadInAnyOrder() throws {
    let limits = try #require(BatteryLimits("off|11.5V\nbeacons|25%\nreceiver|40%\n"))
    #expect(limits.limits.map(\.step) == [.receiver, .beacons, .off])
    #expect(limits.limits.map(\.description) == ["40%", "25%", "11.5V"])
    #expect(limits.name(.board) && limits.name(.vehicle) && limits.name(.off) && !limits.name(.checkins))
    #expect(BatteryLimits("receiver|40%\nbeacons|40%") == nil && BatteryLimits("x") == nil)
    #expect(BatteryLimits("")?.limits.isEmpty == true)
  }
}
