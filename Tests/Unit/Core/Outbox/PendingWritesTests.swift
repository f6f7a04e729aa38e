import Model
import Testing
import Timebase

@testable import Core

/// What waits to be written: of each kind the newest, whichever way it came.
struct PendingWritesTests {
  private var writes = PendingWrites()

  private static func fix(_ time: Double) -> Fix {
    Fix(time: WallTime(seconds: time), coordinate: Coordinate(latitude: 48, longitude: 11)!, accuracy: 5)
  }

  /// Times of the positions, then of the references, as they are written.
  private mutating func taken() -> [[Double]] {
    let writes = self.writes.take(inserts: [], evenLazy: true)?.writes ?? []
    let positions = writes.compactMap { if case .position(let fix) = $0 { fix.time.seconds } else { nil } }
    let references = writes.compactMap { if case .reference(let fix) = $0 { fix.time.seconds } else { nil } }
    return [positions, references]
  }

  @Test mutating func onlyTheNewestIsWritten() {
    for time in 1...9 {
      writes.remember(position: Self.fix(Double(time)))
      writes.remember(reference: Self.fix(Double(time)))
    }
    #expect(taken() == [[9], [9]])
    #expect(taken() == [[], []])
  }

  /// Points of the history wait for company; where something else is to be on the disk at once, they go with it.
  @Test mutating func promotionWritesPendingHistory() {
    let location = LocationReport(
      fix: Self.fix(1), time: WallTime(seconds: 1), created: nil, trigger: .automatic, mode: .move)
    writes.remember(point: .location(location))
    #expect(!writes.isUrgent && writes.take(inserts: [], evenLazy: false) == nil)
    writes.promote()
    #expect(writes.isUrgent)
    #expect(writes.take(inserts: [], evenLazy: false)?.writes == [.history(location)])
  }

  /// What there is one of in the store: a thousand changes in one batch are one write, and a batch that failed does
  /// not bring an older one back.
  @Test(
    arguments: [
      (.tag("x"), .tag("y")), (.dropped(1), .dropped(2)),
      (.mode(ModeState(mode: .move)), .mode(ModeState(mode: .quiet))),
      (.remoteSettings(RemoteSettings()), .remoteSettings(Self.remote)),
      (.commandsSeen([]), .commandsSeen([SeenCommand(digest: 1, time: 2)])),
      (.journey(JourneyState()), .journey(Self.journey)), (.clientIDForm(.apart), .clientIDForm(.unsaid)),
      (.volume(DataVolume()), .volume(Self.volume)), (.sleep(Sleep(since: nil, span: 60)), .sleep(nil)),
      (.batterySteps(BatterySteps(board: .off)), .batterySteps(BatterySteps())),
      (.entered([]), .entered([EnteredRegion(region: Scene.home().region, isChanged: true)])),
    ] as [(StoreWrite, StoreWrite)])
  mutating func newestOfEachStateIsWrittenOncePerBatch(older: StoreWrite, newer: StoreWrite) throws {
    writes.remember(older, isUrgent: true)
    writes.remember(newer, isUrgent: true)
    let taken = writes.take(inserts: [], evenLazy: false)
    let first = try #require(taken)
    #expect(first.writes == [newer])
    writes.remember(older, isUrgent: true)
    writes.failed(first.batch)
    let again = writes.take(inserts: [], evenLazy: true)
    #expect(again?.writes == [older], "the one that came last")
  }

  private static let remote = RemoteSettings([.init(name: "ping", value: .number(7), over: .number(0))])

  private static let volume: DataVolume = {
    var volume = DataVolume()
    volume.add(7, on: nil)
    return volume
  }()

  private static let journey: JourneyState = {
    var journey = JourneyState()
    journey.odometer = 7
    return journey
  }()

