import Model
import Testing
import Timebase

@testable import Core

/// What time it is, call by call.
struct ReceiverClockCallTests {
  /// 2027-01-15, within what this program believes without a clock: what the bench's seconds are counted from.
  private static let day = 1_800_000_000.0

  private enum Answer: Equatable {
    case believed(Double, after: [Double] = [], ReceiverClock.Change? = nil)
    case refused(Reason)
  }

  private struct Bench {
    var clock = ReceiverClock(earliest: ReceiverCalendar.built)

    private func moment(_ seconds: Double, _ wall: Double?) -> Moment {
      Moment(instant: .zero + .seconds(seconds), wall: wall.map { WallTime(seconds: day + $0) })
    }

    /// `wall`: what NTP says.
    mutating func fix(_ claimed: Double, at seconds: Double, wall: Double? = nil) -> Answer {
      let fix = Fix(
        time: WallTime(seconds: day + claimed), coordinate: Scene.place(0, 0), accuracy: 5)
      switch clock.judge(fix, is3D: true, at: moment(seconds, wall)) {
      case .refused(let reason): return .refused(reason)
      case .believed(let fix, let earlier, let change):
        return .believed(fix.time.seconds - day, after: earlier.map { $0.time.seconds - day }, change)
      }
    }

    mutating func synchronised(_ wall: Double, at seconds: Double) -> ReceiverClock.Change? {
      clock.synchronised(at: moment(seconds, wall))
    }

    /// Three seconds of fixes set the clock, from 0 on.
    mutating func set() -> Answer {
      for second in 0...2 { #expect(fix(Double(second), at: Double(second)) == .refused(.clockUntrusted)) }
      return fix(3, at: 3)
    }
  }

  // MARK: Without a clock

  @Test func heldBackFixesAreReleasedOnce() {
    var bench = Bench()
    #expect(bench.set() == .believed(3, after: [0, 1, 2]))
    #expect(bench.fix(4, at: 4) == .believed(4))
  }

  /// What came before is of another time, though its seconds lie between those of the new run.
  @Test func aReceiverThatGoesBackBeginsItsProofAnew() {
    var bench = Bench()
    for (second, claimed) in [10, 11, 9.5, 10.5, 11.5].enumerated() {
      #expect(bench.fix(claimed, at: Double(second)) == .refused(.clockUntrusted))
    }
    #expect(bench.fix(12.5, at: 5) == .believed(12.5, after: [9.5, 10.5, 11.5]))
  }

  /// NTP comes while fixes are held back: those that are of its time are told, and may be ten seconds older than
  /// they were long in coming.
  @Test(arguments: [(14.0, 2), (14.5, 1), (15, 1), (15.5, 0)])
  func heldFixesMatchingSynchronisedTimeAreReleased(time: Double, told: Int) {
    var bench = Bench()
    for second in [0.0, 1] { #expect(bench.fix(second, at: second) == .refused(.clockUntrusted)) }
    #expect(bench.fix(time, at: 4, wall: time) == .believed(time, after: [0, 1].suffix(told)))
  }

  /// A fix that is late says nothing of the clock, and is told all the same: what was held back is older.
  @Test func heldFixesAreReleasedBeforeLateFix() {
    var bench = Bench()
    for second in [0.0, 1] { #expect(bench.fix(second, at: second) == .refused(.clockUntrusted)) }
    #expect(bench.fix(2, at: 4, wall: 6) == .believed(2, after: [0, 1]))
    #expect(bench.fix(1500, at: 1498, wall: 1500) == .believed(1500))
  }

  // MARK: The same time

  @Test func twoSecondsAheadAreNoOtherTime() {
    var bench = Bench()
    _ = bench.set()
    #expect(bench.fix(12.5, at: 10) == .refused(.receiverClockOff(seconds: 2.5)))
    #expect(bench.fix(12, at: 10) == .believed(12))
  }

  @Test func aSynchronisedClockThatIsTwoSecondsOffIsTheSame() {
    var bench = Bench()
    _ = bench.set()
    #expect(bench.synchronised(12, at: 10) == nil && bench.synchronised(8, at: 10) == nil)
    #expect(bench.synchronised(12.5, at: 10) == .clock(2.5))
    #expect(bench.synchronised(12.5, at: 10) == nil, "it is known now")
  }

  // MARK: Another time

  /// A fix that agrees with the time of NTP founds it no worse. Once it is overruled it is a receiver's, and six
  /// seconds overrule that.
  @Test func aClockThatNTPHasSetIsOverruledInThirtySecondsThoughAFixHasAgreed() {
    var bench = Bench()
    #expect(bench.fix(0, at: 0, wall: 0) == .believed(0))
    #expect(bench.fix(1, at: 1) == .believed(1))
    for (lead, first, last) in [(1e6, 2, 32), (2e6, 33, 39)] {
      for second in first..<last {
        let claimed = lead + Double(second)
        #expect(bench.fix(claimed, at: Double(second)) == .refused(.dateRefused(time: Self.day + claimed)))
      }
      let claimed = lead + Double(last)
      #expect(bench.fix(claimed, at: Double(last)) == .believed(claimed, .clock(1e6)))
    }
  }

  // MARK: Leap seconds

  /// A receiver that is 18 s ahead of the time of NTP, or else of the clock that is set, for three seconds.
  private func corrected(isTrusted: Bool) -> Bench {
    var bench = Bench()
    if !isTrusted { _ = bench.set() }
    for second in [4.0, 5, 6] {
      let answer = bench.fix(second + 18, at: second, wall: isTrusted ? second : nil)
      #expect(answer == .refused(.receiverClockOff(seconds: 18)))
    }
    #expect(bench.fix(25, at: 7, wall: isTrusted ? 7 : nil) == .believed(7, .receiver(18)))
    return bench
  }

  @Test(arguments: [true, false]) func aReceiverIsCorrectedUntilItAgrees(isTrusted: Bool) {
    var bench = corrected(isTrusted: isTrusted)
    let wall = { (seconds: Double) in isTrusted ? seconds : nil }
    #expect(bench.fix(26, at: 8, wall: wall(8)) == .believed(8))
    #expect(bench.fix(9, at: 9, wall: wall(9)) == .believed(9))
    #expect(bench.fix(28, at: 10, wall: wall(10)) == .refused(.receiverClockOff(seconds: 18)))
  }

  /// And is then corrected no more: who is another 18 s ahead has to prove that.
  @Test func persistentReceiverSetsClockAfterFifteenMinutes() {
    var bench = corrected(isTrusted: false)
    #expect(bench.fix(925, at: 907) == .believed(907))
    #expect(bench.fix(926, at: 908) == .believed(926, .clock(18)))
    #expect(bench.fix(945, at: 909) == .refused(.receiverClockOff(seconds: 18)))
  }

  @Test func persistentReceiverDoesNotOverruleNTP() {
    var bench = corrected(isTrusted: true)
    #expect(bench.fix(926, at: 908, wall: 908) == .believed(908))
    #expect(bench.fix(5018, at: 5000, wall: 5000) == .believed(5000))
  }
}
