import Model
import Testing
import Timebase

@testable import Core

/// Where the board is, call by call.
struct PositionEngineTests {
  private func fix(_ time: Double, _ east: Double = 0, speed: Double? = nil, error: Double? = nil) -> Fix {
    Fix(
      time: WallTime(seconds: 1_700_000_000 + time), coordinate: Scene.place(east, 0), accuracy: 5,
      speed: speed, speedError: error)
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private let taken = PositionEngine.Verdict.taken(isTimeCorrected: false, isFirstEver: false)

  @Test func thePositionOfAnEarlierLifeIsNoPresentOne() {
    let stored = PositionEngine(stored: fix(0), published: fix(9))
    #expect(stored.position == fix(0) && stored.present == nil && stored.age(at: at(5)) == nil)
    #expect(stored.isStale(after: .seconds(1000), at: at(0)))
    #expect(PositionEngine(stored: nil, published: fix(9)).position == fix(9))
    #expect(PositionEngine(stored: nil, published: nil).inconsistency == nil, "nor has one to be known")
  }

  @Test func theFirstFixEverIsSaidOnce() {
    var positioning = PositionEngine(stored: nil, published: nil)
    var deadlines = Deadlines()
    positioning.start(deadlines: &deadlines, at: at(1))
    #expect(
      positioning.consider(fix(1), isGated: true, at: at(1))
        == .taken(isTimeCorrected: false, isFirstEver: true))
    #expect(positioning.consider(fix(2), isGated: true, at: at(2)) == taken)
    #expect(positioning.present == fix(2) && positioning.age(at: at(5)) == .seconds(3))
  }

  @Test func fixThatIsNotNewerIsRefusedWithinSameRunOnly() {
    var positioning = PositionEngine(stored: fix(10), published: nil)
    #expect(positioning.consider(fix(9), isGated: false, at: at(0)) == taken)
    #expect(positioning.consider(fix(10), isGated: false, at: at(1)) == taken)
    for time in [10.0, 9.5] {
      let refused = positioning.consider(fix(time), isGated: false, at: at(2))
      #expect(refused == .refused(.notNewer(time: 1_700_000_000 + time, last: 1_700_000_010)))
    }
    #expect(positioning.age(at: at(2)) == .seconds(1) && positioning.position == fix(10))
    #expect(positioning.consider(fix(10.5), isGated: false, at: at(3)) == taken)
  }

