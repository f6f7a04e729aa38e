import Model
import Testing

@testable import Core

/// Which locations go when there is no room, one by one.
struct ThinningTests {
  /// Numbered from 1 on. Negative: an event at that time.
  private func queue(_ times: [Int]) -> [QueueEntry] {
    times.enumerated().map {
      QueueEntry(sequence: UInt64($0 + 1), time: abs($1), isEvent: $1 < 0, size: 1)
    }
  }

  /// The nearest to its neighbours first, the oldest of equals; the first and the last stay, whatever is wanted.
  @Test(
    arguments: [
      (0, []), (1, [3]), (2, [3, 2]), (3, [3, 2, 4]), (9, [3, 2, 4]),
    ] as [(Int, [UInt64])])
  func inMemoryTheTrackGetsCoarser(wanted: Int, victims: [UInt64]) {
    #expect(Thinning.victims(in: queue([0, 10, 11, 20, 30]), wanted: wanted) == victims)
  }

  @Test func twoLocationsAndEventsStay() {
    #expect(Thinning.victims(in: queue([0, 10]), wanted: 2).isEmpty)
    #expect(Thinning.victims(in: queue([0, -5, -6, 10, -11]), wanted: 2).isEmpty)
    #expect(Thinning.victims(in: queue([0, -1, 5, -6, 10]), wanted: 2) == [3])
    #expect(Thinning.victims(in: [], wanted: 2).isEmpty)
  }

  /// The first sweep takes what has no time of its own, the next allows what was nearest.
  @Test func nextSweepUsesSmallestGapOfPrevious() {
    var sweep = Sweep()
    #expect(sweep.cursor == 0 && sweep.gap == 0)
    let track = queue([0, 0, 0, 1, 3, 6, 8, 20])
    #expect(sweep.victims(in: track, wanted: 9) == [2])
    #expect(sweep.cursor == 7)
    // 0 and 1, around the third.
    #expect(sweep.restart() && sweep.gap == 1 && sweep.cursor == 0)
    let left = track.filter { $0.sequence != 2 }
    #expect(sweep.victims(in: left, wanted: 9) == [3])
    #expect(sweep.restart() && sweep.gap == 3)
  }

  @Test func aSweepTakesNoMoreThanIsWantedAndGoesOnBehindIt() {
    var sweep = Sweep()
    let track = queue([5, 5, 5, 5, 5, 9])
    #expect(sweep.victims(in: track, wanted: 1) == [2] && sweep.cursor == 2)
    #expect(sweep.victims(in: track.filter { $0.sequence > 2 }, wanted: 1) == [3] && sweep.cursor == 3)
    #expect(sweep.victims(in: [], wanted: 0).isEmpty && sweep.cursor == 3)
  }

  /// The last location of a page is judged with the page behind it.
  @Test func pageBoundaryDoesNotHideNeighbours() {
    var sweep = Sweep()
    let track = queue([5, 5, 5, 9])
    #expect(sweep.victims(in: Array(track[..<2]), wanted: 9).isEmpty && sweep.cursor == 1)
    #expect(sweep.victims(in: Array(track[1..<3]), wanted: 9) == [2] && sweep.cursor == 2)
    #expect(sweep.victims(in: Array(track[2...]), wanted: 9).isEmpty && sweep.cursor == 3)
    // One alone, with events behind it, has nothing to be judged with; an empty page ends nowhere.
    #expect(sweep.victims(in: queue([-1, -1, -1, 9, -9]), wanted: 9).isEmpty && sweep.cursor == 5)
    #expect(sweep.victims(in: [], wanted: 9).isEmpty && sweep.cursor == 5)
    // Where nothing is wanted, nothing is passed.
    #expect(sweep.victims(in: queue([-1, -1, -1, -1, -1, -1]), wanted: 0).isEmpty && sweep.cursor == 5)
  }

  @Test func whereNothingWasTooFarApartNoWiderGapHelps() {
    var sweep = Sweep()
    #expect(!sweep.restart() && sweep.gap == 0)
    _ = sweep.victims(in: queue([0, 4, 9]), wanted: 9)
    #expect(sweep.restart() && sweep.gap == 9)
    _ = sweep.victims(in: queue([0, 9]), wanted: 9)
    #expect(!sweep.restart() && sweep.gap == 9)
  }

  /// A narrower gap is never gone back to: it was looked through.
  @Test func theGapOnlyWidens() {
    var sweep = Sweep()
    _ = sweep.victims(in: queue([0, 4, 9]), wanted: 9)
    #expect(sweep.restart() && sweep.gap == 9)
    #expect(sweep.victims(in: queue([0, 4, 9, 30]), wanted: 9) == [2])
    #expect(sweep.restart() && sweep.gap == 30)
  }
}
