import Testing
import Timebase

@testable import Core

/// What a run of fixes says of the clock that they do not agree with.
struct ClockDissentTests {
  private static func time(_ seconds: Double) -> WallTime { WallTime(seconds: Scene.start + seconds) }
  private static func instant(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000) + .seconds(seconds)
  }

  private static func run(
    _ leads: [Double], _ foundations: [ReceiverCalendar.Foundation] = [.asGiven], every step: Double = 1
  ) -> ClockDissent {
    var dissent = ClockDissent(time(0), foundations[0], lead: leads[0], at: instant(0))
    for (index, lead) in leads.enumerated().dropFirst() {
      let seconds = Double(index) * step
      let isTaken = dissent.take(
        time(seconds), foundations[min(index, foundations.count - 1)], lead: lead, at: instant(seconds))
      #expect(isTaken)
    }
    return dissent
  }

  @Test func aRunGoesOnInStepsOfTheBoardsOwnClock() {
    func follows(_ step: Double, after elapsed: Double) -> Bool {
      ClockDissent.follows(Self.time(step), Self.time(0), after: .seconds(elapsed))
    }
    #expect(!follows(0, after: 0) && !follows(-1, after: 1) && follows(0.1, after: 500))
    #expect(follows(10, after: 500) && !follows(10.5, after: 500))
    #expect(follows(60, after: 59) && follows(60, after: 61) && !follows(60, after: 58.5))
  }

  @Test func aClockThatIsOffShowsTheSameErrorInEveryFix() {
    #expect(Self.run([10, 14]).isSteady && !Self.run([10, 14.5]).isSteady)
    #expect(Self.run([10, 14, 8]).leads == 8...14)
  }

  @Test func theWeakestDateCounts() {
    #expect(Self.run([10, 10, 10], [.asGiven, .unrolled, .synchronised]).foundation == .unrolled)
  }

  /// Ahead is proven in three seconds, and so is what counts the leap seconds twice; all else that is late may be a
  /// slow line.
  @Test(arguments: [
    (0, nil), (1, nil), (2, 3.0), (20, 3), (21, nil), (-1, nil), (-2, 10), (-16, 10), (-17, 3), (-20, 3),
    (-21, nil),
  ])
  func neededProofDependsOnLeapSecondError(_ seconds: Int, _ needed: Double?) {
    #expect(LeapError.proof(of: seconds) == needed)
  }

  @Test func anErrorAheadIsTheWholeSecondsOfTheFixThatCameSoonest() {
    #expect(Self.run([17.5, 17.95, 17.7, 17.8]).leapError == 18)
    #expect(Self.run([17.5, 17.95, 17.7]).leapError == nil, "two seconds are no proof")
    #expect(Self.run([18, 17, 18, 18]).leapError == 18, "a second apart at the most")
    #expect(Self.run([18, 16.9, 18, 18]).leapError == nil)
  }

  @Test func aLateLineIsAnErrorAfterSixLooksInTenSeconds() {
    #expect(Self.run([-5, -5, -5, -5, -5, -5], every: 2).leapError == -5)
    #expect(Self.run([-5, -5, -5, -5, -5], every: 2.5).leapError == nil, "five looks")
    #expect(Self.run([-5, -5, -5, -5, -5, -5], every: 1.9).leapError == nil, "nine and a half seconds")
    #expect(Self.run([-8, -5, -5, -5, -5, -5], every: 2.5).leapError == nil, "five that are equally late")
    #expect(Self.run([-8, -5, -5, -5, -5, -5, -5], every: 2).leapError == -5)
  }

  /// A line may be equally late whenever it is looked at: the ten seconds want no pause of more than ten.
  @Test func aPauseBeginsTheTenSecondsAnew() {
    #expect(Self.run([-5, -5, -5, -5, -5, -5], every: 10).leapError == -5)
    #expect(Self.run([-5, -5, -5, -5, -5, -5], every: 10.5).leapError == nil)
  }
}
