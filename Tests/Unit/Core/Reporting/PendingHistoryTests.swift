import Model
import Testing
import Timebase

@testable import Core

// behaviour: History
/// The points of the own history on their way to the disk, and those that have to go there.
struct PendingHistoryTests {
  private static func report(_ time: Double) -> Report {
    let fix = Fix(
      time: WallTime(seconds: time), coordinate: Coordinate(latitude: 48, longitude: 11)!, accuracy: 5)
    return .location(LocationReport(fix: fix, time: fix.time, created: nil, trigger: .automatic, mode: .move))
  }

  private static func times(_ writes: [StoreWrite]) -> [Double] {
    writes.compactMap { if case .history(let report) = $0 { report.time.seconds } else { nil } }
  }

  private static func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
        $0.reports.locatorInterval = 0
        change(&$0)
      })
  }

  private static func points(_ scene: Scene) -> [Double] { times(scene.writes).map { $0 - Scene.start } }

  // MARK: When they are written

  @Test func aPointGoesWithItsMessageWhereThatWaits() {
    var scene = Self.scene()
    for second in 1...10 { scene.fix(at: Double(second), 0) }
    scene.run(until: 11.5)
    #expect(scene.disk.count == 10)
    #expect(Self.points(scene) == (1...10).map(Double.init))
  }

  @Test func withoutCompanyItGoesWithinAMinuteAndAllTogether() {
    var scene = Self.scene()
    scene.connect()
    scene.run(until: 1)
    let before = scene.batches
    for second in 10...69 { scene.fix(at: Double(second), 0) }
    #expect(Self.points(scene).isEmpty)
    scene.run(until: 71)
    #expect(Self.points(scene) == (10...69).map(Double.init))
    #expect(scene.batches == before + 1)
  }

  @Test func pointsKeptOfflineAreWrittenWithinAMinute() {
    var scene = Self.scene { $0.broker.port = 0 }
    for second in 1...10 { scene.fix(at: Double(second), 0) }
    scene.run(until: 62)
    #expect(Self.points(scene) == (1...10).map(Double.init))
  }

  @Test func nothingIsWrittenAMinuteLaterWhereAllIsWrittenAlready() {
    var scene = Self.scene()
    scene.fix(at: 1, 0)
    scene.run(until: 3)
    let before = scene.batches
    scene.run(until: 120)
    #expect(scene.batches == before)
  }

  @Test func pointsRefusedByDiskAreRewrittenInOrderOnce() {
    var scene = Self.scene()
    scene.isDiskBroken = true
    for second in 1...10 { scene.fix(at: Double(second), 0) }
    scene.run(until: 12)
    scene.isDiskBroken = false
    for second in 13...15 { scene.fix(at: Double(second), 0) }
    scene.run(until: 90)
    #expect(Self.points(scene) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15])
  }

  // MARK: What has to wait, and what has to go

  @Test func whileTheDiskTakesNothingTheOldestGo() {
    var history = PendingHistory()
    for time in 1...510 { history.add(Self.report(Double(time))) }
    history.putBack([Self.report(0)])
    #expect(Self.times(history.writes) == (11...510).map(Double.init))
    #expect(history.take().count == PendingHistory.limit && history.points.isEmpty)
    history.add(Self.report(3))
    history.putBack([Self.report(1), Self.report(2)])
    #expect(Self.times(history.writes) == [1, 2, 3])
  }

  private static func settings(days: Int, positions: Int = 50) -> Configuration.History {
    var settings = Configuration().history
    (settings.days, settings.positions) = (days, positions)
    return settings
  }

  @Test func theNewestAreKeptByNumber() {
    var keeping = HistoryKeeping(count: 0)
    let prunings = (1...5).map { _ in keeping.added(Self.settings(days: -1, positions: 3), wall: nil) }
    let three = StoreWrite.pruneHistory(keep: 3, since: nil)
    #expect(prunings == [nil, nil, nil, three, three])
    #expect(keeping.count == 3)
    #expect(keeping.added(Self.settings(days: 0), wall: nil) == StoreWrite.pruneHistory(keep: 1, since: nil))
  }

  @Test func aWeekIsKeptAndAHundredThousandPointsAtMost() {
    var keeping = HistoryKeeping(count: 0)
    let now = 1_700_000_000.0
    func added(_ seconds: Double) -> StoreWrite? {
      keeping.added(Configuration().history, wall: WallTime(seconds: now + seconds))
    }
    #expect(added(0) == StoreWrite.pruneHistory(keep: 100_000, since: now - 8 * 86_400))
    #expect(added(3599) == nil)
    #expect(added(3600) == StoreWrite.pruneHistory(keep: 100_000, since: now + 3600 - 8 * 86_400))
    #expect(keeping.added(Configuration().history, wall: nil) == nil)
    #expect(keeping.count == 4)
  }

  @Test func historyCountFollowsStoredPoints() {
    var scene = Self.scene()
    scene.connect()
    for second in 1...10 { scene.fix(at: Double(second), 0) }
    scene.isDiskSlow = true
    scene.run(until: 62)
    scene.fix(at: 63, 0)
    // Seven of the ten had become too old for it, and one more is under way.
    scene.pendingBatches = []
    scene.post(.stored(batch: UInt64(scene.batches), points: 3), at: 64)
    #expect(scene.tracker.history.count == 4)
  }

  @Test func oneDayIsADayAndOnePointIsAPoint() {
    var days = HistoryKeeping(count: 0)
    let wall = WallTime(seconds: 1_700_000_000)
    #expect(
      days.added(Self.settings(days: 1), wall: wall)
        == StoreWrite.pruneHistory(keep: 100_000, since: 1_700_000_000 - 2 * 86_400))
    var points = HistoryKeeping(count: 1)
    #expect(
      points.added(Self.settings(days: -1, positions: 1), wall: wall)
        == StoreWrite.pruneHistory(keep: 1, since: nil))
    points.emptied()
    #expect(points.count == 0)
  }
}
