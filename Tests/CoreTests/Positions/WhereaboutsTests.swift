import Model
import Testing
import Timebase

@testable import Core

/// Where the board is, call by call.
struct WhereaboutsTests {
  private func fix(_ time: Double, _ east: Double = 0, speed: Double? = nil, error: Double? = nil) -> Fix {
    Fix(
      time: WallTime(seconds: 1_700_000_000 + time), coordinate: Scene.place(east, 0), accuracy: 5,
      speed: speed, speedError: error)
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private let taken = Whereabouts.Verdict.taken(isTimeCorrected: false, isFirstEver: false)

  @Test func thePositionOfAnEarlierLifeIsNoPresentOne() {
    let stored = Whereabouts(stored: fix(0), published: fix(9))
    #expect(stored.position == fix(0) && stored.present == nil && stored.age(at: at(5)) == nil)
    #expect(stored.isStale(after: .seconds(1000), at: at(0)))
    #expect(Whereabouts(stored: nil, published: fix(9)).position == fix(9))
  }

  @Test func theFirstFixEverIsSaidOnce() {
    var whereabouts = Whereabouts(stored: nil, published: nil)
    var deadlines = Deadlines()
    whereabouts.start(deadlines: &deadlines, at: at(1))
    #expect(
      whereabouts.consider(fix(1), isGated: true, at: at(1))
        == .taken(isTimeCorrected: false, isFirstEver: true))
    #expect(whereabouts.consider(fix(2), isGated: true, at: at(2)) == taken)
    #expect(whereabouts.present == fix(2) && whereabouts.age(at: at(5)) == .seconds(3))
  }

  @Test func whatIsNotNewerIsRefusedInOneLifeOnly() {
    var whereabouts = Whereabouts(stored: fix(10), published: nil)
    #expect(whereabouts.consider(fix(10), isGated: false, at: at(1)) == taken)
    let refused = whereabouts.consider(fix(10), isGated: false, at: at(2))
    #expect(refused == .refused(.notNewer(time: 1_700_000_010, last: 1_700_000_010)))
    #expect(whereabouts.age(at: at(2)) == .seconds(1))
  }

  @Test func aFixOfLongBeforeSetsTheTimeRight() {
    var whereabouts = Whereabouts(stored: fix(0), published: nil)
    _ = whereabouts.consider(fix(1000), isGated: true, at: at(1))
    #expect(whereabouts.consider(fix(701), isGated: true, at: at(2)) != taken)
    #expect(
      whereabouts.consider(fix(699), isGated: true, at: at(3))
        == .taken(isTimeCorrected: true, isFirstEver: false))
    #expect(whereabouts.position == fix(699))
  }

  @Test func aJumpIsRefusedWhereTheGateIsWanted() {
    var gated = Whereabouts(stored: fix(0), published: nil)
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
    var whereabouts = Whereabouts(stored: fix(0), published: nil)
    var deadlines = Deadlines()
    whereabouts.start(deadlines: &deadlines, at: at(0))
    _ = whereabouts.consider(fix(1, 0, speed: 4, error: 20), isGated: false, at: at(1))
    #expect(whereabouts.lastMovement == at(0))
    _ = whereabouts.consider(fix(2, 0, speed: 4, error: 3), isGated: false, at: at(2))
    #expect(whereabouts.lastMovement == at(2))
  }

  @Test func theWayIsMovementWhateverTheSpeedSays() {
    var whereabouts = Whereabouts(stored: fix(0), published: nil)
    _ = whereabouts.consider(fix(1, 0), isGated: false, at: at(1))
    _ = whereabouts.consider(fix(2, 109), isGated: false, at: at(2))
    #expect(whereabouts.lastMovement == at(0))
    _ = whereabouts.consider(fix(3, 111), isGated: false, at: at(3))
    #expect(whereabouts.lastMovement == at(3))
  }

  @Test func onlyWhatLiesFarFromTheDisksPlaceIsWorthWriting() {
    var whereabouts = Whereabouts(stored: fix(0), published: nil)
    _ = whereabouts.consider(fix(1, 49), isGated: false, at: at(1))
    #expect(whereabouts.takeUnstored() == nil)
    _ = whereabouts.consider(fix(2, 51), isGated: false, at: at(2))
    #expect(whereabouts.takeUnstored() == fix(2, 51))
    #expect(whereabouts.takeUnstored() == nil)
  }

  @Test func anotherDiskLearnsThePositionAnew() {
    var before = Whereabouts(stored: nil, published: nil)
    _ = before.consider(fix(1), isGated: false, at: at(1))
    var next = Whereabouts(stored: nil, published: nil)
    next.goOn(from: before)
    #expect(next.present == fix(1) && next.inconsistency == nil)
    #expect(
      next.consider(fix(2), isGated: false, at: at(2)) == .taken(isTimeCorrected: false, isFirstEver: true))
  }
}
