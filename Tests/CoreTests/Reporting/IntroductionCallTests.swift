import Model
import Testing
import Timebase

@testable import Core

/// What others are told of the board itself, call by call.
struct IntroductionCallTests {
  private let mode = DiscoveryReport(.mode)
  private let home = DiscoveryReport(.region(rid: "h", name: "Home"))

  private func gone(_ report: DiscoveryReport) -> DiscoveryReport {
    DiscoveryReport(report.entity, isGone: true, isModeChosen: report.isModeChosen)
  }

  @Test func aDoubtIsTakenOnce() {
    var introduction = Introduction()
    #expect(!introduction.isDue)
    introduction.presenceDoubted()
    #expect(introduction.isDue)
    #expect(introduction.take() == (true, false) && !introduction.isDue)
    introduction.discoveryDoubted()
    #expect(introduction.take() == (false, true))
    introduction.allDoubted()
    #expect(introduction.take() == (true, true))
    #expect(introduction.take() == (false, false))
  }

  @Test func whatIsShownIsNotShownAgain() {
    var introduction = Introduction()
    #expect(introduction.show([mode, home]) == [mode, home])
    #expect(introduction.show([mode, home]) == [])
    introduction.forgetShown()
    #expect(introduction.show([mode, home]) == [mode, home])
  }

  @Test func whatIsNotWantedAnyMoreGoesFirst() {
    var introduction = Introduction()
    _ = introduction.show([mode, home])
    let office = DiscoveryReport(.region(rid: "o", name: "Office"))
    #expect(introduction.show([mode, office]) == [gone(home), office])
    #expect(introduction.show([]) == [gone(mode), gone(office)])
  }

  @Test func aNameThatChangesReplacesTheOldOne() {
    var introduction = Introduction()
    _ = introduction.show([home])
    let renamed = DiscoveryReport(.region(rid: "h", name: "House"))
    #expect(introduction.show([renamed]) == [renamed])
  }

  @Test func anotherKindOfEntityTakesTheOldOneAwayFirst() {
    var introduction = Introduction()
    _ = introduction.show([mode])
    let chosen = DiscoveryReport(.mode, isModeChosen: true)
    #expect(introduction.show([chosen]) == [gone(mode), chosen])
  }

  @Test func onlySharedRegionsThatStandStillAreWanted() {
    var regions = RegionEngine()
    for (rid, name, isShared) in [("1", "Home", true), ("2", "+follow", true), ("3", "Secret", false)] {
      let region = Region(
        rid: rid, name: name, coordinate: Scene.place(0, 0), radius: 50, created: 1, isShared: isShared)
      regions.put(region, presence: .outside)
    }
    let open = Scene.configuration { $0.dashboard.discovery = true }
    let wanted = Introduction.wanted(open, regions.tracked).map(\.entity)
    #expect(wanted == DiscoveredEntity.plain + [.region(rid: "1", name: "Home")])
    #expect(Introduction.wanted(Scene.configuration(), regions.tracked) == [])
  }

  @Test func regionsBeyondTheLimitAreNotShown() {
    var regions = RegionEngine()
    for number in 0...Introduction.shownRegions {
      let region = Region(
        rid: "\(number)", name: "r\(number)", coordinate: Scene.place(0, 0), radius: 50, created: 1)
      regions.put(region, presence: .outside)
    }
    let wanted = Introduction.wanted(Scene.configuration { $0.dashboard.discovery = true }, regions.tracked)
    #expect(wanted.count == DiscoveredEntity.plain.count + Introduction.shownRegions)
  }
}
