import Foundation
import Model
import TestSupport
import Testing
import Timebase

@testable import Storage

/// Stores of every earlier form are read whole, and go on. Those in Stores beside this
/// file were written by the code of their day, in one program with `StoreFile` alone: `first` by commit 2831a12, its last batch still in the log; `journeys` by
/// ac421cd, which knows journeys, limits of speed and what commands have set; `entered` by 0429993, which knows areas,
/// private regions, dwells, rules of modes and what was announced. A new form gets a store of its own here.
struct StoreFormsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Stores").path

  /// A copy that may be written to; the end of a log is zeros that nobody keeps.
  private func store(_ form: String) -> StoreDirectory {
    let directory = StoreDirectory()
    for name in ["store.sqlite", "store.log"] {
      var bytes = readFile("\(Self.folder)/\(form)/\(name)")
      guard !bytes.isEmpty else { continue }
      if name == "store.log" { bytes += [UInt8](repeating: 0, count: max(0, StoreLog.length - bytes.count)) }
      writeFile(bytes, to: "\(directory.path)/\(name)")
    }
    return directory
  }

  private func snapshot(of form: String) throws -> Snapshot {
    let directory = store(form)
    return try withExtendedLifetime(directory) { try StoreFile(directory: $0.path).snapshot() }
  }

  private func place(_ number: Int) -> Coordinate {
    Coordinate(latitude: 48 + Double(number) / 1000, longitude: 11)!
  }

  // behaviour: What is durable when
  @Test(arguments: ["first", "journeys", "entered"])
  func storeOfEveryFormIsReadAndWritable(_ form: String) throws {
    let directory = store(form)
    let file = try StoreFile(directory: directory.path)
    let snapshot = try file.snapshot()
    #expect(file.takeNotices().isEmpty && snapshot.dropped == 7)
    let names = snapshot.regions.map(\.region.name)
    #expect(names == ["Home|2|0", "-Keys", "+30follow"] + (form == "entered" ? ["Yard"] : []))
    #expect(snapshot.regions.prefix(3).map(\.presence) == [.inside, .outside, .inside])
    #expect(snapshot.regions[1].region.beacon?.minor == 6 && !snapshot.regions[1].region.isShared)
    #expect(snapshot.regions[2].region.radius == 375 && snapshot.regions[0].region.coordinate == place(0))
    #expect(snapshot.position?.coordinate == place(5) && snapshot.reference?.coordinate == place(4))
    #expect(snapshot.mode?.mode == .significant && snapshot.mode?.configured == .move)
    let history = try file.history()
    #expect(history.map(\.tag) == ["t1", "t2"] && history.map(\.poi) == ["café", "café"])
    let messages = try file.load(after: 0, limit: 10)
    let sequences: [UInt64] = form == "first" ? [1, 3, 4] : [1, 3]
    #expect(messages.map(\.sequence) == sequences)
    #expect(messages[0].isEvent && messages[0].topic == "owntracks/u/d/event")
    // And it goes on: what is written to it is there the next time.
    try file.apply([.tag("on"), .region(snapshot.regions[0].region, .outside)])
    file.close()
    let next = try StoreFile(directory: directory.path).snapshot()
    #expect(next.tag == "on" && next.regions.map(\.region.name) == names)
    #expect(next.regions[0].presence == .outside)
  }

  @Test func theFirstFormHasNoMoreThanItKnew() throws {
    let snapshot = try snapshot(of: "first")
    #expect(snapshot.tag == "in the log" && snapshot.mode?.downgraded == true)
    #expect(snapshot.imported == "eab3ad288c89acd91606df169d3c8047d4912398")
    #expect(snapshot.clientIDForm == .unsaid && snapshot.entered == nil && snapshot.remote.isEmpty)
    #expect(snapshot.journey == JourneyState() && snapshot.regions.allSatisfy { $0.region.speedLimit == nil })
  }

  @Test func journeysAndRemoteSettingsAreRead() throws {
    let snapshot = try snapshot(of: "journeys")
    #expect(snapshot.journey.odometer == 123_456.5 && snapshot.journey.fence?.coordinate == place(9))
    #expect(snapshot.regions[0].region.speedLimit == 30)
    #expect(snapshot.remote.settings.map(\.name) == ["ping"] && snapshot.commandsSeen.map(\.digest) == [77])
    #expect(snapshot.clientIDForm == .joined(user: "u", device: "d") && snapshot.entered == nil)
  }

  @Test func areasRulesAndAnnouncementsAreRead() throws {
    let snapshot = try snapshot(of: "entered")
    let yard = try #require(snapshot.regions.last?.region)
    #expect(yard.polygon?.corners.count == 3 && yard.isPrivate && yard.dwell == 60)
    #expect(snapshot.entered?.map(\.region.rid) == ["home01"] && snapshot.clientIDForm == .apart)
    #expect(snapshot.announced == ["homeassistant/sensor/x/config"])
    #expect(snapshot.mode?.isByRule == true && snapshot.mode?.taken.timeModes == "22:00-06:00|0|1")
  }
}
