import Model
import Testing
import Timebase

@testable import Core

// behaviour: Data budget
/// How far apart positions are sent, by what is left of a month's budget.
struct DataBudgetTests {
  /// 2026-11-01 00:00 UTC, the beginning of a month of 30 days.
  private static let month = 1_793_491_200.0

  private func spacing(_ bytes: Int, day: Double, zone: Int = 0, budget: Double = 1) -> Double? {
    var account = DataAccount(DataVolume())
    let wall = WallTime(seconds: Self.month + day * 86_400)
    _ = account.carried(bytes, zone: zone, wall: wall)
    return account.spacing(budget: budget, at: wall)?.seconds
  }

  @Test func halfOfABudgetIsFreeHoweverEarly() {
    #expect(spacing(500_000, day: 0) == nil)
    #expect(spacing(500_001, day: 0).map { $0.rounded() } == 60)
  }

  @Test func useBehindTheMonthHoldsNothingBack() {
    #expect(spacing(700_000, day: 21.01) == nil && spacing(990_000, day: 29.8) == nil)
    #expect(spacing(700_000, day: 20.99).map { $0.rounded() } == 100)
  }

  @Test(arguments: [(750_000, 120.0), (900_000, 300), (950_000, 600), (990_000, 3000), (995_000, 3600)])
  func theLessIsLeftTheFurtherApart(bytes: Int, seconds: Double) {
    #expect(spacing(bytes, day: 1).map { $0.rounded() } == seconds)
  }

  @Test func aBudgetThatIsOverLeavesOneInAnHour() {
    #expect(spacing(1_000_000, day: 29.99) == 3600 && spacing(90_000_000, day: 29.99) == 3600)
  }

  @Test func theMonthIsThatOfThePlace() {
    // An hour before midnight UTC the next month has begun two hours further east.
    #expect(spacing(900_000, day: 29.99, zone: 0) == nil)
    #expect(spacing(900_000, day: 29.99, zone: 7200).map { $0.rounded() } == 300)
  }

  @Test func withoutABudgetOrAClockNothingIsHeldBack() {
    #expect(spacing(900_000, day: 1, budget: 0) == nil)
    var account = DataAccount(DataVolume())
    _ = account.carried(900_000, zone: 0, wall: nil)
    #expect(account.spacing(budget: 1, at: nil) == nil && account.use(budget: 1, at: nil) == nil)
  }

  @Test func decimalBudgetsAreCountedInBytes() {
    var account = DataAccount(DataVolume())
    let wall = WallTime(seconds: Self.month)
    _ = account.carried(100, zone: 0, wall: wall)
    #expect(account.use(budget: 0.25, at: wall)?.budget == 250_000)
    #expect(account.use(budget: 0, at: wall)?.budget == nil)
  }
}
