import Model
import Testing
import Timebase

@testable import Core

/// What others are told of the board itself, call by call.
struct AnnouncementCallTests {
  private typealias Kept = Announcement.Kept

  private let mode = Kept(topic: "mode", digest: 1)
  private let home = Kept(topic: "home", digest: 2)

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  @Test func aDoubtIsTakenOnce() {
    var announcement = Announcement()
    #expect(!announcement.isDue)
    announcement.presenceDoubted()
    #expect(announcement.isDue)
    #expect(announcement.take() == (true, false, false) && !announcement.isDue)
    announcement.discoveryDoubted()
    #expect(announcement.take() == (false, true, false))
    announcement.allDoubted()
    #expect(announcement.take() == (true, true, false))
    #expect(announcement.take() == (false, false, false))
  }

  @Test func unchangedEntityIsNotShownAgain() {
    var announcement = Announcement()
    let steps = announcement.show([mode, home])
    #expect(steps.toPublish == [0, 1] && steps.gone == [])
    #expect(announcement.newTopics() == ["mode", "home"])
    let again = announcement.show([mode, home])
    #expect(again.toPublish == [] && again.gone == [] && announcement.newTopics() == nil)
    announcement.forgetShown()
    let anew = announcement.show([mode, home])
    #expect(anew.toPublish == [0, 1] && announcement.newTopics() == nil)
  }

  @Test func unwantedEntityIsWithdrawn() {
    var announcement = Announcement()
    _ = announcement.show([mode, home])
    let steps = announcement.show([mode, Kept(topic: "office", digest: 3)])
    #expect(steps.gone == ["home"] && steps.toPublish == [1])
    // Until that is delivered.
    #expect(announcement.newTopics() == ["mode", "office", "home"] && announcement.isTakingBack)
    announcement.queueEmptied()
    #expect(announcement.newTopics() == ["mode", "office"] && !announcement.isTakingBack)
    #expect(announcement.show([]).gone == ["mode", "office"])
    // What is wanted again meanwhile is not being taken back.
    _ = announcement.show([mode])
    announcement.queueEmptied()
    #expect(announcement.newTopics() == ["mode"])
  }

  /// Their digests died with that process.
  @Test func topicsOfEarlierStartAreShownAgainOrWithdrawn() {
    var announcement = Announcement(topics: ["mode", "old"])
    let steps = announcement.show([mode])
    #expect(steps.gone == ["old"] && steps.toPublish == [0])
  }

  @Test func aNameThatChangesReplacesTheOldOne() {
    var announcement = Announcement()
    _ = announcement.show([home])
    let steps = announcement.show([Kept(topic: "home", digest: 9)])
    #expect(steps.toPublish == [0] && steps.gone == [])
  }

  // behaviour: Presence and Home Assistant
  /// Anybody may say that Home Assistant has started, thousands of times a second.
  @Test func showingAgainAfterBirthsIsRateLimited() {
    var (announcement, deadlines) = (Announcement(), Deadlines())
    _ = announcement.show([mode])
    var told = 0
    for second in 0..<30 {
      announcement.forgotten(isBirth: true, deadlines: &deadlines, at: at(Double(second) / 10))
      told += announcement.show([mode]).toPublish.count
    }
    #expect(told == Announcement.repeatLimit.burst)
    #expect(deadlines[.announcement] == at(0.5) + Announcement.repeatLimit.span)
    announcement.timeIsOver(waiting: 0, deadlines: &deadlines, at: at(61))
    #expect(announcement.show([mode]).toPublish == [0])
    announcement.timeIsOver(waiting: 0, deadlines: &deadlines, at: at(62))
    #expect(announcement.show([mode]).toPublish == [])
  }

