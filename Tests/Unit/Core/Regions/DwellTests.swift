import Model
import Testing
import Timebase

@testable import Core

// behaviour: Dwell
/// What waits to be told as entered until it has been inside long enough.
struct DwellTests {
  private static func yard(
    _ dwell: Int? = 60, _ presence: Presence = .outside, _ change: (inout Region) -> Void = { _ in }
  ) -> Snapshot.KnownRegion {
    var known = Scene.home(name: "Yard", inside: presence)
    known.region.dwell = dwell
    change(&known.region)
    return known
  }

  private static func scene(_ regions: [Snapshot.KnownRegion]) -> Scene {
    Scene(Scene.configuration { $0.reports.monitoring = .manual }, regions: regions)
  }

  /// Outside at 0, inside from 10 on.
  private static func waiting(
    _ dwell: Int? = 60, _ change: (inout Region) -> Void = { _ in }
  ) -> Scene {
    var scene = scene([yard(dwell, .outside, change)])
    scene.fix(at: 0, 500)
    scene.fix(at: 10, 0)
    return scene
  }

  private func words(_ scene: Scene) -> [String] { scene.withheld.map(\.reason.word) }

  private func set(_ scene: inout Scene, at time: Double, _ change: (inout ControlRequest.RegionEdit) -> Void)
  {
    var edit = ControlRequest.RegionEdit()
    change(&edit)
    scene.post(.control(.regionSet(region: "Yard", edit), from: 1), at: time)
  }

  // MARK: The wait

  @Test func enterIsPublishedWhenDwellIsOver() {
    var scene = Self.waiting()
    scene.run(until: 69.9)
    #expect(scene.story.isEmpty && scene.tracker.status(at: scene.now).inside.isEmpty)
    scene.run(until: 71)
    #expect(scene.story == ["@70 enter Yard", "@70 loc(c)"])
    scene.run(until: 500)
    scene.fix(at: 510, 500)
    #expect(scene.story.suffix(2) == ["@510 leave Yard", "@510 loc(c)"])
  }

  @Test func aLeaveBeforeThatIsNoneAndTheNextVisitBeginsAnew() {
    var scene = Self.waiting()
    scene.fix(at: 69, 500)
    scene.fix(at: 100, 0)
    scene.run(until: 159)
    #expect(scene.story.isEmpty && words(scene).contains("passedBy"))
    scene.run(until: 161)
    #expect(scene.story == ["@160 enter Yard", "@160 loc(c)"])
  }

  @Test func eachFixSaysHowLongItWillBe() {
    var scene = Self.waiting()
    scene.fix(at: 33, 0)
    let waiting = scene.withheld.last { $0.reason.word == "dwelling" }?.reason
    #expect(waiting == .dwelling(region: "Yard", seconds: 23, needed: 60))
    #expect(waiting?.sentence == "Yard: inside for 23 s, published as entered after 60 s, in 37 s")
    scene.fix(at: 75, 0)
    #expect(scene.tracker.journal.entries.contains { $0.reason == .dwelt(region: "Yard", seconds: 60) })
  }

  /// The speed it was last seen with, and when the enter is told: by the timer, or with the next fix.
  @Test(arguments: [(0.0, 70), (10, 70), (10.5, 200), (nil, 200)] as [(Double?, Int)])
  func dwellNeedsAnotherFixAfterFastOrUnknownSpeed(_ speed: Double?, _ told: Int) {
    var scene = Self.scene([Self.yard()])
    scene.fix(at: 0, 500)
    scene.fix(at: 10, 0, speed: speed)
    scene.run(until: 200)
    scene.fix(at: 200, 0, speed: 20)
    #expect(scene.story.first == "@\(told) enter Yard")
    var gone = Self.scene([Self.yard()])
    gone.fix(at: 0, 500)
    gone.fix(at: 10, 0, speed: 20)
    gone.fix(at: 200, 5000)
    #expect(gone.story.isEmpty && words(gone).contains("passedBy"))
  }