  @Test func aFixOfLongBeforeSetsTheTimeRight() {
    var positioning = PositionEngine(stored: fix(0), published: nil)
    _ = positioning.consider(fix(1000), isGated: true, at: at(1))
    let late = positioning.consider(fix(700), isGated: true, at: at(2))
    #expect(late == .refused(.notNewer(time: 1_700_000_700, last: 1_700_001_000)))
    // Of a wrong time, where it was says nothing of a jump.
    #expect(
      positioning.consider(fix(699, 5000), isGated: true, at: at(3))
        == .taken(isTimeCorrected: true, isFirstEver: false))
    #expect(positioning.position == fix(699, 5000))
  }

  /// Of an earlier life nothing is under way: two clocks that are both right are two seconds apart at the most.
  @Test(arguments: [(8.0, false), (7.5, true)])
  func aFixFromBeforeAnEarlierLifesSetsTheTimeRight(time: Double, isTimeCorrected: Bool) {
    var positioning = PositionEngine(stored: fix(10), published: nil)
    #expect(
      positioning.consider(fix(time), isGated: true, at: at(1))
        == .taken(isTimeCorrected: isTimeCorrected, isFirstEver: false))
  }

  @Test func thePositionIsPutRightWithTheClockUnlessItMayBeLate() {
    var positioning = PositionEngine(stored: fix(0), published: nil)
    positioning.clockSet(by: -500)
    #expect(positioning.position == fix(0), "of an earlier life, by another clock")
    _ = positioning.consider(fix(1000), isGated: true, at: at(1))
    positioning.clockSet(by: 300)
    #expect(positioning.position == fix(1000))
    positioning.clockSet(by: 300.5)
    #expect(positioning.position == fix(1300.5))
    positioning.clockSet(by: -2.5)
    #expect(positioning.position == fix(1298))
  }

  /// By the times that the fixes were taken for it came there before it left.
  @Test func aClockThatIsPutBackMakesNoJump() {
    var positioning = PositionEngine(stored: fix(0), published: nil)
    _ = positioning.consider(fix(1000, 0, speed: 30), isGated: true, at: at(1))
    positioning.clockSet(by: -500)
    #expect(positioning.consider(fix(504, 120, speed: 30), isGated: true, at: at(5)) == taken)
  }

  @Test func aJumpIsRefusedWhereTheGateIsWanted() {
    var gated = PositionEngine(stored: fix(0), published: nil)
    _ = gated.consider(fix(1, 0, speed: 1), isGated: true, at: at(1))
    var open = gated
    guard case .refused(.implausibleJump) = gated.consider(fix(2, 5000, speed: 1), isGated: true, at: at(2))
    else {
      Issue.record("not refused")
      return
    }
    #expect(gated.position == fix(1, 0, speed: 1) && gated.lastMovement == at(2))
    #expect(open.consider(fix(2, 5000, speed: 1), isGated: false, at: at(2)) == taken)
  }

  @Test func aSpeedBelowItsErrorIsNoMovement() {
    var positioning = PositionEngine(stored: fix(0), published: nil)
    var deadlines = Deadlines()
    positioning.start(deadlines: &deadlines, at: at(0))
    for (second, speed, error) in [(1.0, 4.0, 20.0), (2, 4, 4), (3, 0.05, nil), (4, 0.05, 0)] {
      _ = positioning.consider(fix(second, 0, speed: speed, error: error), isGated: false, at: at(second))
      #expect(positioning.lastMovement == at(0), "\(speed) m/s, give or take \(error ?? 0)")
    }
    for (second, speed, error) in [(5.0, 4.0, 3.9), (6, 0.06, nil)] {
      _ = positioning.consider(fix(second, 0, speed: speed, error: error), isGated: false, at: at(second))
      #expect(positioning.lastMovement == at(second), "\(speed) m/s")
    }
  }

  @Test(arguments: [(nil, nil), (13, 20)] as [(Double?, Double?)])
  func travelledDistanceWithoutUsableSpeedIsMovement(_ speed: Double?, _ error: Double?) {
    var positioning = PositionEngine(stored: fix(0), published: nil)
    for (second, east, moved) in [(1.0, 0.0, 0.0), (2, 109, 0), (3, 111, 3)] {
      _ = positioning.consider(
        fix(second, east, speed: speed, error: error), isGated: false, at: at(second))
      #expect(positioning.lastMovement == at(moved))
    }
    // The next way begins there.
    for (second, east, moved) in [(4.0, 111.0, 3.0), (5, 220, 3), (6, 222, 6)] {
      _ = positioning.consider(
        fix(second, east, speed: speed, error: error), isGated: false, at: at(second))
      #expect(positioning.lastMovement == at(moved))
    }
  }

  @Test func onlyPositionFarFromStoredOneIsWritten() {
    var positioning = PositionEngine(stored: fix(0), published: nil)
    _ = positioning.consider(fix(1, 49), isGated: false, at: at(1))
    #expect(positioning.takeUnstored() == nil)
    _ = positioning.consider(fix(2, 51), isGated: false, at: at(2))
    #expect(positioning.takeUnstored() == fix(2, 51))
    #expect(positioning.takeUnstored() == nil)
    // A start has to know that nobody may be told of it.
    var hidden = fix(3, 51)
    hidden.isHidden = true
    _ = positioning.consider(hidden, isGated: false, at: at(3))
    #expect(positioning.takeUnstored() == hidden)
    #expect(positioning.takeUnstored() == nil)
  }

  @Test func anotherDiskLearnsThePositionAnew() {
    var before = PositionEngine(stored: nil, published: nil)
    _ = before.consider(fix(1), isGated: false, at: at(1))
    var next = PositionEngine(stored: nil, published: nil)
    next.goOn(from: before)
    #expect(next.present == fix(1) && next.inconsistency == nil)
    #expect(
      next.consider(fix(2), isGated: false, at: at(2)) == .taken(isTimeCorrected: false, isFirstEver: true))
  }

  @Test func handoverKeepsSettlingAndFixLossState() {
    var before = PositionEngine(stored: nil, published: nil)
    var deadlines = Deadlines()
    var poor = fix(0)
    poor.accuracy = 400
    for second in [0.0, 8, 16] { before.loss.fixArrived(deadlines: &deadlines, at: at(second)) }
    _ = before.settling.fixArrived(poor, deadlines: &deadlines, at: at(16))
    var next = PositionEngine(stored: nil, published: nil)
    next.goOn(from: before)
    #expect(next.settling.isUnderWay && next.settling.end() == poor)
    #expect(next.loss.silence(pause: .zero, deadlines: &deadlines, at: at(36)) == .seconds(20))
  }

  @Test func aPositionIsStaleAfterTheTimeOut() {
    var positioning = PositionEngine(stored: nil, published: nil)
    _ = positioning.consider(fix(1), isGated: false, at: at(1))
    #expect(!positioning.isStale(after: .seconds(60), at: at(61)))
    #expect(positioning.isStale(after: .seconds(60), at: at(61.5)))
  }
}
