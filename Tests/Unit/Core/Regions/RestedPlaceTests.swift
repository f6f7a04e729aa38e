import Model
import Testing
import Timebase

@testable import Core

// behaviour: What stands crosses nothing
/// A stop of twenty seconds whose first places were wrong: where it was shows when the vehicle is on its way again.
struct RestedPlaceTests {
  private static let rules = RegionEngine.Rules(confirm: 2, holdDown: .zero, isReceiverResting: false)

  private static func fix(_ east: Double) -> Fix {
    Fix(time: WallTime(seconds: Scene.start), coordinate: Scene.place(east, 0), accuracy: 5)
  }

  private static func found(at east: Double, rested: Double, _ presence: Presence) -> RegionEngine.Found {
    var engine = RegionEngine()
    engine.put(Scene.home().region, presence: presence)
    return engine.consider(
      fix(east), .settled(fix(rested)), at: Instant(nanoseconds: 1_000_000_000), rules: rules)
  }

  @Test func crossingAfterStandstillUsesRestedPlace() {
    let late = Self.found(at: 150, rested: 70, .outside)
    #expect(late.crossings.map(\.crossing) == [.enter])
    #expect(late.rested == Scene.place(70, 0))
    let left = Self.found(at: 90, rested: 200, .inside)
    #expect(left.crossings.map(\.crossing) == [.leave])
    #expect(left.rested == Scene.place(200, 0))
  }

  @Test func whereTheFixSaysTheSameItIsTheFixs() {
    let there = Self.found(at: 60, rested: 70, .outside)
    #expect(there.crossings.map(\.crossing) == [.enter])
    #expect(there.rested == nil)
  }

  @Test func transitionHasRestedPlaceAndLocationHasFix() {
    var scene = Scene(regions: [Scene.home()])
    scene.fix(at: 0, 500)
    scene.fix(at: 60, 150)
    var effects: [Effect] = []
    scene.tracker.crossed(
      Self.found(at: 150, rested: 70, .outside), Self.fix(150), at: scene.now, into: &effects)
    let reports = effects.compactMap { if case .published(let report, _) = $0 { report } else { nil } }
    guard reports.count == 2, case .transition(let enter) = reports[0], case .location(let now) = reports[1]
    else {
      Issue.record("\(reports)")
      return
    }
    #expect(enter.crossing == .enter && enter.coordinate == Scene.place(70, 0))
    #expect(now.fix.coordinate == Scene.place(150, 0))
  }
}
