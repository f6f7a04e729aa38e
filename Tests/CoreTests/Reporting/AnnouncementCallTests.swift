import Model
import Testing
import Timebase

@testable import Core

/// What others are told of the board itself, call by call.
struct AnnouncementCallTests {
  private let mode = DiscoveryReport(.mode)
  private let home = DiscoveryReport(.region(rid: "h", name: "Home"))

  private func gone(_ report: DiscoveryReport) -> DiscoveryReport {
    DiscoveryReport(report.entity, isGone: true, isModeChosen: report.isModeChosen)
  }

  @Test func aDoubtIsTakenOnce() {
    var announcement = Announcement()
    #expect(!announcement.isDue)
    announcement.presenceDoubted()
    #expect(announcement.isDue)
    #expect(announcement.take() == (true, false) && !announcement.isDue)
    announcement.discoveryDoubted()
    #expect(announcement.take() == (false, true))
    announcement.allDoubted()
    #expect(announcement.take() == (true, true))
    #expect(announcement.take() == (false, false))
  }

  @Test func whatIsShownIsNotShownAgain() {
    var announcement = Announcement()
    #expect(announcement.show([mode, home]) == [mode, home])
    #expect(announcement.show([mode, home]) == [])
    announcement.forgetShown()
    #expect(announcement.show([mode, home]) == [mode, home])
  }

  @Test func whatIsNotWantedAnyMoreGoesFirst() {
    var announcement = Announcement()
    _ = announcement.show([mode, home])
    let office = DiscoveryReport(.region(rid: "o", name: "Office"))
    #expect(announcement.show([mode, office]) == [gone(home), office])
    #expect(announcement.show([]) == [gone(mode), gone(office)])
  }

  @Test func aNameThatChangesReplacesTheOldOne() {
    var announcement = Announcement()
    _ = announcement.show([home])
    let renamed = DiscoveryReport(.region(rid: "h", name: "House"))
    #expect(announcement.show([renamed]) == [renamed])
  }

  @Test func anotherKindOfEntityTakesTheOldOneAwayFirst() {
    var announcement = Announcement()
    _ = announcement.show([mode])
    let chosen = DiscoveryReport(.mode, isModeChosen: true)
    #expect(announcement.show([chosen]) == [gone(mode), chosen])
  }

  @Test func onlySharedRegionsThatStandStillAreWanted() {
    var regions = RegionEngine()
    for (rid, name, isShared) in [("1", "Home", true), ("2", "+follow", true), ("3", "Secret", false)] {
      let region = Region(
        rid: rid, name: name, coordinate: Scene.place(0, 0), radius: 50, created: 1, isShared: isShared)
      regions.put(region, presence: .outside)
    }
    let open = Scene.configuration { $0.dashboard.discovery = true }
    let wanted = Announcement.wanted(open, regions.tracked).map(\.entity)
    #expect(wanted == DiscoveredEntity.plain + [.region(rid: "1", name: "Home")])
    #expect(Announcement.wanted(Scene.configuration(), regions.tracked) == [])
  }

  @Test func regionsBeyondTheLimitAreNotShown() {
    var regions = RegionEngine()
    for number in 0...Announcement.shownRegions {
      let region = Region(
        rid: "\(number)", name: "r\(number)", coordinate: Scene.place(0, 0), radius: 50, created: 1)
      regions.put(region, presence: .outside)
    }
    let wanted = Announcement.wanted(Scene.configuration { $0.dashboard.discovery = true }, regions.tracked)
    #expect(wanted.count == DiscoveredEntity.plain.count + Announcement.shownRegions)
  }
}