  @Test func presenceIsDueAfterQueueWaitsOrEmpties() {
    var (announcement, deadlines) = (Announcement(), Deadlines())
    announcement.counted(waiting: 3, deadlines: &deadlines, at: at(0))
    #expect(deadlines[.announcement] == nil, "nobody was told anything")
    announcement.published(waiting: 3, isShown: false, deadlines: &deadlines, at: at(1))
    announcement.counted(waiting: 0, deadlines: &deadlines, at: at(2))
    #expect(announcement.take().presence, "three wait no longer")
    announcement.published(waiting: 0, isShown: false, deadlines: &deadlines, at: at(2))
    announcement.counted(waiting: 1, deadlines: &deadlines, at: at(3))
    announcement.counted(waiting: 0, deadlines: &deadlines, at: at(4))
    #expect(!announcement.take().presence, "one on its way is nothing to tell")
    announcement.counted(waiting: 5, deadlines: &deadlines, at: at(100))
    announcement.counted(waiting: 6, deadlines: &deadlines, at: at(120))
    announcement.timeIsOver(waiting: 6, deadlines: &deadlines, at: at(159))
    #expect(!announcement.take().presence)
    announcement.timeIsOver(waiting: 6, deadlines: &deadlines, at: at(160))
    #expect(announcement.take().presence, "six wait for a minute")
  }

  @Test func homeAssistantHearsOfItInTimeAndSoonerWhereItsStartIsNotHeard() {
    var (announcement, deadlines) = (Announcement(), Deadlines())
    announcement.published(waiting: 0, isShown: true, deadlines: &deadlines, at: at(0))
    #expect(deadlines[.announcement] == at(0) + .minutes(10))
    announcement.forgotten(isBirth: true, deadlines: &deadlines, at: at(1))
    announcement.published(waiting: 0, isShown: true, deadlines: &deadlines, at: at(1))
    #expect(deadlines[.announcement] == at(1) + .minutes(60))
    announcement.published(waiting: 0, isShown: false, deadlines: &deadlines, at: at(2))
    #expect(deadlines[.announcement] == nil)
  }

  /// Its burst is used up: `told` is what is told of it now.
  private func flooded(_ deadlines: inout Deadlines) -> Announcement {
    var announcement = Announcement()
    _ = announcement.show([mode])
    for _ in 0...Announcement.repeatLimit.burst {
      announcement.forgotten(isBirth: true, deadlines: &deadlines, at: at(0))
      _ = announcement.show([mode])
    }
    _ = announcement.take()
    return announcement
  }

  /// Whatever is told meanwhile.
  @Test func aRetellingThatIsOwedComesInItsTime() {
    var deadlines = Deadlines()
    var announcement = flooded(&deadlines)
    #expect(deadlines[.announcement] == at(60))
    announcement.published(waiting: 0, isShown: false, deadlines: &deadlines, at: at(20))
    #expect(deadlines[.announcement] == at(80))
    announcement.timeIsOver(waiting: 0, deadlines: &deadlines, at: at(80))
    #expect(announcement.take() == (false, true, false) && announcement.show([mode]).toPublish == [0])
  }

  @Test func showingAllEntitiesCancelsPendingRepeat() {
    var deadlines = Deadlines()
    var announcement = flooded(&deadlines)
    announcement.forgetShown()
    #expect(announcement.show([mode]).toPublish == [0])
    announcement.timeIsOver(waiting: 0, deadlines: &deadlines, at: at(300))
    #expect(announcement.take() == (false, false, false) && announcement.show([mode]).toPublish == [])
  }

  @Test func waitingQueueIsCheckedAMinuteAfterPresence() {
    var (announcement, deadlines) = (Announcement(), Deadlines())
    announcement.published(waiting: 0, isShown: false, deadlines: &deadlines, at: at(0))
    announcement.counted(waiting: 5, deadlines: &deadlines, at: at(10))
    #expect(deadlines[.announcement] == at(70))
    announcement.published(waiting: 5, isShown: false, deadlines: &deadlines, at: at(30))
    announcement.counted(waiting: 5, deadlines: &deadlines, at: at(35))
    #expect(deadlines[.announcement] == nil, "it is told")
    announcement.counted(waiting: 6, deadlines: &deadlines, at: at(40))
    announcement.counted(waiting: 7, deadlines: &deadlines, at: at(50))
    #expect(deadlines[.announcement] == at(100))
  }

