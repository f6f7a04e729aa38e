import Core
import Testing

@testable import Simulator

/// What is not to be told, whatever its reason, and what is to be kept.
struct GatesTests {
  @Test func unpromptedLocationsAreRecognised() {
    #expect(ManualMode.isOfItself(.automatic, .moved(metres: 200, needed: 100)))
    #expect(ManualMode.isOfItself(.timer, .intervalElapsed(seconds: 300)))
    #expect(ManualMode.isOfItself(.ignition(isOn: true), .ignitionTurned(isOn: true)))
    #expect(!ManualMode.isOfItself(.automatic, .connected))
    #expect(!ManualMode.isOfItself(.circular, .crossed(region: "Home", .enter, metres: 1)))
    #expect(!ManualMode.isOfItself(.tow, nil))
  }

  @Test func aNameAsksForOneModeOnTheWayInAndForAnotherOnTheWayOut() {
    #expect(AutomaticModes.mode(in: "Stop 1|2|-1", .enter) == 2)
    #expect(AutomaticModes.mode(in: "Stop 1|2|-1", .leave) == -1)
    #expect(AutomaticModes.mode(in: "Stop 1||1", .enter) == nil)
    #expect(AutomaticModes.mode(in: "Stop 1||1", .leave) == 1)
    #expect(AutomaticModes.mode(in: "Stop 1", .enter) == nil)
  }

  @Test func aHistoryThatLacksPointsIsNoticed() {
    var keeping = WholeHistory()
    #expect(keeping.look(points: 100, made: 50, isKept: true) == nil)
    #expect(keeping.look(points: 110, made: 60, isKept: true) == nil)
    #expect(keeping.look(points: 117, made: 70, isKept: true) == nil)
    #expect(keeping.look(points: 116, made: 70, isKept: true) != nil)
    #expect(keeping.look(points: 0, made: 70, isKept: false) == nil)
    #expect(keeping.look(points: 0, made: 70, isKept: true) == nil)
  }
}
