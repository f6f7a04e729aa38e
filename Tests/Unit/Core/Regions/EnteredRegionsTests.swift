import Model
import Testing

@testable import Core

// behaviour: What was announced
/// What was announced as entered is left, whatever becomes of its region.
struct EnteredRegionsTests {
  private func insideHome() -> Scene {
    var scene = Scene(regions: [Scene.home()])
    scene.fix(at: 0, 500)
    scene.fix(at: 60, 0)
    return scene
  }

  @Test func enteredRegionsAreKeyedByEventName() {
    var region = Scene.home().region
    var entered = EnteredRegions([])
    let first = entered.published(region, .enter)
    let again = entered.published(region, .enter)
    #expect(first && !again, "told twice, and nothing new")
    let changed = entered.changed(rid: region.rid)
    let changedAgain = entered.changed(rid: region.rid)
    #expect(changed && !changedAgain)
    region.name = "House|2|1"
    let renamed = entered.published(region, .enter)
    #expect(renamed, "another region to the world")
    #expect(entered.all.map(\.region.eventName) == ["Home", "House"])
    #expect(entered.all.map(\.isChanged) == [true, false])
    region.name = "Home"
    let left = entered.published(region, .leave)
    #expect(left)
    #expect(entered.all.map(\.region.eventName) == ["House"])
  }

  @Test func enterOfUnsharedRegionIsNotKept() {
    var region = Scene.home().region
    var entered = EnteredRegions([])
    region.isShared = false
    let isNoted = entered.published(region, .enter)
    #expect(!isNoted && entered.all.isEmpty)
  }

  /// Quiet, and removed meanwhile; each event after that asks again, and says nothing in `why`.
  @Test func leaveOfRemovedRegionIsPublishedAfterQuiet() {
    var scene = insideHome()
    scene.post(.control(.mode(.quiet), from: 1), at: 61)
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 62)
    let reasons = scene.tracker.journal.entries.count
    for second in 63..<80 { scene.post(.tick, at: Double(second)) }
    #expect(scene.tracker.journal.entries.count == reasons)
    #expect(!scene.story.contains { $0.contains("leave") })
    scene.post(.control(.mode(.move), from: 1), at: 90)
    #expect(scene.story.last == "@90 leave Home")
    scene.post(.tick, at: 91)
    #expect(scene.story.filter { $0.contains("leave") }.count == 1)
    let told = Reason.leftSince(region: "Home", isChanged: true)
    #expect(scene.tracker.journal.entries.contains { $0.reason == told })
  }

  @Test func leaveMadeOfflineIsPublishedOnceOnline() {
    var scene = insideHome()
    var offline = scene.tracker.settings
    offline.broker.port = 0
    scene.post(.configured(offline, waypoints: []), at: 61)
    scene.fix(at: 120, 500)
    scene.fix(at: 180, 900)
    #expect(!scene.story.contains { $0.contains("leave") })
    offline.broker.port = 1883
    scene.post(.configured(offline, waypoints: []), at: 190)
    #expect(scene.story.last == "@190 leave Home")
  }

  /// As after a start without the store, which is there later.
  @Test func mergeDropsRegionsLeftMeanwhile() {
    let home = EnteredRegion(region: Scene.home().region, isChanged: false)
    let work = EnteredRegion(region: Scene.home(name: "Work").region, isChanged: false)
    let shop = EnteredRegion(region: Scene.home(name: "Shop").region, isChanged: true)
    var entered = EnteredRegions([])
    _ = entered.published(home.region, .leave)
    _ = entered.published(work.region, .enter)
    #expect(entered.merged(over: [home, work, shop]) { _ in nil }.all == [shop, work])
    // Entered anew meanwhile, and left: the world knows that it is out of it.
    _ = entered.published(shop.region, .enter)
    _ = entered.published(shop.region, .leave)
    #expect(entered.merged(over: [home, work, shop]) { _ in nil }.all == [work])
  }

  @Test func mergeMarksRegionsWithAnotherNameAsChanged() {
    let house = EnteredRegion(region: Scene.home(name: "House").region, isChanged: false)
    for (name, isChanged) in [("House", false), ("Home", true)] {
      let merged = EnteredRegions([]).merged(over: [house]) { $0 == "House" ? name : nil }
      #expect(merged.all.map(\.isChanged) == [isChanged])
    }
  }

  @Test func sharedRegionsInsideAreAssumedEntered() {
    var unshared = Scene.home().region
    (unshared.rid, unshared.isShared) = ("other", false)
    let known: [Snapshot.KnownRegion] = [
      .init(region: Scene.home().region, presence: .inside), .init(region: unshared, presence: .inside),
    ]
    let assumed = EnteredRegions(assuming: known).all
    #expect(assumed.map(\.region.rid) == [Scene.home().region.rid] && assumed.map(\.isChanged) == [false])
  }
}
