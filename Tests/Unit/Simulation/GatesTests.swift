import Core
import Testing

@testable import Simulator

/// What is not to be told, whatever its reason, and what is to be kept.
struct GatesTests {
  @Test func whatIsToldByItselfIsToldFromTheRest() {
    #expect(World.isOfItself(.automatic, .moved(metres: 200, needed: 100)))
    #expect(World.isOfItself(.timer, .intervalElapsed(seconds: 300)))
    #expect(World.isOfItself(.ignition(isOn: true), .ignitionTurned(isOn: true)))
    #expect(!World.isOfItself(.automatic, .connected))
    #expect(!World.isOfItself(.circular, .crossed(region: "Home", .enter, metres: 1)))
    #expect(!World.isOfItself(.tow, nil))
  }

  @Test func aNameAsksForOneModeOnTheWayInAndForAnotherOnTheWayOut() {
    #expect(World.mode(in: "Stop 1|2|-1", .enter) == 2)
    #expect(World.mode(in: "Stop 1|2|-1", .leave) == -1)
    #expect(World.mode(in: "Stop 1||1", .enter) == nil)
    #expect(World.mode(in: "Stop 1||1", .leave) == 1)
    #expect(World.mode(in: "Stop 1", .enter) == nil)
  }

  @Test func aHistoryThatLacksPointsIsNoticed() {
    var keeping = Keeping()
    #expect(keeping.look(points: 100, made: 50, isKept: true) == nil)
    #expect(keeping.look(points: 110, made: 60, isKept: true) == nil)
    #expect(keeping.look(points: 117, made: 70, isKept: true) == nil)
    #expect(keeping.look(points: 116, made: 70, isKept: true) != nil)
    #expect(keeping.look(points: 0, made: 70, isKept: false) == nil)
    #expect(keeping.look(points: 0, made: 70, isKept: true) == nil)
  }
}