  @Test func unconfirmedLeaveDefersEnterAfterDwell() {
    func scene() -> Scene {
      var scene = Scene(
        Scene.configuration { ($0.reports.monitoring, $0.regions.confirm) = (.manual, 2) },
        regions: [Self.yard()])
      scene.fix(at: 0, 500)
      scene.fix(at: 9, 0)
      scene.fix(at: 10, 0)
      scene.fix(at: 69.5, 500)
      return scene
    }
    var left = scene()
    left.fix(at: 70.5, 600)
    left.run(until: 200)
    #expect(left.story.isEmpty && words(left).contains("passedBy"))
    var stayed = scene()
    stayed.fix(at: 70.5, 0)
    #expect(stayed.story.first == "@70.5 enter Yard")
    var silent = scene()
    silent.run(until: 200)
    #expect(silent.story.isEmpty)
    silent.fix(at: 200, 0)
    #expect(silent.story.first == "@200 enter Yard")
  }

  @Test func aReceiverThatRestsIsAskedAgain() {
    var scene = Scene(
      Scene.configuration { ($0.reports.monitoring, $0.receiver.dutyCycle) = (.manual, 120) },
      regions: [Self.yard()])
    scene.fix(at: 0, 500)
    scene.fix(at: 10, 0)
    scene.fix(at: 131, 500)
    #expect(scene.story.isEmpty)
    scene.fix(at: 250, 0)
    scene.fix(at: 371, 0)
    #expect(scene.story.first == "@371 enter Yard")
  }

  @Test func withoutSpeedsItHasToBeSeenToStand() {
    var scene = Self.scene([Self.yard()])
    scene.fix(at: 0, 500, speed: nil)
    for second in 10...45 { scene.fix(at: Double(second), 0, speed: nil) }
    scene.run(until: 200)
    #expect(scene.story.first == "@70 enter Yard")
  }

