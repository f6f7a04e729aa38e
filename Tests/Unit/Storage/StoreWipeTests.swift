import Glibc
import Model
import TestSupport
import Testing
import Timebase

@testable import Storage

// behaviour: The wipe
/// After a wipe nothing on the disk tells where the board was.
struct StoreWipeTests {
  /// Every place of these is at this latitude, or at most a tenth of a degree north of it.
  private static let latitude = 52.5

  /// All that knows of places: messages, positions, history, regions, a journey, friends, what was refused, damaged.
  private func fill(_ directory: StoreDirectory, messages: Int = 40) throws {
    let store = try StoreFile(directory: directory.path)
    for number in 1...messages {
      var message = Sample.message(UInt64(number))
      message.payload = Array(#"{"_type":"location","lat":52.500123,"lon":13.4,"tst":1}"#.utf8)
      try store.apply([.insert(message), .history(Sample.location(number)), .position(Sample.fix(number))])
    }
    var journey = JourneyState()
    (journey.odometer, journey.place, journey.fence) = (
      1234, TrackPoint(Sample.fix()), TrackPoint(Sample.fix(1))
    )
    var region = Sample.region(1)
    region.coordinate = Sample.fix(7).coordinate
    try store.apply([
      .region(region, .inside), .reference(Sample.fix(2)), .journey(journey), .tag("Spain"),
      .mode(ModeState(mode: .move)), .imported(String(repeating: "a", count: 40)),
      .remoteSettings(RemoteSettings([.init(name: "tid", value: .text("zz"), over: .text(""))])),
      .commandsSeen([SeenCommand(digest: 77, time: 5)]),
    ])
    try store.apply([.remove([1, 2, 3]), .regionRemoved(rid: region.rid)])
    // As a process that is killed leaves it.
    store.abandon()
    for name in ["refused.jsonl", "store.damaged-1", "store.new-journal", "friends.sqlite"] {
      var bytes = Array(#"{"lat":52.500123}"#.utf8)
      withUnsafeBytes(of: Self.latitude) { bytes += $0 }
      writeFile(bytes, to: directory.path + "/" + name)
    }
  }

  /// Files in which a place is found, as text or as any binary form of the store's.
  private func places(in directory: StoreDirectory) -> [String] {
    directory.names.filter { name in
      let bytes = readFile(directory.path + "/" + name)
      if String(decoding: bytes, as: UTF8.self).contains("52.5") { return true }
      guard bytes.count >= 8 else { return false }
      return bytes.withUnsafeBytes { buffer in
        (0...(bytes.count - 8)).contains { offset in
          let bits = buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          return [bits.littleEndian, bits.bigEndian].contains {
            (Self.latitude...Self.latitude + 0.1).contains(Double(bitPattern: $0))
          }
        }
      }
    }
  }

  @Test func noPlaceIsLeftAfterAKill() throws {
    let directory = StoreDirectory()
    try fill(directory)
    #expect(places(in: directory).count >= 5, "\(places(in: directory))")
    let report = try StoreWipe.run(in: directory.path, .places)
    #expect(places(in: directory) == [] && report.files >= 6 && report.bytes > 192 * 1024)
    #expect(directory.names.allSatisfy { $0.hasPrefix("store.") }, "\(directory.names)")
  }

  @Test func settingsStay() throws {
    let directory = StoreDirectory()
    try fill(directory)
    _ = try StoreWipe.run(in: directory.path, .places)
    let store = try StoreFile(directory: directory.path)
    let left = try store.snapshot()
    #expect(left.tag == "Spain" && left.mode?.mode == .move && left.journey.odometer == 1234)
    #expect(left.remote.settings.map(\.name) == ["tid"] && left.commandsSeen.count == 1)
    #expect(left.imported == String(repeating: "a", count: 40))
    #expect(left.regions.isEmpty && left.position == nil && left.reference == nil && left.queued == 0)
    #expect(left.historyCount == 0 && left.journey.place == nil && left.journey.fence == nil)
  }

  @Test func everythingIsEverything() throws {
    let directory = StoreDirectory()
    try fill(directory)
    _ = try StoreWipe.run(in: directory.path, .everything)
    #expect(directory.names.isEmpty, "\(directory.names)")
  }

  @Test func aStoreInUseIsLeftAlone() throws {
    let directory = StoreDirectory()
    let store = try StoreFile(directory: directory.path)
    try store.apply([.tag("mine")])
    #expect(throws: StoreError.inUse(path: directory.tables)) {
      try StoreWipe.run(in: directory.path, .everything)
    }
    #expect(try store.snapshot().tag == "mine")
    store.close()
  }

  @Test func oneThatWasCutShortIsDoneAgainAndLosesNothing() throws {
    let directory = StoreDirectory()
    try fill(directory)
    _ = try StoreWipe.run(in: directory.path, .places)
    let kept = directory.copy()
    // The old files are half gone, and what is to be kept lies beside them.
    try fill(directory)
    mkdir(directory.path + "/wipe.new", 0o700)
    for name in kept.names {
      writeFile(readFile(kept.path + "/" + name), to: directory.path + "/wipe.new/" + name)
    }
    unlink(directory.path + "/store.log")
    writeFile([UInt8](repeating: 0, count: 4096), to: directory.tables)
    _ = try StoreWipe.run(in: directory.path, .places)
    #expect(places(in: directory) == [])
    #expect(try StoreFile(directory: directory.path).snapshot().tag == "Spain")
  }

  @Test func aDamagedStoreIsWipedToo() throws {
    let directory = StoreDirectory()
    try fill(directory)
    var bytes = readFile(directory.tables)
    for index in 0..<min(100, bytes.count) { bytes[index] = 0xAA }
    writeFile(bytes, to: directory.tables)
    _ = try StoreWipe.run(in: directory.path, .everything)
    #expect(places(in: directory) == [] && directory.names.isEmpty)
  }
}
