import Model
import Testing
import Timebase

@testable import Core

/// A start without a store, and a store that is there later.
@Suite struct TakingUpTests {
  /// In memory alone so far: a region crossed, a kilometre driven, everything unsent.
  private func blind(limit: Int = 1000) -> Scene {
    let configuration = Scene.configuration {
      $0.reports.monitoring = .move
      $0.journey.odometer = true
      $0.reports.locatorDisplacement = 0
      $0.reports.locatorInterval = 0
      $0.queue.limit = limit
    }
    var scene = Scene(
      configuration, snapshot: .withoutStore(at: WallTime(seconds: Scene.start)))
    scene.isDiskBroken = true
    scene.post(.sourceReached("gpsd", true), at: 0)
    scene.post(.networkChanged(.mobile), at: 0)
    scene.post(.batteryChanged(Battery(level: 50, state: .unplugged)), at: 0)
    for second in 0...20 { scene.fix(at: Double(second), Double(second) * 50, speed: 50) }
    return scene
  }

  private static let earlier: Snapshot = {
    var earlier = Snapshot()
    earlier.journey.odometer = 5000
    (earlier.queued, earlier.queuedBytes, earlier.firstSequence, earlier.lastSequence) = (1, 100, 7, 7)
    return earlier
  }()

  private static func old() -> Message {
    var old = Message(topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false, time: 0)
    old.sequence = 7
    return old
  }

  private func handOver(_ scene: inout Scene) -> [StoreWrite] {
    let batches = scene.tracker.handOver(to: Self.earlier, at: scene.now).compactMap { effect in
      if case .store(_, let writes) = effect { writes } else { nil }
    }
    #expect(batches.count == 1)
    return batches.first ?? []
  }

  @Test func allThatWaitsInMemoryIsOneBatch() {
    var scene = blind()
    let made = scene.reports.count
    let writes = handOver(&scene)
    #expect(made == 21)
    #expect(writes.count { if case .insert = $0 { true } else { false } } == made)
    #expect(writes.contains { if case .position = $0 { true } else { false } })
  }

  @Test func theOdometerGoesOnWhereItWas() throws {
    var scene = blind()
    let metres = scene.tracker.journey.odometer
    #expect(metres > 500)
    let journeys = handOver(&scene).compactMap { if case .journey(let state) = $0 { state } else { nil } }
    #expect(try #require(journeys.last).odometer == 5000 + metres)
  }

  /// A board that stands in a life without a store, with all that a journey knows.
  private func standing(from east: Double = 0) -> Scene {
    let configuration = Scene.configuration {
      ($0.journey.trips, $0.journey.odometer, $0.journey.anchorAlarm) = (true, true, 60)
      $0.journey.towAlarm = 50
    }
    var scene = Scene(configuration, snapshot: .withoutStore(at: WallTime(seconds: Scene.start)))
    scene.isDiskBroken = true
    scene.post(.ignition(true), at: 0)
    for second in 0...20 { scene.fix(at: Double(second), east) }
    return scene
  }

  private static let told: JourneyState = {
    func point(_ time: Double, _ east: Double) -> TrackPoint {
      TrackPoint(
        time: WallTime(seconds: Scene.start - 600 + time), coordinate: Scene.place(east, 0), accuracy: 5)
    }
    var state = JourneyState()
    state.engineSeconds = 3_600_000
    state.trip = TripState(start: point(0, -2000), last: point(100, -900), distance: 1100)
    state.anchor = AnchorState(place: point(100, 500), isDragging: false)
    state.fence = point(0, -2000)
    return state
  }()

