import Model
import Testing
import Timebase

@testable import Core

// behaviour: Data volume
/// What the connection costs, by the day and the month of the place.
struct DataAccountTests {
  /// 2026-11-30 12:00 UTC.
  private static let noon = 1_796_040_000.0
  private static let hour = 3600.0

  private func wall(_ hours: Double) -> WallTime { WallTime(seconds: Self.noon + hours * Self.hour) }

  private func shown(_ account: DataAccount, at hours: Double) -> [Int]? {
    account.shown(at: wall(hours)).map { [$0.today, $0.month] }
  }

  @Test func aDayKnowsItsMonth() {
    for (seconds, year, month, day, length) in [
      (0, 1970, 1, 1, 31), (-1, 1969, 12, 31, 31), (951_782_400, 2000, 2, 29, 29),
      (1_078_012_800, 2004, 2, 29, 29), (4_107_456_000, 2100, 2, 28, 28), (4_107_542_400, 2100, 3, 1, 31),
      (1_796_040_000, 2026, 11, 30, 30),
    ] {
      let found = CalendarDay(of: seconds)
      #expect(found.date == (year, month, day) && found.lengthOfMonth == length)
    }
    let newYear = CalendarDay(of: 1_798_761_600)
    #expect(newYear.date == (2027, 1, 1) && !newYear.isInMonth(of: CalendarDay(number: newYear.number - 1)))
    #expect(newYear.isInMonth(of: CalendarDay(number: newYear.number + 30)))
  }

  @Test func aRunIsCountedFromItsLastTotal() {
    var account = DataAccount(DataVolume())
    let told = [100, 100, 150].map { account.carried($0, zone: 0, wall: wall(0)) }
    #expect(told == [true, false, true] && shown(account, at: 1) == [150, 150])
  }

  /// Before anything is known of its place a day is one of Greenwich.
  @Test func aStoredDayEndsAtMidnightOfGreenwich() {
    var volume = DataVolume()
    volume.add(100, on: CalendarDay(of: Int(Self.noon)))
    let account = DataAccount(volume)
    #expect(shown(account, at: 12 - 0.5 / 3600) == [100, 100] && shown(account, at: 12) == [0, 0])
  }

  @Test func midnightBeginsADayAndAMonthWhereTheBoardIs() {
    var account = DataAccount(DataVolume())
    _ = account.carried(100, zone: 3600, wall: wall(10))
    _ = account.carried(110, zone: 3600, wall: wall(10.99))
    #expect(shown(account, at: 10.99) == [110, 110])
    // 23:00 UTC is midnight there, and the end of November.
    #expect(shown(account, at: 11) == [0, 0])
    _ = account.carried(130, zone: 3600, wall: wall(11))
    #expect(shown(account, at: 11) == [20, 20])
    _ = account.carried(160, zone: 3600, wall: wall(36))
    #expect(shown(account, at: 36) == [30, 50], "the next day is of the same month")
  }

  @Test func withoutAClockNothingIsShownAndNothingIsLost() {
    var account = DataAccount(DataVolume())
    _ = account.carried(100, zone: 0, wall: nil)
    #expect(account.shown(at: nil) == nil && account.volume.month == 0)
    _ = account.carried(120, zone: 0, wall: wall(0))
    #expect(shown(account, at: 0) == [120, 120])
  }

  @Test func aClockThatIsPutBackTakesNothingBack() {
    var account = DataAccount(DataVolume())
    _ = account.carried(100, zone: 0, wall: wall(24))
    _ = account.carried(110, zone: 0, wall: wall(0))
    #expect(shown(account, at: 0) == [110, 110])
  }

  @Test func aRestartGoesOnWithTheStore() {
    var scene = Scene()
    scene.post(.carried(bytes: 100, zone: 0), at: 0)
    scene.post(.carried(bytes: 250, zone: 0), at: 60)
    scene.post(.stopping, at: 70)
    let written = scene.writes.compactMap { if case .volume(let volume) = $0 { volume } else { nil } }
    #expect(written.map(\.month) == [250], "once, with the rest")
    var snapshot = Snapshot()
    snapshot.volume = written.last ?? DataVolume()
    var next = Scene(snapshot: snapshot)
    next.post(.carried(bytes: 7, zone: 0), at: 80)
    #expect(next.tracker.dataUse(at: next.now).map { [$0.volume.today, $0.volume.month] } == [257, 257])
  }

  @Test func aCountIsNoReasonToWrite() {
    var scene = Scene.inMode(.manual)
    scene.connect()
    for minute in 1...30 { scene.post(.carried(bytes: minute * 100, zone: 0), at: Double(minute) * 60) }
    #expect(!scene.writes.contains { if case .volume = $0 { true } else { false } })
  }

  @Test func aStoreThatIsOpenedLateHasBoth() {
    var before = DataVolume()
    before.add(1000, on: CalendarDay(of: Int(Scene.start) - 86_400))
    var earlier = Snapshot()
    earlier.volume = before
    var scene = Scene()
    scene.post(.carried(bytes: 100, zone: 0), at: 0)
    let effects = scene.tracker.handOver(to: earlier, at: scene.now)
    let written = effects.compactMap { if case .store(_, let writes) = $0 { writes } else { nil } }.joined()
    let volumes = written.compactMap { if case .volume(let volume) = $0 { volume } else { nil } }
    #expect(volumes.map { [$0.today, $0.month] } == [[100, 1100]])
    var after = Snapshot()
    after.volume = volumes.last ?? DataVolume()
    _ = scene.tracker.takeUp(after, at: scene.now)
    scene.post(.carried(bytes: 130, zone: 0), at: 1)
    #expect(scene.tracker.dataUse(at: scene.now).map { [$0.volume.today, $0.volume.month] } == [130, 1130])
  }

  @Test func statusReportContainsTheVolume() {
    var scene = Scene.inMode(.manual) { $0.dashboard.availability = true }
    scene.post(.carried(bytes: 100, zone: 0), at: 0)
    scene.connect()
    guard case .status(let status)? = scene.announced.last else {
      Issue.record("no status")
      return
    }
    #expect(status.data?.volume.today == 100 && status.data?.volume.month == 100)
  }
}
