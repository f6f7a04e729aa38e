import Core
import Model
import Storage
import Testing
import Timebase

@testable import Simulator

/// What is on the card, and what is not: who takes the one for the other is noticed.
struct CardTests {
  private let disk = Disk(dice: Dice(seed: 1, for: "disk"))
  private let vfs: DiskVFS

  init() { vfs = DiskVFS(disk) }

  private func open() throws -> StoreFile { try StoreFile(directory: Scratch.directory, vfs: vfs.name) }

  private func event(_ sequence: UInt64) -> StoreWrite {
    .insert(
      Message(
        sequence: sequence, topic: "owntracks/board/van/event", payload: Array("{}".utf8), qos: 1,
        isRetained: false, isEvent: true, time: 1_700_000_000))
  }

  @Test func halfOfABatchIsNoticed() throws {
    let file = try open()
    try file.apply([event(1), event(2), event(5)])
    #expect(WholeBatches([[event(1), event(2)], [event(3), event(4)]]).lie(in: file) == nil)
    #expect(WholeBatches([[event(2), event(3)]]).lie(in: file) != nil)
    // Another batch, that was told to have failed, has put the first there.
    #expect(WholeBatches([[event(2), event(3)]], after: [2]).lie(in: file) == nil)
    // The one that is not there was taken out again.
    #expect(WholeBatches([[event(2), event(3)], [.remove([3])]]).lie(in: file) == nil)
    disk.killHandles()
  }

  @Test func unsyncedRemovalIsNoticed() throws {
    let file = try open()
    try file.apply([event(1), event(2)])
    #expect(Shadow.lie(of: disk) == nil)
    // A removal may be lost: it is not synced.
    try file.apply([.remove([1])])
    #expect(Shadow.lie(of: disk)?.contains("messages [1]") == true)
    disk.killHandles()
  }

  @Test func aRegionThatTheDiskDoesNotKnowIsNoticed() throws {
    let here = try #require(Coordinate(latitude: 48, longitude: 16))
    let yard = Region(rid: "a", name: "Yard", coordinate: here, radius: 100, created: 0)
    let known = [Snapshot.KnownRegion(region: yard, presence: .inside)]
    var snapshot = Snapshot()
    #expect(RegionsOverStarts.lie(in: snapshot, about: known) == "Yard is gone")
    snapshot.regions = known
    #expect(RegionsOverStarts.lie(in: snapshot, about: known) == nil)
    snapshot.regions[0].presence = .outside
    #expect(RegionsOverStarts.lie(in: snapshot, about: known) != nil)
  }

  @Test func aHistoryThatKeepsTooFewPointsIsNoticed() {
    var fullness = FullHistory()
    #expect(fullness.look(points: 49, wanted: 50) == nil)
    #expect(fullness.look(points: 48, wanted: 50) == nil)
    #expect(fullness.look(points: 51, wanted: 50) == nil)
    #expect(fullness.look(points: 50, wanted: 50) == nil)
    #expect(fullness.look(points: 49, wanted: nil) == nil)
    #expect(fullness.look(points: 49, wanted: 50) != nil)
  }
}
