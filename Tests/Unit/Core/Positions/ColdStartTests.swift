import Model
import Testing

// behaviour: After a cold start
/// The first fixes after a start, or after a long time without one, jump about by hundreds of metres.
@Suite struct ColdStartTests {
  private func scene(
    _ mode: MonitoringMode = .move, regions: [Snapshot.KnownRegion] = [],
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene.inMode(mode, regions, change)
  }

  @Test func aPoorFirstFixWaitsForAGoodOne() {
    for mode in [MonitoringMode.move, .significant] {
      var scene = scene(mode)
      for (second, accuracy) in [400.0, 200, 51, 50].enumerated() {
        scene.fix(at: Double(second), 0, accuracy: accuracy)
      }
      #expect(scene.story == ["@3 loc(-)"])
      #expect(scene.withheld.map(\.reason.word) == ["settling", "settling", "settling"])
      #expect(scene.locationTimes == [3])
    }
  }

  @Test func goodFirstFixIsPublishedAtOnce() {
    var scene = scene()
    scene.fix(at: 0, 0, accuracy: 50)
    scene.fix(at: 1, 300, accuracy: 400)
    #expect(scene.story == ["@0 loc(-)", "@1 loc(-)"])
  }

  @Test func bestFixIsPublishedAfterTenSeconds() {
    var scene = scene()
    for second in 0...12 { scene.fix(at: Double(second), 0, accuracy: second == 4 ? 60 : 90) }
    #expect(scene.story == ["@10 loc(-)"])
    #expect(scene.locationTimes == [4] && scene.lastLocation?.fix.accuracy == 60)
    #expect(scene.lastLocation?.created?.seconds == Scene.start + 10)
  }

  @Test func singlePoorFixIsPublishedAfterTenSeconds() {
    var scene = scene(.significant)
    scene.fix(at: 0, 0, accuracy: 90)
    scene.run(until: 60)
    #expect(scene.story == ["@10 loc(-)"] && scene.locationTimes == [0])
    #expect(scene.lastLocation?.fix.speed == 0)
  }

  @Test func requestWhileSettlingGetsLatestFixOnly() {
    var scene = scene { $0.commands.isOn = true }
    scene.fix(at: 0, 0, accuracy: 60)
    scene.fix(at: 3, 0, accuracy: 400)
    scene.post(.control(.publish(poi: nil), from: 1), at: 3.5)
    scene.fix(at: 5, 0, accuracy: 300)
    scene.run(until: 30)
    #expect(scene.story == ["@3.5 loc(u)"])
    #expect(scene.locationTimes == [3])
  }

  @Test func aPingWaitsForNothingAndNothingOlderFollows() {
    var scene = scene { ($0.reports.ping, $0.reports.locatorInterval) = (1, 0) }
    scene.fix(at: 0, 0)
    for (second, accuracy) in [(656.0, 60.0), (658, 90), (661, 95)] {
      scene.fix(at: second, 2000, accuracy: accuracy)
    }
    scene.run(until: 700)
    #expect(scene.story.suffix(2) == ["@660 loc(p)", "@666 loc(-)"])
    #expect(
      scene.locationTimes == scene.locationTimes.sorted() && scene.locationTimes.suffix(2) == [658, 661])
  }

  @Test func aCrossingWaitsForNothing() {
    var scene = scene(regions: [Scene.home(inside: .inside)])
    scene.fix(at: 0, 500, accuracy: 80)
    #expect(scene.story == ["@0 leave Home", "@0 loc(c)"])
  }

  @Test func theLocationOfAConnectionWaitsInManualModeToo() {
    var scene = scene(.manual) { $0.reports.publishLocationOnConnect = true }
    scene.fix(at: 0, 0, accuracy: 200)
    scene.connect(at: 1)
    scene.fix(at: 4, 20, accuracy: 10)
    scene.run(until: 60)
    #expect(scene.story == ["@4 loc(-)"] && scene.locationTimes == [4])
  }

  @Test func intervalLocationWaitsForSettling() {
    var scene = scene { $0.reports.locatorInterval = 60 }
    scene.fix(at: 0, 0)
    for second in 0...12 { scene.fix(at: 400 + Double(second), 0, accuracy: second == 12 ? 20 : 90) }
    #expect(scene.story == ["@0 loc(-)", "@410 loc(t)"])
  }

  @Test func fiveMinutesWithoutAFixAreAsAStart() {
    for (gap, told) in [(290.0, "@290 loc(-)"), (300.0, "@302 loc(-)")] {
      var scene = scene()
      scene.fix(at: 0, 0)
      for second in 0...2 { scene.fix(at: gap + Double(second), 2000, accuracy: second == 2 ? 30 : 150) }
      #expect(scene.story == ["@0 loc(-)", told])
    }
  }

  /// The receiver claims a fifth of its error at first, and the more honest it gets the better it sees.
  @Test func twentyGarageExitsPublishNoFarOffPosition() {
    var chance = Chance(58)
    var scene = scene()
    var began: [Double] = []
    for exit in 0..<20 {
      let start = Double(exit) * 4000
      let (worst, fades) = (chance.between(400, 800), chance.between(2, 4))
      for second in 0...60 {
        let time = start + Double(second)
        let error = worst * (-Double(second) / fades).exponential + 4
        let honesty = 1 + 4 * (-2 * Double(second) / fades).exponential
        let east = 8 * Double(second)
        scene.fix(at: time, east, error, accuracy: error / honesty, speed: 8)
      }
      began.append(start)
    }
    var first: [Double: Double] = [:]
    for (at, report) in scene.reports {
      guard case .location(let location) = report else { continue }
      guard let start = began.last(where: { $0 <= at }) else { continue }
      let truth = Scene.place(8 * (location.fix.time.seconds - Scene.start - start), 0)
      // The last place of each exit is told once more when the fix is lost.
      let off = location.fix.coordinate.distance(to: truth)
      #expect(off <= 3 * location.fix.accuracy, "\(off) m off at \(at), \(location.fix.accuracy) m claimed")
      first[start] = min(first[start] ?? .infinity, at - start)
    }
    #expect(first.count == 20 && first.values.allSatisfy { $0 <= 10 })
  }
}