  /// What was waited for is gone, and Home Assistant's own time has not come.
  @Test func theRhythmOfHomeAssistantOutlivesAnEarlierDeadline() {
    var (announcement, deadlines) = (Announcement(), Deadlines())
    announcement.published(waiting: 0, isShown: true, deadlines: &deadlines, at: at(0))
    announcement.counted(waiting: 2, deadlines: &deadlines, at: at(10))
    #expect(deadlines[.announcement] == at(70))
    announcement.counted(waiting: 0, deadlines: &deadlines, at: at(20))
    deadlines[.announcement] = nil
    announcement.timeIsOver(waiting: 0, deadlines: &deadlines, at: at(70))
    #expect(!announcement.take().presence && deadlines[.announcement] == at(600))
    announcement.timeIsOver(waiting: 0, deadlines: &deadlines, at: at(600))
    #expect(announcement.take().presence)
  }

  @Test func newlyQueuedMessageMakesNoPresenceDue() {
    var (announcement, deadlines) = (Announcement(), Deadlines())
    announcement.published(waiting: 0, isShown: false, deadlines: &deadlines, at: at(0))
    announcement.timeIsOver(waiting: 1, deadlines: &deadlines, at: at(60))
    #expect(!announcement.take().presence)
  }

  /// In doubt it is one to be told or taken back, and no longer one that goes.
  @Test func forgetShownListsWithdrawnTopicOnce() {
    var announcement = Announcement()
    _ = announcement.show([mode, home])
    _ = announcement.show([mode])
    announcement.forgetShown()
    #expect(announcement.topics == ["mode", "home"] && !announcement.isTakingBack)
  }

  @Test func nextTrackerInheritsFoundSensorsAndBirth() {
    var (before, next, deadlines) = (Announcement(), Announcement(), Deadlines())
    before.batteryFound()
    before.voltsFound()
    before.forgotten(isBirth: true, deadlines: &deadlines, at: at(0))
    next.goOn(from: before)
    #expect(next.hasBattery && !next.hasIgnition && next.hasVolts && !next.hasSOS)
    next.published(waiting: 0, isShown: true, deadlines: &deadlines, at: at(0))
    #expect(deadlines[.announcement] == at(0) + .minutes(60))
  }

  private func wanted(
    _ announcement: Announcement = Announcement(), _ regions: RegionEngine = RegionEngine(),
    _ change: @escaping (inout Configuration) -> Void = { _ in }
  ) -> [DiscoveredEntity] {
    let configuration = Scene.configuration {
      $0.dashboard.discovery = true
      change(&$0)
    }
    return announcement.wanted(configuration, regions.tracked).map(\.entity)
  }