  private func handedOver(_ scene: inout Scene) throws -> (JourneyState, [Effect]) {
    var earlier = Self.earlier
    earlier.journey = Self.told
    let effects = scene.tracker.handOver(to: earlier, at: scene.now)
    let states = effects.flatMap { effect -> [JourneyState] in
      guard case .store(_, let writes) = effect else { return [] }
      return writes.compactMap { if case .journey(let state) = $0 { state } else { nil } }
    }
    return (try #require(states.last), effects)
  }

  // behaviour: A disk that fails, fills or lies
  @Test func theJourneyOfTheStoreGoesOn() throws {
    var scene = standing()
    #expect(scene.tracker.journey.anchor.state?.place.coordinate == Scene.place(0, 0))
    let (state, _) = try handedOver(&scene)
    #expect(state.engineSeconds == 3_600_020 && state.trip == Self.told.trip)
    #expect(state.anchor == Self.told.anchor && state.fence == Self.told.fence)
  }

  @Test func anEarlierTripEndsWhereAnotherOneHasBegun() throws {
    var scene = standing()
    for second in 21...80 { scene.fix(at: Double(second), Double(second - 20) * 20, speed: 20) }
    let own = try #require(scene.tracker.journey.trips.current)
    let (state, effects) = try handedOver(&scene)
    #expect(state.trip?.id == own.id)
    let stops = effects.compactMap { effect -> TripReport? in
      if case .published(.trip(let trip), _) = effect { trip } else { nil }
    }
    #expect(stops.map(\.trip.id) == [Self.told.trip?.id] && stops.map(\.event) == [.stop(.interrupted)])
  }

  @Test func withoutAFixThePlaceOnTheDiskIsTheLastOne() {
    var scene = Scene(
      Scene.configuration { $0.reports.monitoring = .manual },
      snapshot: .withoutStore(at: WallTime(seconds: Scene.start)))
    scene.isDiskBroken = true
    scene.run(until: 60)
    var snapshot = Snapshot()
    snapshot.position = Fix(
      time: WallTime(seconds: Scene.start - 600), coordinate: Scene.place(70, 0), accuracy: 5)
    _ = scene.tracker.handOver(to: snapshot, at: scene.now)
    scene.isDiskBroken = false
    _ = scene.tracker.takeUp(snapshot, at: scene.now)
    #expect(scene.tracker.positioning.position?.coordinate == Scene.place(70, 0))
    #expect(scene.tracker.positioning.present == nil)
  }

  /// The adapter says nothing twice.
  @Test func theEngineGoesOnRunning() {
    var scene = standing()
    takeUpNow(&scene)
    #expect(scene.tracker.journey.engine.isRunning && scene.tracker.deadlines[.housekeeping] != nil)
  }

  private func counts(_ scene: inout Scene, over earlier: Int) -> [Int] {
    var store = Self.earlier
    store.dropped = earlier
    let writes: [StoreWrite] = scene.tracker.handOver(to: store, at: scene.now).flatMap { effect in
      if case .store(_, let writes) = effect { writes } else { [StoreWrite]() }
    }
    return writes.compactMap { if case .dropped(let count) = $0 { count } else { nil } }
  }

  @Test(arguments: [0, 3]) func theCountOfDroppedMessagesGoesOnAsWell(earlier: Int) throws {
    var scene = blind(limit: 10)
    let dropped = scene.tracker.status(at: scene.now).queue.dropped
    #expect(dropped > 0)
    #expect(try #require(counts(&scene, over: earlier).last) == earlier + dropped)
  }

  @Test func aCountThatDidNotGrowIsNotWritten() {
    var scene = blind()
    #expect(counts(&scene, over: 3) == [])
  }

  /// What the store holds after that batch, read anew.
  private func takenUp() throws -> Scene {
    var scene = blind()
    scene.disk[7] = Self.old()
    let snapshot = written(handOver(&scene), over: Self.earlier, in: &scene)
    scene.isDiskBroken = false
    _ = scene.tracker.takeUp(snapshot, at: scene.now)
    return scene
  }

  private func written(
    _ writes: [StoreWrite], over earlier: Snapshot, in scene: inout Scene
  ) -> Snapshot {
    var snapshot = earlier
    for write in writes {
      switch write {
      case .insert(let message):
        scene.disk[message.sequence] = message
        snapshot.queued += 1
        snapshot.lastSequence = max(snapshot.lastSequence, message.sequence)
      case .position(let fix): snapshot.position = fix
      case .reference(let fix): snapshot.reference = fix
      default: break
      }
    }
    return snapshot
  }

  // behaviour: A disk that fails, fills or lies
  @Test func everythingIsSentInItsOrder() throws {
    var scene = try takenUp()
    #expect(scene.tracker.status(at: scene.now).queue.count == 22)
    scene.connect(at: 21)
    let numbers = scene.sent.map(\.sequence)
    #expect(numbers.count == 22 && numbers.first == 7 && numbers == numbers.sorted())
    #expect(scene.tracker.status(at: scene.now).queue.count == 0)
  }

  /// None of them would say it again.
  @Test func adapterStateSurvivesHandover() throws {
    let scene = try takenUp()
    let status = scene.tracker.status(at: scene.now)
    #expect(status.isSourceReached && status.network == .mobile && status.battery?.level == 50)
    #expect(status.fixAge == .zero && status.isClockTrusted)
  }

  @Test func theLastFixIsNotTakenTwiceAndTheNextOneIs() throws {
    var scene = try takenUp()
    let made = scene.reports.count
    scene.fix(at: 20.5, 1000, speed: 50, claimed: Scene.start + 20)
    #expect(scene.reports.count == made && scene.lastReason == "notNewer")
    scene.fix(at: 21, 1050, speed: 50)
    #expect(scene.reports.count == made + 1)
    let numbers = scene.disk.keys.sorted()
    #expect(!scene.tracker.status(at: scene.now).queue.isStoreFailing && numbers.count == 22)
  }

  /// An empty store comes now.
  private func takeUpNow(_ scene: inout Scene) {
    var snapshot = Snapshot()
    for case .store(_, let writes) in scene.tracker.handOver(to: Snapshot(), at: scene.now) {
      snapshot = written(writes, over: snapshot, in: &scene)
    }
    _ = scene.tracker.takeUp(snapshot, at: scene.now)
  }

  @Test(arguments: [false, true]) func fixLossRightAfterHandoverIsPublished(takesUp: Bool) {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
        $0.reports.locatorInterval = 0
      })
    for second in 0...20 { scene.fix(at: Double(second), Double(second) * 20, speed: 20) }
    if takesUp { takeUpNow(&scene) }
    let told = scene.reports.count
    scene.run(until: 60)
    #expect(scene.reports.count == told + 1)
  }

  @Test(arguments: [false, true]) func settlingCompletesAcrossHandover(takesUp: Bool) {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .move })
    for second in 0...1 { scene.fix(at: Double(second), 0, accuracy: 90) }
    #expect(scene.tracker.positioning.settling.isUnderWay)
    if takesUp { takeUpNow(&scene) }
    scene.run(until: 60)
    #expect(!scene.tracker.positioning.settling.isUnderWay)
  }
}