  @Test func leavesAreNotDelayed() {
    var scene = Self.scene([Self.yard(3600, .inside)])
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 500)
    #expect(scene.story == ["@10 leave Yard", "@10 loc(c)"])
  }

  @Test func unknownPresenceIsLearntWithoutDwell() {
    var scene = Self.scene([Self.yard(3600, .unknown)])
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 500)
    #expect(scene.story == ["@10 leave Yard", "@10 loc(c)"])
  }

  @Test func aLeaveThatIsHeldDownStopsTheTellingAndNotTheTime() {
    var scene = Self.waiting { $0.name = "-Yard" }
    scene.fix(at: 69, 500)
    scene.fix(at: 71.5, 0)
    #expect(scene.story == ["@71.5 enter -Yard", "@71.5 loc(c)"])
    var other = Self.waiting { $0.name = "-Yard" }
    other.fix(at: 69, 500)
    other.run(until: 200)
    #expect(other.story.isEmpty && words(other).contains("passedBy"))
  }

  @Test func aLimitHoldsAndAPrivateRegionHidesFromTheEdgeOn() {
    var engine = RegionEngine()
    engine.put(
      Self.yard { $0.isPrivate = true }.region, presence: .dwelling(since: .init(seconds: Scene.start)))
    #expect(engine.hidingRegion(at: nil)?.rid == "Yard" && engine.inside.isEmpty)
    engine.put(
      Self.yard { $0.speedLimit = 30 }.region, presence: .dwelling(since: .init(seconds: Scene.start)))
    #expect(engine.speedLimit?.speed == 30 && engine.inconsistency == nil)
  }

  // MARK: Restarts

  private func presences(_ scene: Scene) -> [Presence] {
    scene.writes.compactMap { if case .region(_, let presence) = $0 { presence } else { nil } }
  }

  @Test func theDiskKnowsSinceWhen() {
    var scene = Self.waiting()
    let since = Presence.dwelling(since: .init(seconds: Scene.start + 10))
    #expect(presences(scene) == [since])
    scene.run(until: 100)
    #expect(presences(scene) == [since, .inside])
    var passed = Self.waiting()
    passed.fix(at: 20, 500)
    #expect(presences(passed) == [since, .outside])
  }

  /// Seconds before the first fix at which it had entered, and when that is told.
  @Test(arguments: [(20.0, 50.0), (0, 70), (59.5, 10.5), (60, 10), (36_000, 10), (-500, 70), (1e11, 10)])
  func theTimeBeforeARestartCounts(_ before: Double, _ told: Double) {
    let since = WallTime(seconds: Scene.start + 10 - before)
    var scene = Self.scene([Self.yard(60, .dwelling(since: since))])
    scene.run(until: 9)
    #expect(scene.story.isEmpty)
    scene.fix(at: 10, 0)
    scene.run(until: 200)
    #expect(scene.story.first == (told == 10.5 ? "@10.5 enter Yard" : "@\(Int(told)) enter Yard"))
    #expect(scene.story.count == 2)
  }

  @Test func restoredDwellPublishesNothingWithoutFixInside() {
    var scene = Self.scene([Self.yard(60, .dwelling(since: .init(seconds: Scene.start - 9999)))])
    scene.run(until: 5000)
    scene.fix(at: 5000, 500)
    #expect(scene.story.isEmpty && words(scene).contains("passedBy"))
  }

  // MARK: Changes

  @Test func anotherDwellCountsFromTheSameCrossing() {
    var scene = Self.waiting()
    set(&scene, at: 20) { $0.dwell = 30 }
    scene.run(until: 100)
    #expect(scene.story.filter { $0.contains("enter") } == ["@40 enter Yard"])
  }

  @Test func withoutOneItIsEnteredAtOnce() {
    var scene = Self.waiting()
    set(&scene, at: 20) { $0.dwell = 0 }
    scene.run(until: 100)
    #expect(scene.story.filter { $0.contains("enter") } == ["@20 enter Yard"])
    #expect(scene.tracker.knownRegions.first?.region.dwell == nil)
  }

  @Test func anotherNameOrPlaceEndsNoWait() {
    var scene = Self.waiting()
    set(&scene, at: 20) { $0.name = "Mill" }
    scene.post(.control(.regionSet(region: "Mill", radius(150)), from: 1), at: 21)
    scene.run(until: 100)
    #expect(scene.story.filter { $0.contains("enter") } == ["@70 enter Mill"])
  }

  private func radius(_ metres: Double) -> ControlRequest.RegionEdit {
    var edit = ControlRequest.RegionEdit()
    edit.radius = metres
    return edit
  }

  @Test func regionRemovedDuringDwellIsNotEntered() {
    var scene = Self.waiting()
    var kept = scene
    scene.post(.control(.regionRemove(region: "Yard"), from: 1), at: 20)
    scene.run(until: 100)
    #expect(scene.story.isEmpty && scene.tracker.knownRegions.isEmpty)
    kept.run(until: 100)
    #expect(kept.story == ["@70 enter Yard", "@70 loc(c)"], "a region that stays")
  }

  @Test func followRegionAndPinCannotHaveDwell() {
    var scene = Self.waiting()
    set(&scene, at: 20) { $0.name = "+Yard" }
    #expect(scene.tracker.knownRegions.first?.region.dwell == nil)
    scene.post(.control(.regionSet(region: "+Yard", dwell(60)), from: 1), at: 21)
    let pin = WaypointEntry(name: "Pin", coordinate: Scene.place(0, 0), created: 1, dwell: 60)
    scene.post(.control(.regionAdd(pin, isHere: false), from: 1), at: 22)
    scene.run(until: 100)
    let answers = scene.answers.compactMap { if case .failed(let text) = $0 { text } else { nil } }
    #expect(
      answers.count == 2 && answers.first?.hasPrefix("not changed: +Yard cannot have a dwell: ") == true)
    #expect(answers.last?.hasPrefix("not added: Pin cannot have a dwell: ") == true)
    #expect(scene.tracker.knownRegions.count == 1 && !scene.story.contains { $0.contains("enter") })
  }

  private func dwell(_ seconds: Int) -> ControlRequest.RegionEdit {
    var edit = ControlRequest.RegionEdit()
    edit.dwell = seconds
    return edit
  }

  /// What a list makes of the dwell that a region has.
  @Test(arguments: [(nil, 30, 30), (50, 30, 30), (50, nil, 50), (50, 0, nil)] as [(Int?, Int?, Int?)])
  func aListChangesItWhereItSaysSo(_ before: Int?, _ entry: Int?, _ after: Int?) {
    var scene = Self.scene([Self.yard(before)])
    let region = WaypointEntry(
      rid: "Yard", name: "Yard", coordinate: Scene.place(0, 0), radius: 100, created: 1_700_000_100,
      dwell: entry)
    scene.post(.control(.regionImport([region]), from: 1), at: 1)
    #expect(scene.tracker.knownRegions.first?.region.dwell == after)
  }
}