  /// In one go somebody changes one region and removes another: both are written, and written again where the disk took
  /// neither.
  @Test mutating func theEndOfOneRegionIsNotThatOfAnother() throws {
    let here = try #require(Coordinate(latitude: 48, longitude: 11))
    let yard = Region(rid: "a", name: "Yard", coordinate: here, radius: 100, created: 1)
    let both: [StoreWrite] = [.region(yard, .inside), .regionRemoved(rid: "b")]
    for write in both { writes.remember(write, isUrgent: true) }
    let taken = writes.take(inserts: [], evenLazy: false)
    let first = try #require(taken)
    #expect(first.writes == both)
    writes.failed(first.batch)
    writes.remember(.regionRemoved(rid: "c"), isUrgent: true)
    #expect(writes.take(inserts: [], evenLazy: true)?.writes == both + [.regionRemoved(rid: "c")])
    writes.remember(.region(yard, .outside), isUrgent: true)
    writes.remember(.regionRemoved(rid: "a"), isUrgent: true)
    #expect(writes.take(inserts: [], evenLazy: true)?.writes == [.regionRemoved(rid: "a")])
  }

  @Test mutating func theyWaitForCompany() {
    writes.remember(position: Self.fix(1))
    #expect(writes.take(inserts: [], evenLazy: false) == nil)
    writes.remember(.tag("x"), isUrgent: true)
    #expect(writes.take(inserts: [], evenLazy: false)?.writes == [.position(Self.fix(1)), .tag("x")])
  }

  @Test mutating func anUrgentOneIsNotUndoneByAnOlder() {
    writes.remember(position: Self.fix(1))
    writes.remember(reference: Self.fix(1))
    writes.remember(.position(Self.fix(2)), isUrgent: true)
    writes.remember(.reference(Self.fix(3)), isUrgent: true)
    #expect(taken() == [[2], [3]])
  }

