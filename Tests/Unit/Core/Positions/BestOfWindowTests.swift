import Model
import Testing

// behaviour: Which fix is news
/// `significantWindow`: the most accurate fix from when a location is due.
@Suite struct BestOfWindowTests {
  private func scene(
    window: Int = 10, regions: [Snapshot.KnownRegion] = [], _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.significantWindow = window
        change(&$0)
      }, regions: regions)
  }

  /// A place was told at 10; from 310 on a new one is due.
  private func moved(_ scene: inout Scene, until end: Int, best: Int? = nil) {
    scene.fix(at: 0, 0)
    for second in 310...end {
      scene.fix(at: Double(second), 600 + Double(second), accuracy: second == best ? 4 : 30)
    }
  }

  @Test func mostAccurateFixOfWindowIsPublished() {
    var scene = scene()
    moved(&scene, until: 330, best: 316)
    #expect(scene.story == ["@10 loc(-)", "@320 loc(-)"])
    #expect(scene.locationTimes == [0, 316] && scene.lastLocation?.fix.accuracy == 4)
    #expect(scene.lastLocation?.created?.seconds == Scene.start + 320)
    let reasons = scene.tracker.journal.entries.map(\.reason.word).filter { !$0.hasPrefix("receiver") }
    #expect(reasons == ["choosing", "firstFix", "choosing", "movedAndWaited", "tooNear"])
  }

  @Test func newestOfEquallyAccurateFixesIsPublished() {
    var scene = scene()
    moved(&scene, until: 330)
    #expect(scene.locationTimes == [0, 320])
  }

  @Test func itIsOffByDefaultAndInMoveMode() {
    var ordinary = Scene(Scene.configuration())
    ordinary.fix(at: 0, 0)
    var moving = scene { $0.reports.monitoring = .move }
    moving.fix(at: 0, 0)
    #expect(ordinary.story == ["@0 loc(-)"] && moving.story == ["@0 loc(-)"])
  }

  @Test func crossingReplacesDueLocation() {
    var scene = scene(regions: [Scene.home()])
    scene.fix(at: 0, 900)
    scene.fix(at: 310, 200)
    scene.fix(at: 314, 0)
    scene.fix(at: 317, 5, accuracy: 3)
    scene.run(until: 400)
    #expect(scene.story == ["@10 loc(-)", "@314 enter Home", "@314 loc(c)"])
  }

  @Test func bestFixIsPublishedThoughFixesCease() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.fix(at: 310, 900, accuracy: 20)
    scene.fix(at: 311, 910, accuracy: 6)
    scene.fix(at: 312, 920, accuracy: 20)
    scene.run(until: 400)
    #expect(scene.story == ["@10 loc(-)", "@320 loc(-)"])
    #expect(scene.locationTimes == [0, 311] && scene.lastLocation?.fix.accuracy == 6)
  }

  @Test func aPingLooksForABetterFixWhereThereIsOne() {
    var scene = scene { $0.reports.ping = 1 }
    for second in 0...200 { scene.fix(at: Double(second), 0, accuracy: second == 75 ? 3 : 20) }
    #expect(scene.story == ["@10 loc(-)", "@80 loc(p)", "@150 loc(p)"])
    #expect(scene.locationTimes == [10, 75, 150])
    var lost = self.scene { $0.reports.ping = 1 }
    lost.fix(at: 0, 0)
    lost.run(until: 100)
    #expect(lost.story == ["@10 loc(-)", "@70 loc(p)"])
  }

  @Test func aPingThatWaitsGivesWayToAPlaceThatIsDue() {
    var scene = scene { ($0.reports.ping, $0.reports.significantInterval) = (1, 65) }
    for second in 0...75 { scene.fix(at: Double(second), second < 75 ? 0 : 900) }
    scene.run(until: 100)
    #expect(scene.story == ["@10 loc(-)", "@80 loc(-)"])
  }

  @Test func switchToManualDiscardsWindow() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.post(.control(.mode(.manual), from: 1), at: 5)
    scene.run(until: 60)
    #expect(scene.story.isEmpty)
  }

  @Test func theReceiverRestsAfterIt() {
    var scene = scene { $0.receiver.dutyCycle = 600 }
    for second in 0...9 { scene.fix(at: Double(second), 0) }
    #expect(scene.receiver.isEmpty)
    scene.run(until: 11)
    #expect(scene.receiver == [false] && scene.story == ["@10 loc(-)"])
  }

  /// Of a receiver whose claims are right, and change as clouds of satellites and houses do.
  @Test func theMedianErrorIsLessThanSixTenths() {
    var chance = Chance(108)
    var scene = scene { $0.reports.significantInterval = 60 }
    var (first, told): ([Double], [Double]) = ([], [])
    for round in 0..<400 {
      let (start, east) = (Double(round) * 300, Double(round) * 5000)
      var level = chance.spread() * 0.8
      var errors: [Double: Double] = [:]
      for second in 0...12 {
        level = 0.8 * level + 0.48 * chance.spread()
        let accuracy = 15 * level.exponential
        let off = (chance.spread() * accuracy / 1.5, chance.spread() * accuracy / 1.5)
        scene.fix(at: start + Double(second), east + off.0, off.1, accuracy: accuracy)
        errors[start + Double(second)] = (off.0 * off.0 + off.1 * off.1).squareRoot()
      }
      guard let tst = scene.lastLocation?.fix.time.seconds, let error = errors[tst - Scene.start] else {
        continue
      }
      first.append(errors[start] ?? 0)
      told.append(error)
    }
    let ratio = told.sorted()[told.count / 2] / first.sorted()[first.count / 2]
    #expect(told.count == 400 && ratio <= 0.6, "\(ratio)")
  }
}
