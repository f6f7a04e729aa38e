import Model
import Testing

@testable import Core

// behaviour: Presence and Home Assistant
/// What the board tells of itself unasked, and that by default it tells nothing.
struct AnnouncementTests {
  private func scene(_ change: @escaping (inout Configuration) -> Void) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        change(&$0)
      }, regions: [Scene.home()])
  }

  private func shown(_ scene: Scene) -> [String] {
    scene.story.filter { $0.contains("show") || $0.contains("hide") }
  }

  private func isOnline(_ report: Report?) -> Bool? {
    if case .status(let status) = report { status.isOnline } else { nil }
  }

  /// Which, whenever it was.
  private func names(_ scene: Scene) -> [Substring] { shown(scene).map { $0.drop { $0 != " " } } }

  @Test func byDefaultItSaysNothing() {
    var scene = scene { _ in }
    scene.connect()
    scene.post(.control(.mode(.move), from: 1), at: 10)
    scene.post(.stopping, at: 20)
    #expect(scene.announced.isEmpty && scene.reports.isEmpty)
  }

  @Test func itIsThereWithEveryConnectionAndGoesWithTheEnd() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 20)
    #expect(scene.announced.map(isOnline) == [true, true])
    scene.post(.stopping, at: 30)
    #expect(isOnline(scene.announced.last) == false)
  }

  /// The broker may have published a will meanwhile.
  @Test func doubtedPresenceIsPublishedAgain() {
    var scene = scene { $0.dashboard.availability = true }
    scene.post(.presenceDoubted, at: 0)
    #expect(scene.announced.isEmpty)
    scene.connect(at: 1)
    scene.post(.presenceDoubted, at: 2)
    #expect(scene.announced.map(isOnline) == [true, true])
  }

  @Test func withoutATrustedClockNothingIsDated() {
    var scene = scene { $0.dashboard.availability = true }
    scene.hasTrustedClock = false
    scene.connect()
    guard case .status(let status) = scene.announced.last else {
      Issue.record("not told")
      return
    }
    #expect(status.time == nil)
  }

  @Test func modeChangeUpdatesPresenceAtOnce() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    scene.post(.control(.mode(.move), from: 1), at: 10)
    guard case .status(let status) = scene.announced.last else {
      Issue.record("not told")
      return
    }
    #expect(scene.announced.count == 2 && status.mode.mode == .move)
  }

  @Test func quietDoesNotSayWhere() {
    var scene = scene { $0.dashboard.availability = true }
    scene.fix(at: 0, 0)
    scene.connect(at: 1)
    scene.post(.control(.mode(.quiet), from: 1), at: 10)
    let places = scene.announced.map { if case .status(let status) = $0 { status.fix != nil } else { false } }
    // The first location is delivered meanwhile, which is told as well.
    #expect(places == [true, true, false])
  }

  /// With what these settings allow: Home is the last.
  private func shown(after scene: Scene) -> Int {
    scene.tracker.announcement.wanted(scene.tracker.settings, scene.tracker.regions.tracked).count
  }

  /// No location is published in a private one: its entity would say that the board is out.
  @Test func aPrivateRegionIsNotShown() {
    var home = Scene.home()
    home.region.isPrivate = true
    for (region, isShown) in [(Scene.home(), true), (home, false)] {
      var scene = Scene(Scene.configuration { $0.dashboard.discovery = true }, regions: [region])
      scene.connect()
      #expect(shown(scene).contains("@0 show region_\(region.region.rid)") == isShown)
    }
  }

  @Test func everyEntityIsShownOnceForALife() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    let all = shown(after: scene)
    #expect(shown(scene).count == all && all > 10)
    #expect(shown(scene).last == "@0 show region_\(Scene.home().region.rid)")
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 20)
    #expect(shown(scene).count == all)
  }

  /// Its retained messages may have gone with the session.
  @Test func allEntitiesAreShownAgainAfterLostSession() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    let all = shown(after: scene)
    scene.post(.brokerLost(), at: 10)
    scene.post(.discoveryDoubted(isBirth: false), at: 20)
    #expect(shown(scene).count == all)
    scene.connect(at: 20)
    #expect(shown(scene).count == 2 * all && scene.announced.map(isOnline) == [true, true])
    #expect(Array(names(scene).prefix(all)) == Array(names(scene).suffix(all)))
  }

  @Test func homeAssistantBirthShowsAllEntitiesAgain() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    let all = shown(after: scene)
    scene.post(.discoveryDoubted(isBirth: true), at: 5)
    #expect(shown(scene).count == 2 * all)
    #expect(Array(names(scene).prefix(all)) == Array(names(scene).suffix(all)))
    #expect(scene.announced.map(isOnline) == [true, true])
  }

  /// By then Home Assistant listens to the state of what it was told of.
  @Test func afterTheDescriptionsItIsSaidAgainThatTheBoardIsThere() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    scene.run(until: 9)
    #expect(scene.announced.count == 1)
    scene.run(until: 11)
    #expect(scene.announced.map(isOnline) == [true, true])
    scene.run(until: 9 * 60)
    #expect(scene.announced.count == 2)
    scene.run(until: 12 * 60)
    #expect(scene.announced.count == 3)
  }

  @Test func aRegionThatGoesIsHidden() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 10)
    #expect(shown(scene).last == "@10 hide region_\(Scene.home().region.rid)")
  }

  private func hidden(_ change: (inout Configuration) -> Void) -> (hidden: Int, shown: Int, taken: Int) {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    let all = shown(after: scene)
    var file = scene.tracker.settings
    change(&file)
    scene.post(.configured(file, waypoints: []), at: 10)
    let taken = scene.announced.filter { if case .discoveryGone = $0 { true } else { false } }.count
    let after = shown(scene)
    return (after.filter { $0.contains("hide") }.count, after.count - all, taken == all ? all : -taken)
  }

  @Test func switchedOffItHidesEverything() {
    let all = hidden { $0.dashboard.discoveryPrefix = "elsewhere" }.hidden
    #expect(all > 10)
    #expect(hidden { $0.dashboard.discovery = false }.hidden == all)
    #expect(hidden { $0.messages.encryptionKey = "s" }.hidden == all)
    // Of another prefix all is shown anew.
    #expect(hidden { $0.dashboard.discoveryPrefix = "elsewhere" }.shown == 2 * all)
    // What cannot wait in the queue goes at once.
    #expect(hidden { $0.broker.port = 0 }.taken == all)
    #expect(hidden { $0.transport = .http }.taken == all)
    #expect(hidden { $0.broker.host = "another" }.taken == all)
  }

  @Test func unwantedEntitiesOfEarlierStartAreHidden() {
    var stored = Snapshot()
    stored.announced = ["homeassistant/select/homeward_1/mode/config", "place"]
    var off = Scene(Scene.configuration { $0.dashboard.discovery = false }, snapshot: stored)
    off.connect()
    #expect(shown(off) == ["@0 hide homeassistant/select/homeward_1/mode/config", "@0 hide place"])
    let topics = off.writes.compactMap { if case .announced(let topics) = $0 { topics } else { nil } }
    #expect(topics == [[]])
    var on = Scene(Scene.configuration { $0.dashboard.discovery = true }, snapshot: stored)
    on.connect()
    #expect(
      shown(on).filter { $0.contains("hide") } == ["@0 hide homeassistant/select/homeward_1/mode/config"])
    #expect(shown(on).contains("@0 show place"))
  }

  @Test func aTrackerThatIsRemovedTakesAllOfItBack() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.post(.control(.withdraw, from: 1), at: 0)
    scene.connect(at: 1)
    let all = shown(after: scene)
    scene.post(.brokerLost(), at: 2)
    scene.post(.control(.withdraw, from: 2), at: 3)
    scene.connect(at: 4)
    scene.post(.control(.withdraw, from: 3), at: 5)
    let gone = scene.announced.filter { if case .discoveryGone = $0 { true } else { false } }
    #expect(gone.count == all)
    let isDone = scene.answers.map { if case .done = $0 { true } else { false } }
    #expect(isDone == [true, false, true], "\(scene.answers)")
    // What starts now is not told again.
    let before = shown(scene).count
    scene.post(.discoveryDoubted(isBirth: true), at: 6)
    #expect(shown(scene).count == before)
    let topics = scene.writes.compactMap { if case .announced(let topics) = $0 { topics.count } else { nil } }
    // Its word stays, for those who ask where it is.
    #expect(topics == [all + 1, 1])
  }

  /// What is shown is known to the disk with the message that shows it.
  @Test func shownTopicsAreStored() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    let topics = scene.writes.compactMap { if case .announced(let topics) = $0 { topics } else { nil } }
    #expect(topics.count == 1 && topics[0].count == shown(after: scene) + 1)
    #expect(topics[0].last == "d/status")
  }

  @Test func aBatteryThatIsFoundIsShown() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    #expect(!shown(scene).contains { $0.contains("battery") })
    scene.post(.batteryChanged(.init(level: 50, state: .unplugged)), at: 10)
    scene.post(.batteryChanged(nil), at: 20)
    #expect(shown(scene).suffix(2) == ["@10 show battery", "@10 show charging"])
  }

  @Test func firstIgnitionStateUpdatesPresenceOnce() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    scene.post(.ignition(true), at: 10)
    scene.post(.ignition(true), at: 11)
    guard scene.announced.count == 2, case .status(let status) = scene.announced[1] else {
      Issue.record("told \(scene.announced.count) times")
      return
    }
    #expect(status.ignition == true && shown(scene).last == "@10 show ignition")
  }

  @Test func presenceIsPublishedAgainOnceQueueIsEmpty() {
    var scene = scene { $0.dashboard.availability = true }
    scene.post(.control(.publish(poi: nil), from: 1), at: 0)
    scene.fix(at: 1, 0)
    scene.post(.control(.publish(poi: nil), from: 1), at: 2)
    scene.connect(at: 10)
    func waiting() -> [Int] {
      scene.announced.map { if case .status(let status) = $0 { status.queueLength } else { -1 } }
    }
    scene.run(until: 30)
    #expect(waiting() == [3, 0])
  }

  @Test func aModeThatMayBeChosenReplacesTheNumber() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    var file = scene.tracker.settings
    (file.commands.isOn, file.commands.remoteConfiguration) = (true, true)
    scene.post(.configured(file, waypoints: []), at: 10)
    #expect(shown(scene).contains("@10 hide mode") && shown(scene).contains("@10 show mode"))
    file.commands.isOn = false
    scene.post(.configured(file, waypoints: []), at: 20)
    #expect(shown(scene).contains("@20 hide chosen mode") && shown(scene).contains("@20 show mode"))
  }

  @Test func brokerChangePublishesOfflineThenOnline() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    var file = scene.tracker.settings
    file.broker.host = "another"
    scene.post(.configured(file, waypoints: []), at: 10)
    #expect(scene.announced.map(isOnline) == [true, false, true])
  }

  @Test func newBrokerIsShownAllEntities() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    var file = scene.tracker.settings
    file.broker.host = "another"
    scene.post(.configured(file, waypoints: []), at: 10)
    scene.post(.brokerLost(), at: 10)
    scene.connect(at: 20)
    let shows = names(scene).filter { $0.contains("show") }
    let all = shown(after: scene)
    #expect(shows.count == 2 * all && Array(shows.prefix(all)) == Array(shows.suffix(all)))
  }

  private func taken(_ scene: Scene) -> [String] {
    scene.announced.compactMap { if case .discoveryGone(let topic) = $0 { topic } else { nil } }
  }

  /// Who throws the queue away throws nothing of that away.
  @Test func pendingWithdrawalsSurviveQueueClear() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    let all = shown(after: scene)
    var file = scene.tracker.settings
    file.dashboard.discovery = false
    // Nothing goes out before it is on the disk.
    scene.isDiskSlow = true
    scene.post(.configured(file, waypoints: []), at: 10)
    let before = shown(scene).count
    #expect(before == 2 * all)
    scene.post(.control(.queueClear, from: 1), at: 12)
    scene.isDiskSlow = false
    scene.finishWrites(at: 13)
    #expect(shown(scene).dropFirst(before).filter { $0.contains("hide") }.count == all)
    #expect(scene.tracker.status(at: scene.now).queue.count == 0)
    // Delivered, it is known no more.
    scene.post(.control(.queueClear, from: 2), at: 30)
    #expect(shown(scene).count == before + all)
    let topics = scene.writes.compactMap { if case .announced(let topics) = $0 { topics } else { nil } }
    #expect(topics.last == ["d/status"])
  }

  @Test func statusUnderOldDeviceIDIsWithdrawn() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    var file = scene.tracker.settings
    file.identity.deviceId = "lorry"
    scene.post(.configured(file, waypoints: []), at: 10)
    #expect(scene.announced.map(isOnline) == [true, false, nil, true])
    #expect(taken(scene) == ["d/status"])
    // The location stays: it is the last place of that name, and for others to forget.
    #expect(scene.reports.allSatisfy { if case .discoveryGone = $0.report { false } else { true } })
  }

  @Test func staleStatusIsWithdrawnWithoutConfirmation() {
    var stored = Snapshot()
    stored.announced = ["lorry/status"]
    for isTold in [true, false] {
      var scene = Scene(Scene.configuration { $0.dashboard.availability = isTold }, snapshot: stored)
      scene.connect()
      scene.connect(at: 10)
      #expect(taken(scene) == ["lorry/status"])
      #expect(scene.sent.isEmpty)
      let topics = scene.writes.compactMap { if case .announced(let topics) = $0 { topics } else { nil } }
      #expect(topics == [isTold ? ["d/status"] : []])
    }
    stored.announced = ["d/status"]
    var same = Scene(Scene.configuration { $0.dashboard.availability = false }, snapshot: stored)
    same.connect()
    #expect(same.announced.isEmpty)
  }

  @Test func descriptionsLeftOnBrokerAreCounted() {
    var stored = Snapshot()
    stored.announced = ["place", "d/status"]
    for change: (inout Configuration) -> Void in [{ $0.broker.port = 0 }, { $0.transport = .http }] {
      var scene = Scene(Scene.configuration(change), snapshot: stored)
      #expect(scene.tracker.status(at: scene.now).leftDescriptions == 1)
      scene.post(.control(.withdraw, from: 1), at: 1)
      guard case .failed(let why)? = scene.answers.last else { return #expect(Bool(false), "taken back") }
      #expect(why.contains("by MQTT again"))
    }
    let scene = Scene(Scene.configuration { $0.dashboard.discovery = true }, snapshot: stored)
    #expect(scene.tracker.status(at: scene.now).leftDescriptions == 0)
  }

  /// Who was there to take it back has done so, also for those who start after it.
  @Test func withdrawnDescriptionsAreNotCountedAsLeft() {
    var scene = scene { $0.dashboard.discovery = true }
    scene.connect()
    let all = shown(after: scene)
    var file = scene.tracker.settings
    file.broker.port = 0
    scene.post(.configured(file, waypoints: []), at: 10)
    #expect(taken(scene).count == all && scene.tracker.status(at: scene.now).leftDescriptions == 0)
    var stored = Snapshot()
    stored.announced = scene.writes.reduce([]) { if case .announced(let topics) = $1 { topics } else { $0 } }
    #expect(stored.announced.count == all + 2)
    var later = Scene(file, snapshot: stored)
    #expect(later.tracker.status(at: later.now).leftDescriptions == 0)
    // It was not confirmed, so it is not forgotten either.
    file.broker.port = 1883
    file.dashboard.discovery = false
    later = Scene(file, snapshot: stored)
    later.connect()
    #expect(shown(later).filter { $0.contains("hide") }.count == all)
  }
}
