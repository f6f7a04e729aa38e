import Model
import Testing
import Timebase

@testable import Core

/// The points of the local history on their way to the disk.
struct PendingHistoryTests {
  private static func report(_ time: Double) -> Report {
    let fix = Fix(
      time: WallTime(seconds: time), coordinate: Coordinate(latitude: 48, longitude: 11)!, accuracy: 5)
    return .location(LocationReport(fix: fix, time: fix.time, created: nil, trigger: .automatic, mode: .move))
  }

  private static func times(_ writes: [StoreWrite]) -> [Double] {
    writes.compactMap { if case .history(let report) = $0 { report.time.seconds } else { nil } }
  }

  private static func configuration(days: Int, positions: Int) -> Configuration {
    var configuration = Configuration()
    configuration.history.days = days
    configuration.history.positions = positions
    return configuration
  }

  @Test func theNewestAreKeptInTheirOrder() {
    var history = PendingHistory()
    let configuration = Self.configuration(days: -1, positions: 3)
    let full = (1...8).map { history.add(Self.report(Double($0)), configuration.history) }
    #expect(!full.contains(true))
    let writes = history.writes(configuration, wall: nil)
    #expect(Self.times(writes) == [6, 7, 8])
    let more = history.writes(configuration, wall: nil)
    #expect(more.isEmpty)
  }

  @Test func theOrderStandsWhenMoreAreAllowed() {
    var history = PendingHistory()
    let narrow = Self.configuration(days: -1, positions: 3)
    for time in 1...5 { _ = history.add(Self.report(Double(time)), narrow.history) }
    let wider = Self.configuration(days: -1, positions: 10)
    for time in 6...7 { _ = history.add(Self.report(Double(time)), wider.history) }
    let writes = history.writes(wider, wall: nil)
    #expect(Self.times(writes) == [3, 4, 5, 6, 7])
  }

  @Test func allAreKeptByDays() {
    var history = PendingHistory()
    let configuration = Self.configuration(days: 2, positions: 3)
    let full = (1...PendingHistory.lot).map { history.add(Self.report(Double($0)), configuration.history) }
    #expect(full.lastIndex(of: false) == PendingHistory.lot - 2)
    let writes = history.writes(configuration, wall: nil)
    #expect(Self.times(writes).count == PendingHistory.lot)
  }
}
