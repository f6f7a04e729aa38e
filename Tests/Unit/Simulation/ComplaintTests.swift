import Model
import Testing
import Timebase

@testable import Simulator

/// Judges that look for several things bark at each of them: what `BarkTests` leaves out, by the words of the
/// complaint.
struct ComplaintTests {
  /// A run that nothing is wrong with either, and that ends in a mode which tells where the vehicle is.
  private static let telling: BarkTests.Run = {
    let world = World(seed: 37)
    return .init(world: world, complaints: world.run().complaints)
  }()

  /// What is said when something about the good run is changed.
  private func complaints(
    of world: World = BarkTests.good.world, _ change: (inout Ledger) throws -> Void
  ) rethrows -> String {
    var ledger = world.ledger
    try change(&ledger)
    return world.judge(ledger).map(\.description).joined(separator: "\n")
  }

  /// Into a circle that nobody waits for, told in the calm part; its index in `made`.
  private func crossing(in ledger: Ledger) throws -> (index: Int, report: TransitionReport) {
    let calm = try #require(ledger.calmSince)
    for (index, made) in ledger.made.enumerated().reversed() where made.at > calm + .seconds(300) {
      guard case .transition(let report) = made.report, report.region.kind == .circular,
        report.crossing == .enter, !report.region.isHoldDown
      else { continue }
      return (index, report)
    }
    throw Missing()
  }

  private struct Missing: Error {}

  // MARK: What arrived

  @Test func bytesThatMakeNoSenseAreNoticed() {
    let said = complaints { ledger in
      ledger.deliveries.append(.init(at: ledger.ended, topic: "owntracks/anna/van", payload: [0x7B]))
    }
    #expect(said.contains("1 messages make no sense"))
  }

  @Test func inventedMessageIsNoticed() {
    let said = complaints { ledger in
      let payload = Array(#"{"_type":"location","tst":1800000100}"#.utf8)
      ledger.deliveries.append(.init(at: ledger.ended, topic: "owntracks/anna/van", payload: payload))
    }
    #expect(said.contains("nobody made this"))
  }

  @Test func aLeaveBehindAnEnterOfTheSameFixIsNoticed() throws {
    let said = try complaints { ledger in
      let entered = try crossing(in: ledger)
      var left = ledger.made[entered.index]
      var report = entered.report
      report.crossing = .leave
      left.report = .transition(report)
      ledger.made.insert(left, at: entered.index + 1)
    }
    #expect(said.contains("was entered, with one fix"))
  }

  @Test func aTripThatNeverEndsIsNoticed() throws {
    let found = (1...12 as ClosedRange<UInt64>).contains { (seed: UInt64) in
      let world = World(seed: seed)
      _ = world.run()
      var ledger = world.ledger
      ledger.breaks = []
      ledger.deliveries.removeAll {
        $0.topic.hasSuffix("/trip") && String(decoding: $0.payload, as: UTF8.self).contains(#""stop""#)
      }
      return world.judge(ledger).contains { $0.description.contains("a trip begins, and") }
    }
    #expect(found)
  }

  // MARK: Whether it was so

  @Test func aCrossingFarFromItsRegionIsNoticed() throws {
    let said = try complaints { ledger in
      var (index, report) = try crossing(in: ledger)
      report.region.coordinate = try #require(Coordinate(latitude: 10, longitude: 10))
      ledger.made[index].report = .transition(report)
    }
    #expect(said.contains("m from the middle"))
  }

  @Test func enterWhileAlreadyInsideIsNoticed() throws {
    let said = complaints { ledger in
      for index in ledger.made.indices {
        guard case .transition(var report) = ledger.made[index].report, report.region.kind == .circular,
          report.crossing == .enter
        else { continue }
        report.region.radius = 1_000_000
        ledger.made[index].report = .transition(report)
      }
    }
    #expect(said.contains("it was not on the other side before"))
  }

  // MARK: What a consumer knows in the end

  @Test func anOldLastLocationIsNoticed() throws {
    #expect(Self.telling.complaints.map(\.description) == [])
    let said = try complaints(of: Self.telling.world) { ledger in
      let final = try #require(ledger.final)
      ledger.final?.at = final.at + .seconds(Double(final.ping) * 60 + 600)
    }
    #expect(said.contains("s old, a ping comes every"))
  }

  @Test func aModeThatHasJustBegunToPingMayHaveAnOldOne() throws {
    let said = try complaints(of: Self.telling.world) { ledger in
      let final = try #require(ledger.final)
      ledger.final?.at = final.at + .seconds(Double(final.ping) * 60 + 600)
      ledger.final?.pinging = Double(final.ping * 60)
    }
    #expect(!said.contains("s old, a ping comes every"))
  }

  @Test func aLastLocationInAnotherPlaceIsNoticed() throws {
    let said = try complaints(of: Self.telling.world) { ledger in
      let last = try #require(
        ledger.made.last {
          if case .location = $0.report { $0.at < ledger.ended - .seconds(300) } else { false }
        })
      let text = String(decoding: last.payload, as: UTF8.self)
      let moved = text.replacing("\"lat\":4", with: "\"lat\":3")
      let message = Message(
        sequence: 0, topic: last.content.topic, payload: Array(moved.utf8), qos: 1, isRetained: true,
        isEvent: false,
        time: 0)
      ledger.made(last.report, message, because: nil, mode: last.mode, life: last.life, at: last.at)
      ledger.delivered(message, at: last.at)
    }
    #expect(said.contains("m off: "))
  }

  @Test func aWrongListOfRegionsAroundIsNoticed() throws {
    let said = complaints { ledger in
      for index in ledger.final?.regions.indices ?? 0..<0 { ledger.final?.regions[index].radius = 1_000_000 }
    }
    #expect(said.contains("inrids is wrong about"))
    #expect(said.contains("was told as leave, and is not so"))
  }

  @Test func aStoreThatGrowsIsNoticed() {
    #expect(StoreSize().look(atStore: StoreSize.empty + 1, points: 0) != nil)
    #expect(StoreSize().look(atStore: StoreSize.empty, points: 0) == nil)
    #expect(StoreSize().look(atStore: StoreSize.empty + 1, points: 1) == nil)
  }
}