  @Test mutating func aNewerOneTakesThePlaceOfAnUrgentOne() {
    writes.remember(.position(Self.fix(1)), isUrgent: true)
    writes.remember(.reference(Self.fix(1)), isUrgent: true)
    writes.remember(.tag("x"), isUrgent: true)
    writes.remember(position: Self.fix(2))
    writes.remember(reference: Self.fix(3))
    #expect(
      writes.take(inserts: [], evenLazy: false)?.writes == [
        .reference(Self.fix(3)), .position(Self.fix(2)), .tag("x"),
      ])
  }

  @Test mutating func promotedTheyGoNow() {
    writes.remember(position: Self.fix(1))
    writes.remember(reference: Self.fix(2))
    writes.promote()
    #expect(writes.isUrgent)
    writes.remember(position: Self.fix(3))
    #expect(taken() == [[3], [2]])
  }

  @Test mutating func failedWriteReturnsUnlessNewerOneWaits() throws {
    writes.remember(position: Self.fix(1))
    writes.remember(reference: Self.fix(1))
    let batch = try #require(writes.take(inserts: [], evenLazy: true)?.batch)
    writes.remember(position: Self.fix(2))
    writes.failed(batch)
    #expect(taken() == [[2], [1]])
  }

  /// A batch counts when it is answered, whatever the answer is; a disk that takes nothing keeps nobody waiting.
  @Test mutating func answerHorizonIsBatchHoldingItsWrites() {
    #expect(writes.horizon(hasEvents: false) == nil && writes.horizon(hasEvents: true) == 1)
    #expect(writes.isOver(0) && !writes.isOver(1) && !writes.isFailing)
    writes.remember(.tag("a"), isUrgent: true)
    #expect(writes.horizon(hasEvents: false) == 1)
    #expect(writes.take(inserts: [], evenLazy: false)?.batch == 1)
    #expect(writes.isUnderway && writes.horizon(hasEvents: false) == 1)
    #expect(writes.horizon(hasEvents: true) == 2)
    writes.stored(1)
    #expect(!writes.isUnderway && writes.horizon(hasEvents: false) == nil)
    #expect(writes.isOver(1) && !writes.isOver(2))
    writes.remember(.tag("b"), isUrgent: true)
    #expect(writes.take(inserts: [], evenLazy: false)?.batch == 2)
    writes.failed(2)
    #expect(writes.isFailing && writes.isOver(9))
    writes.forgiven()
    #expect(!writes.isFailing && writes.isOver(2) && !writes.isOver(3))
  }

  @Test mutating func pendingRemovalsAreDoomedUntilStored() {
    writes.remove([3, 4])
    writes.remember(.removeRange(after: 5, through: 9), isUrgent: true)
    writes.remember(.removeRange(after: 30, through: 31), isUrgent: false)
    // Nothing lies between.
    writes.remember(.removeRange(after: 20, through: 20), isUrgent: false)
    #expect(writes.doomed == [3, 4] && Set(writes.doomedRanges) == [6...9, 31...31])
    #expect(writes.take(inserts: [], evenLazy: false)?.batch == 1)
    writes.remove([7])
    #expect(writes.doomed == [3, 4, 7] && Set(writes.doomedRanges) == [6...9, 31...31])
    writes.failed(1)
    #expect(writes.doomed == [3, 4, 7] && Set(writes.doomedRanges) == [6...9, 31...31])
    let again = writes.take(inserts: [], evenLazy: true)
    #expect(again?.batch == 2 && again?.writes.first == .remove([3, 4, 7]) && again?.writes.count == 4)
    writes.stored(2)
    #expect(writes.doomed.isEmpty && writes.doomedRanges.isEmpty)
    #expect(writes.take(inserts: [], evenLazy: true) == nil)
  }

  @Test mutating func urgentBatchIncludesLazyWritesInOrder() {
    writes.remember(.tag("x"), isUrgent: false)
    writes.remember(reference: Self.fix(1))
    writes.remember(position: Self.fix(2))
    writes.remember(.dropped(1), isUrgent: true)
    writes.remove([5])
    #expect(
      writes.take(inserts: [], evenLazy: false)?.writes == [
        .remove([5]), .tag("x"), .reference(Self.fix(1)), .position(Self.fix(2)), .dropped(1),
      ])
    #expect(writes.take(inserts: [], evenLazy: true) == nil)
    // A removal takes them along as well.
    writes.remember(.tag("y"), isUrgent: false)
    #expect(writes.take(inserts: [], evenLazy: false) == nil)
    writes.remove([6])
    #expect(writes.take(inserts: [], evenLazy: false)?.writes == [.remove([6]), .tag("y")])
  }

  private static func point(_ time: Double) -> LocationReport {
    LocationReport(
      fix: fix(time), time: WallTime(seconds: time), created: nil, trigger: .automatic, mode: .move)
  }

  @Test mutating func aHistoryWithoutPointsIsOwedNothing() {
    writes.oweHistory()
    #expect(!writes.isUrgent)
    writes.remember(point: .location(Self.point(1)))
    #expect(!writes.isUrgent && writes.waitingPoints == 1)
    writes.oweHistory()
    #expect(writes.isUrgent)
  }

  /// In the order of their making; and not at all where a person has emptied the history since.
  @Test(arguments: [false, true]) mutating func pointsOfABatchThatFailedComeBack(isEmptied: Bool) {
    for time in [1.0, 2] { writes.remember(point: .location(Self.point(time))) }
    let failing = writes.take(inserts: [], evenLazy: true)
    #expect(failing?.writes == [.history(Self.point(1)), .history(Self.point(2))])
    let clear = StoreWrite.pruneHistory(keep: 0, since: nil)
    if isEmptied { writes.remember(clear, isUrgent: true) }
    writes.remember(point: .location(Self.point(3)))
    writes.failed(failing?.batch ?? 0)
    let again = writes.take(inserts: [], evenLazy: true)?.writes
    let all = (1...3).map { StoreWrite.history(Self.point(Double($0))) }
    #expect(again == (isEmptied ? [clear, .history(Self.point(3))] : all))
  }
}
