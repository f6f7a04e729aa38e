import Core
import Model
import Testing

@Suite struct ReportPolicyTests {
  private func scene(_ mode: MonitoringMode, _ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = mode
        change(&$0)
      })
  }

  // behaviour: Which fix is news
  @Test func moveModePublishesByDistanceFromTheLastPublish() {
    var scene = scene(.move)
    scene.fix(at: 10, 0)
    scene.fix(at: 20, 100.5)
    scene.fix(at: 30, 199)
    #expect(scene.story == ["@10 loc(-)", "@20 loc(-)"])
    #expect(scene.lastReason == "tooNear")
  }

  // behaviour: Which fix is news
  @Test func theMoveTimerStartsAnewWithEveryPublish() {
    var scene = scene(.move)
    scene.fix(at: 0, 0)
    for second in 1...650 { scene.fix(at: Double(second), second < 200 ? 0 : 150) }
    #expect(scene.story == ["@0 loc(-)", "@200 loc(-)", "@500 loc(t)"])
  }

  // behaviour: Which fix is news
  @Test func aTimerWithNothingNewWaitsForTheNextFix() {
    var scene = scene(.move)
    scene.fix(at: 0, 0)
    scene.run(until: 400)
    scene.fix(at: 410, 3)
    #expect(scene.story == ["@0 loc(-)", "@410 loc(t)"])
  }

  // behaviour: Which fix is news
  @Test func significantModeNeedsDistanceAndTime() {
    var scene = scene(.significant)
    scene.fix(at: 0, 0)
    scene.fix(at: 60, 600)
    #expect(scene.lastReason == "tooSoon")
    scene.fix(at: 300, 600)
    #expect(scene.story == ["@0 loc(-)", "@300 loc(-)"])
  }

  // behaviour: Which fix is news
  @Test func manualAndQuietPublishNothingByThemselves() {
    for mode in [MonitoringMode.manual, .quiet] {
      var scene = scene(mode)
      scene.fix(at: 0, 0)
      scene.fix(at: 400, 5000)
      #expect(scene.story.isEmpty)
    }
  }

  // behaviour: Gates
  @Test func anInaccurateFixDoesNotBecomeTheReference() {
    var scene = scene(.move) { $0.reports.ignoreInaccurateLocations = 50 }
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 200, accuracy: 51)
    scene.fix(at: 20, 210, accuracy: 50)
    #expect(scene.story == ["@0 loc(-)", "@20 loc(-)"])
  }

  // behaviour: From a receiver's report to a fix
  @Test func olderAndEqualTimesAreIgnored() {
    var scene = scene(.move)
    scene.fix(at: 10, 0)
    scene.fix(at: 11, 500, claimed: Scene.start + 9)
    scene.fix(at: 12, 700, claimed: Scene.start + 10)
    #expect(scene.story == ["@10 loc(-)"])
    #expect(scene.lastReason == "notNewer")
  }

  // behaviour: Ping
  @Test func aPingWithoutAFixSaysTheOldPlaceWithItsTime() {
    var scene = scene(.significant) { $0.reports.ping = 15 }
    scene.fix(at: 0, 0)
    scene.run(until: 901)
    #expect(scene.story == ["@0 loc(-)", "@900 loc(p)"])
    #expect(scene.locationTimes == [0, 1])
    #expect(scene.lastLocation?.created?.seconds == Scene.start + 900)
  }

  // behaviour: Ping
  @Test func aPingDoesNotMakeTheOldPlaceNewsForTheTimer() {
    var scene = scene(.move) { $0.reports.ping = 15 }
    scene.fix(at: 0, 0)
    scene.run(until: 2000)
    #expect(scene.story == ["@0 loc(-)", "@900 loc(p)", "@1800 loc(p)"])
  }

  // behaviour: Which fix is news
  @Test func twoFixesOfOneSecondShareNoMessageTime() {
    var scene = scene(.move) { $0.reports.locatorDisplacement = 0 }
    scene.fix(at: 10, 0)
    scene.fix(at: 10.2, 50)
    scene.fix(at: 11, 60)
    #expect(scene.story == ["@10 loc(-)", "@11 loc(-)"])
  }

  // behaviour: Gates
  @Test func nothingIsPublishedWithoutIdentity() {
    var scene = scene(.move) { $0.identity.username = "" }
    scene.fix(at: 0, 0)
    #expect(scene.story.isEmpty)
    #expect(scene.lastReason == "noIdentity")
  }

  // behaviour: Gates
  @Test func offlineKeepsTheHistoryAndSendsNothing() {
    var scene = scene(.move) { $0.broker.port = 0 }
    scene.fix(at: 0, 0)
    scene.post(.stopping, at: 1)
    #expect(scene.story.isEmpty)
    #expect(scene.writes.contains { if case .history = $0 { true } else { false } })
  }
}