  @Test func onlySharedRegionsThatStandStillAreWanted() {
    var regions = RegionEngine()
    let all = [("1", "Home", true), ("2", "+follow", true), ("3", "Secret", false), ("1/", "Twin", true)]
    for (rid, name, isShared) in all {
      let region = Region(
        rid: rid, name: name, coordinate: Scene.place(0, 0), radius: 50, created: 1, isShared: isShared)
      regions.put(region, presence: .outside)
    }
    #expect(
      wanted(Announcement(), regions).filter { !wanted().contains($0) } == [.region(rid: "1", name: "Home")])
    #expect(Announcement().wanted(Scene.configuration(), regions.tracked) == [])
  }

  @Test func regionsBeyondTheLimitAreNotShown() {
    var regions = RegionEngine()
    for number in 0..<150 {
      let region = Region(
        rid: "\(number)", name: "r\(number)", coordinate: Scene.place(0, 0), radius: 50, created: 1)
      regions.put(region, presence: .outside)
    }
    #expect(wanted(Announcement(), regions).count == wanted().count + 100)
  }

  // behaviour: Presence and Home Assistant
  @Test func entitiesWithoutValueAreNotWanted() {
    let plain: [DiscoveredEntity] = [
      .place, .speed, .altitude, .course, .accuracy, .seen, .queue, .mode, .network, .satellites,
      .dataMonth,
    ]
    #expect(wanted { $0.commands.isOn = false } == plain)
    let sleeper = wanted {
      $0.commands.isOn = false
      $0.power.parkedWake = 1
    }
    #expect(sleeper == plain + [.nextCheckIn])
    for (steps, entities) in [("off|10%", [.batteryStep]), ("checkins|10%", [.nextCheckIn, .batteryStep])]
      as [(String, [DiscoveredEntity])]
    {
      let sparing = wanted {
        $0.commands.isOn = false
        $0.power.batterySteps.text = steps
      }
      #expect(sparing == plain + entities)
    }
    let bare = wanted {
      $0.commands.isOn = false
      $0.reports.extendedData = false
    }
    #expect(bare == plain.filter { ![.speed, .altitude, .course].contains($0) })
    var seen = Announcement()
    seen.batteryFound()
    seen.ignitionFound()
    seen.voltsFound()
    #expect(seen.isDue)
    #expect(Set(wanted(seen)).subtracting(wanted()) == [.battery, .charging, .ignition, .vehicleVolts])
  }

  // behaviour: SOS
  @Test func aCallForHelpIsShownWhereThereIsAButtonOrACall() {
    #expect(wanted().allSatisfy { ![.sos, .acknowledgeSOS].contains($0) })
    let button = wanted {
      $0.commands.isOn = false
      $0.power.sosInput.text = "gpio:0:22"
    }
    #expect(button.contains(.sos) && !button.contains(.acknowledgeSOS), "commands are off")
    var called = Announcement()
    called.sosFound()
    let shown = Set(wanted(called) { $0.commands.isOn = true })
    #expect(called.isDue && shown.subtracting(wanted()).isSuperset(of: [.sos, .acknowledgeSOS]))
  }

  // behaviour: Jamming and spoofing
  @Test func interferenceIsShownWhereTheReceiverIsAsked() {
    let shown = Set(wanted { $0.receiver.watchesJamming = true }).subtracting(wanted())
    #expect(shown == [.jamming, .spoofing])
  }

  @Test func wantedEntitiesFollowJourneyAndCommandSettings() {
    let more = wanted {
      $0.journey.odometer = true
      $0.journey.trips = true
      $0.journey.towAlarm = 1
      $0.journey.overspeed = 1
      $0.journey.harsh.isOn = true
      $0.commands.isOn = true
    }
    #expect(Set(more).isSuperset(of: [.odometer, .trip, .tow, .overspeed, .harsh, .locate]))
    #expect(!more.contains(.anchor) && !more.contains(.anchorAlarm))
    let ordered = wanted { ($0.commands.isOn, $0.commands.remoteConfiguration) = (true, true) }
    #expect(ordered.contains(.anchor) && ordered.contains(.anchorAlarm))
    #expect(wanted { $0.journey.anchorAlarm = 60 }.contains(.anchor))
    let forbidden: [@Sendable (inout Configuration) -> Void] = [
      { $0.broker.sub = false }, { $0.commands.requireEncrypted = true },
      { $0.commands.allowRemoteLocation = false },
    ]
    for forbid in forbidden {
      let rest = wanted {
        $0.commands.isOn = true
        forbid(&$0)
      }
      #expect(!rest.contains(.locate))
    }
    #expect(wanted { $0.transport = .http } == [])
    #expect(wanted { $0.messages.encryptionKey = "s" } == [])
  }
}
