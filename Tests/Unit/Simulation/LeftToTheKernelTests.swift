import Model
import Storage
import Testing

@testable import Simulator

/// A process that ends leaves what it has written and not synced with the kernel, where the next one reads it.
/// A power cut after that takes it: nothing may have been built on it by then.
struct LeftToTheKernelTests {
  private let disk = Disk(dice: Dice(seed: 1, for: "disk"))
  private let vfs: DiskVFS

  init() { vfs = DiskVFS(disk) }

  private func open() throws -> StoreFile { try StoreFile(directory: Scratch.directory, vfs: vfs.name) }

  private func sequences(in file: StoreFile) throws -> [UInt64] {
    try file.load(after: 0, limit: 1000).map(\.sequence)
  }

  private func event(_ sequence: UInt64) -> StoreWrite {
    .insert(
      Message(
        sequence: sequence, topic: "owntracks/board/van/event", payload: Array("{}".utf8), qos: 1,
        isRetained: false, isEvent: true, time: 1_700_000_000))
  }

  private func regions(_ count: Int) throws -> [StoreWrite] {
    let place = try #require(Coordinate(latitude: 50, longitude: 7))
    return (1...count).map {
      .region(Region(rid: "rid\($0)", name: "Place", coordinate: place, radius: 100, created: 1), .inside)
    }
  }

  /// A store of nine regions in whose closing, with an event more, a process is killed at the write
  /// of this number. False: it was not.
  private func isKilled(at write: Int) throws -> Bool {
    for path in disk.files.keys { disk.remove(path) }
    let file = try open()
    try file.apply(regions(9))
    disk.strike(.kill, afterWrites: write)
    try? file.apply([event(1)])
    file.close()
    let isStruck = disk.takeStrike() != nil
    disk.killHandles()
    return isStruck
  }

  /// Found by seed 15603: the end of SQLite's journal was not synced, the log began over, and the power cut
  /// brought the journal back, which undid what the log no longer had.
  @Test func writeAfterKilledProcessSurvivesPowerCut() throws {
    var kills = 0
    for write in 1...100 where try isKilled(at: write) {
      kills += 1
      let seen = try sequences(in: open())
      disk.killHandles()
      let next = try open()
      try next.apply([event(9)])
      _ = disk.cutPower(drops: true, tears: false)
      let last = try open()
      #expect(try sequences(in: last) == seen + [9], "write \(write)")
      #expect(try last.snapshot().regions.count == 9, "write \(write)")
      disk.killHandles()
    }
    #expect(kills > 10)
  }

  /// Found by seed 17496.
  @Test func messagesReadAfterKillSurvivePowerCut() throws {
    var kills = 0
    for write in 1...3 where try isKilled(at: write) {
      kills += 1
      let seen = try sequences(in: open())
      _ = disk.cutPower(drops: true, tears: false)
      #expect(try sequences(in: open()) == seen, "write \(write)")
      disk.killHandles()
    }
    #expect(kills == 3)
  }
}
