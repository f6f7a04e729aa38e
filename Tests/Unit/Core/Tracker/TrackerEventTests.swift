import Model
import Testing
import Timebase

@testable import Core

/// What comes of events that say little by themselves.
struct TrackerEventTests {
  private func scene(
    _ regions: [Snapshot.KnownRegion] = [], _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        change(&$0)
      }, regions: regions)
  }

  private func isOnline(_ report: Report?) -> Bool? {
    if case .status(let status) = report { status.isOnline } else { nil }
  }

  // MARK: Around the board

  @Test func thePressureGoesAlongWithLocations() {
    var scene = scene()
    scene.post(.pressureMeasured(101.3), at: 0)
    scene.fix(at: 1, 0)
    scene.post(.control(.publish(poi: nil), from: 1), at: 2)
    #expect(scene.lastLocation?.pressure == 101.3)
  }

  @Test func crossingPublishesItsFixWithoutWithheldReason() {
    var scene = scene([Scene.home()]) { $0.reports.monitoring = .move }
    scene.fix(at: 0, 500)
    scene.fix(at: 60, 0)
    #expect(scene.story == ["@0 loc(-)", "@60 enter Home", "@60 loc(c)"])
    #expect(scene.withheld.isEmpty)
  }

  // MARK: The broker

  @Test func leavingServerPublishesOffline() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    scene.post(.leavingServer, at: 1)
    #expect(scene.announced.map(isOnline) == [true, false])
  }

  /// Nobody answers for it: a connection that ends over it would end each time.
  @Test func presenceIsAnnouncedWithQoS0() {
    var scene = scene { $0.dashboard.availability = true }
    scene.isConnected = true
    let effects = scene.tracker.handle(.brokerConnected(receiveMaximum: nil), at: scene.now)
    let levels = effects.compactMap { if case .announce(_, let message) = $0 { message.qos } else { nil } }
    #expect(levels == [0])
    let reports = effects.compactMap { if case .announce(let report, _) = $0 { report } else { nil } }
    #expect(reports.map(isOnline) == [true])
  }

  @Test func inFlightIsTakenBackOnLossWithWiFiBacklog() {
    var scene = scene { ($0.reports.monitoring, $0.queue.backlog) = (.move, .wifi) }
    scene.acknowledges = false
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.brokerLost(), at: 10)
    #expect(scene.sent.count == 1 && scene.takenBack.count == 1)
  }

  @Test func postponedMessageIsSentAgain() {
    var scene = scene { $0.reports.monitoring = .move }
    scene.acknowledges = false
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.postponed(scene.sent[0].sequence), at: 1)
    scene.run(until: 10.9)
    #expect(scene.sent.count == 1)
    scene.run(until: 11.1)
    #expect(scene.sent.count == 2 && scene.sent.first == scene.sent.last)
  }

  /// They waited on the disk, and are counted when they were read.
  @Test func storedOldLocationsAreReportedAsWaiting() {
    var snapshot = Snapshot()
    (snapshot.queued, snapshot.queuedBytes, snapshot.firstSequence, snapshot.lastSequence) = (2, 200, 1, 2)
    var scene = Scene(Scene.configuration { $0.queue.backlog = .wifi }, snapshot: snapshot)
    for sequence in [UInt64(1), 2] {
      var old = Message(
        topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false, time: 1_600_000_000)
      old.sequence = sequence
      scene.disk[sequence] = old
    }
    scene.post(.networkChanged(.mobile), at: 0)
    scene.connect(at: 1)
    #expect(scene.withheld.map(\.reason) == [.backlogWaits(count: 2)] && scene.sent.isEmpty)
    scene.post(.networkChanged(.wired), at: 2)
    #expect(scene.sent.map(\.sequence) == [1, 2])
  }

  @Test func barredCommandIsAnsweredAsRefused() {
    var scene = scene()
    scene.post(.commandBarred(action: nil, id: .number(7), .retained), at: 1)
    #expect(scene.lastReason == "commandRefused")
    #expect(scene.story == ["@1 result ? refused"])
  }

  // MARK: Beacons

  /// Whatever else is due waits for no tick.
  @Test func aSightingThatChangesNothingLetsNothingThatIsDueWait() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.advert(at: 1)
    scene.advert(at: 2)
    let due = scene.tracker.wakeAt
    let late = Moment(instant: (due ?? .zero) + .seconds(1), wall: WallTime(seconds: Scene.start + 100))
    _ = scene.tracker.handle(.sighted(Scene.sighting()), at: late)
    #expect(due != nil && scene.tracker.wakeAt != due)
  }

  /// Nothing is due, and a leave is owed since before the time was known.
  @Test func unregisteredSightingPublishesNoPendingLeave() {
    let known = Scene.beaconRegion(major: 5)
    var snapshot = Snapshot()
    snapshot.entered = [EnteredRegion(region: known.region, isChanged: false)]
    var scene = Scene.inMode(.manual, [known], snapshot: snapshot)
    scene.hasTrustedClock = false
    scene.connect()
    scene.scanner(at: 0, isHearing: true)
    scene.run(until: 100)
    #expect(scene.tracker.wakeAt == nil)
    scene.hasTrustedClock = true
    scene.advert(at: 101, major: 9)
    #expect(scene.story.isEmpty)
    scene.post(.tick, at: 102)
    #expect(scene.story == ["@102 leave Main"])
  }

  @Test func crossingBySightingIsWrittenAtOnce() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    scene.fix(at: 0, 0)
    scene.run(until: 60)
    scene.writes = []
    scene.advert(at: 61)
    #expect(scene.story.contains("@61 enter Main"))
    let events = scene.writes.compactMap { write -> Int? in
      if case .insert(let message) = write, message.isEvent { message.time } else { nil }
    }
    #expect(events == [Int(Scene.start) + 61])
  }

  // MARK: The disk

  private func positions(_ scene: Scene) -> [Double] {
    scene.writes.compactMap {
      if case .position(let fix) = $0 { fix.time.seconds - Scene.start } else { nil }
    }
  }

  @Test func theFirstPositionEverIsOnTheDiskAtOnce() {
    var scene = scene()
    scene.fix(at: 5, 0)
    #expect(positions(scene) == [5])
  }

  /// A parked board writes no more often than that.
  @Test func aPositionThatNothingElseBringsToTheDiskIsThereAfterTenMinutes() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 5000)
    scene.run(until: 599)
    #expect(positions(scene) == [0])
    scene.run(until: 602)
    #expect(positions(scene) == [0, 10])
  }

  @Test(arguments: [true, false]) func aModeIsOnTheDiskWithTheEventThatChangedIt(_ isByRegion: Bool) {
    var scene = scene([Scene.home(name: "Home|2|"), Scene.home(radius: 50, name: "+follow", inside: .inside)])
    scene.fix(at: 0, 500)
    scene.writes = []
    if isByRegion { scene.fix(at: 1, 0) } else { scene.post(.control(.mode(.significant), from: 1), at: 1) }
    #expect(scene.writes.contains { if case .mode = $0 { true } else { false } })
  }

  @Test func silentlyLearntBeaconPresenceIsWrittenAtOnce() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .unknown)])
    scene.writes = []
    scene.advert(at: 1)
    #expect(scene.writes.contains { if case .region(_, .inside) = $0 { true } else { false } })
  }

  @Test func aRegionThatGoesAlongIsOnTheDiskWhereItIsNow() {
    var scene = Scene.withBeacons([Scene.beaconRegion(radius: -1)])
    scene.fix(at: 0, 500)
    scene.advert(at: 1)
    let places = scene.writes.compactMap { if case .region(let it, _) = $0 { it.coordinate } else { nil } }
    #expect(places.last == Scene.place(500, 0))
  }

  @Test func rangingIsSentWithItsSighting() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.ranging = true }
    for second in 1...30 {
      scene.advert(at: Double(second))
      #expect(scene.sent.count == scene.reports.count)
    }
    #expect(scene.story.contains { $0.contains("beacon") })
  }

  /// Nothing but the timer tells of the second.
  @Test func twoHoldDownsEndOneAfterTheOther() {
    var scene = scene([
      Scene.home(name: "-Keys", inside: .inside), Scene.home(radius: 700, name: "-Bag", inside: .inside),
    ])
    scene.fix(at: 0, 0)
    scene.fix(at: 10, 500)
    scene.fix(at: 11, 2000)
    scene.run(until: 60)
    #expect(scene.story.filter { $0.contains("leave") } == ["@13 leave -Keys", "@14 leave -Bag"])
  }

  // MARK: The word on the board

  @Test func withoutHomeAssistantNothingIsSaidAgainInTime() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    scene.run(until: 7200)
    #expect(scene.announced.count == 1)
  }

  @Test func eachIgnitionChangeUpdatesPresence() {
    var scene = scene { $0.dashboard.availability = true }
    scene.connect()
    scene.post(.ignition(true), at: 10)
    scene.post(.ignition(false), at: 20)
    let states = scene.announced.map { report -> Bool? in
      if case .status(let status) = report { status.ignition } else { nil }
    }
    #expect(states == [nil, true, false])
  }

  /// Whoever starts meanwhile takes it back again.
  @Test func withdrawnTopicIsStoredUntilAcknowledged() {
    var scene = scene([Scene.home()]) { $0.dashboard.discovery = true }
    scene.connect()
    scene.run(until: 60)
    func isKnown() -> Bool? {
      for case .announced(let topics) in scene.writes.reversed() { return topics.contains("region_Home") }
      return nil
    }
    scene.acknowledges = false
    scene.post(.control(.regionRemove(region: "Home"), from: 1), at: 61)
    scene.run(until: 70)
    #expect(isKnown() == true)
    scene.post(.acknowledged(scene.sent.suffix(1).map(\.sequence)), at: 71)
    #expect(isKnown() == false)
  }

  @Test func withdrawWithoutConnectionFails() {
    var snapshot = Snapshot()
    snapshot.announced = ["place"]
    var scene = Scene(Scene.configuration { $0.dashboard.discovery = true }, snapshot: snapshot)
    scene.post(.control(.withdraw, from: 1), at: 1)
    guard case .failed(let why)? = scene.answers.last else { return #expect(Bool(false), "taken back") }
    #expect(why == "not connected: the broker keeps what describes this board to Home Assistant")
  }
}
