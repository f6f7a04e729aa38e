import Model
import Testing
import Timebase

@testable import Core

// behaviour: SOS
/// A call for help is published at once, whatever the mode and the place, and until a person acknowledges it.
struct SOSTests {
  private func scene(
    _ mode: MonitoringMode = .significant, snapshot: Snapshot = .init(), regions: [Snapshot.KnownRegion] = [],
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var scene = Scene.inMode(mode, regions, snapshot: snapshot, change)
    scene.connect()
    return scene
  }

  private func press(_ scene: inout Scene, at time: Double, for seconds: Double = 2) {
    scene.post(.sosLine(false), at: time - 1)
    scene.post(.sosLine(true), at: time)
    scene.post(.sosLine(false), at: time + seconds)
  }

  private func call(_ scene: inout Scene, at time: Double) {
    scene.post(.control(.sos(isAcknowledged: false), from: 1), at: time)
  }

  private func acknowledge(_ scene: inout Scene, at time: Double) {
    scene.post(.control(.sos(isAcknowledged: true), from: 1), at: time)
  }

  private func published(_ scene: Scene) -> [String] {
    scene.story.filter { $0.contains("sos") || $0.contains("GTSOS") }
  }

  private func alarms(_ scene: Scene) -> [String] { published(scene).filter { !$0.contains("loc") } }

  private func said(_ scene: Scene) -> String? {
    switch scene.answers.last {
    case .done(let text), .failed(let text): text
    default: nil
    }
  }

  private func stored(_ scene: Scene) -> SOSState? {
    for case .journey(let state) in scene.writes.reversed() { return state.sos }
    return nil
  }

  private func open(times: Int) -> Snapshot {
    var (snapshot, state) = (Snapshot(), SOSState())
    state.times = times
    snapshot.journey.sos = state
    return snapshot
  }

  // MARK: What calls

  @Test(arguments: [MonitoringMode.quiet, .manual, .significant, .move])
  func aHeldButtonIsPublishedAtOnceInEveryMode(_ mode: MonitoringMode) {
    var scene = scene(mode)
    scene.fix(at: 0, 0)
    press(&scene, at: 10)
    #expect(published(scene) == ["@11 sos 1", "@11 loc(GTSOS)"])
    #expect(stored(scene)?.times == 1)
  }

  /// A wire that picks something up; a button that is made the other way round, or sticks.
  @Test func aMomentAndTheFirstStateAreNoCall() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.post(.sosLine(true), at: 5)
    scene.run(until: 60)
    press(&scene, at: 70, for: 0.9)
    scene.post(.sosLine(nil), at: 80)
    scene.post(.sosLine(true), at: 90)
    scene.run(until: 100)
    #expect(published(scene).isEmpty)
  }

  @Test func aSecondPressIsPublishedAtOnce() {
    var scene = scene()
    scene.fix(at: 0, 0)
    press(&scene, at: 10)
    scene.fix(at: 25, 100)
    press(&scene, at: 30)
    scene.run(until: 92)
    #expect(alarms(scene) == ["@11 sos 1", "@31 sos 2", "@91 sos 3"])
  }

  @Test func theAnswerSaysWhereItCannotBeSent() {
    func answer(isConnected: Bool, _ change: (inout Configuration) -> Void = { _ in }) -> String? {
      var scene = Scene.inMode(.significant, [], change)
      if isConnected { scene.connect() }
      call(&scene, at: 10)
      return said(scene)
    }
    #expect(answer(isConnected: true) == "SOS is published, and again until it is acknowledged")
    #expect(
      answer(isConnected: false)
        == "SOS is published as soon as there is a connection, and again until it is acknowledged")
    #expect(answer(isConnected: false) { $0.broker.port = 0 } == "SOS, but nobody is told: port is 0")
    #expect(
      answer(isConnected: true) { $0.identity.username = "" }
        == "SOS, but nobody is told: username or deviceId is not set")
  }

  // MARK: Until it is acknowledged

  @Test func itIsPublishedAgainUntilItIsAcknowledged() {
    var scene = scene()
    scene.fix(at: 0, 0)
    call(&scene, at: 10)
    for minute in 0...80 { scene.fix(at: Double(minute) * 60 + 65, Double(minute)) }
    #expect(alarms(scene).first == "@10 sos 1" && alarms(scene).contains("@3550 sos 60"))
    #expect(alarms(scene).suffix(2) == ["@4450 sos 63", "@4750 sos 64"])
    #expect(published(scene).count == 128, "each with its location")
    acknowledge(&scene, at: 4900)
    scene.run(until: 9000)
    #expect(published(scene).count == 129 && published(scene).last == "@4900 sos over")
    #expect(stored(scene) == nil && scene.tracker.status(at: scene.now).journey.sos == nil)
    acknowledge(&scene, at: 9001)
    #expect(said(scene) == "there is no SOS to acknowledge")
  }

  @Test func eachHasTheNewestPlace() {
    var scene = scene(.quiet)
    scene.fix(at: 0, 0)
    call(&scene, at: 10)
    scene.fix(at: 60, 400)
    scene.run(until: 71)
    #expect(scene.lastLocation?.fix.coordinate == Scene.place(400, 0))
    #expect(stored(scene)?.start?.coordinate == Scene.place(0, 0))
  }

  @Test func aCommandAcknowledgesIt() {
    var scene = scene { $0.commands.isOn = true }
    scene.fix(at: 0, 0)
    var command = ReceivedCommand(.acknowledgeSOS)
    command.id = .number(7)
    scene.post(.commanded(command), at: 5)
    call(&scene, at: 10)
    command.id = .number(8)
    scene.post(.commanded(command), at: 20)
    scene.run(until: 300)
    #expect(
      scene.story.suffix(5) == [
        "@5 result acknowledgeSos refused", "@10 sos 1", "@10 loc(GTSOS)", "@20 sos over",
        "@20 result acknowledgeSos done",
      ])
  }

  @Test func aRestartGoesOnWithIt() {
    var scene = scene(.quiet, snapshot: open(times: 3))
    scene.run(until: 4)
    scene.fix(at: 4, 0)
    scene.run(until: 70)
    #expect(published(scene) == ["@4 sos 4", "@4 loc(GTSOS)", "@64 sos 5", "@64 loc(GTSOS)"])
  }

  /// The receiver sees nothing yet: the last place of before has to do, and then the first of now.
  @Test func aRestartDoesNotWaitForAFix() {
    var snapshot = open(times: 3)
    snapshot.position = Fix(
      time: WallTime(seconds: Scene.start - 500), coordinate: Scene.place(0, 0), accuracy: 5)
    var scene = scene(snapshot: snapshot)
    scene.run(until: 20)
    scene.fix(at: 20, 50)
    scene.run(until: 30)
    #expect(published(scene) == ["@5 sos 4", "@5 loc(GTSOS)", "@20 sos 5", "@20 loc(GTSOS)"])
  }

  @Test func theDiskHasItBeforeItIsSent() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.isDiskSlow = true
    let before = scene.sent.count
    call(&scene, at: 10)
    #expect(scene.sent.count == before && scene.pendingBatches.count == 1)
    scene.finishWrites(at: 11)
    #expect(scene.sent.count == before + 2 && stored(scene)?.times == 1)
  }

  @Test func aStoreThatIsThereLaterForgetsNoCall() {
    var scene = Scene.inMode(.significant)
    scene.isDiskBroken = true
    scene.post(.sosLine(false), at: 0)
    _ = scene.tracker.handOver(to: open(times: 3), at: scene.now)
    scene.isDiskBroken = false
    _ = scene.tracker.takeUp(open(times: 3), at: scene.now)
    #expect(scene.tracker.journeyStatus.sos?.times == 3)
    acknowledge(&scene, at: 1)
    // The state of the button is known: what it says now is a press.
    scene.post(.sosLine(true), at: 10)
    scene.run(until: 12)
    #expect(scene.tracker.journeyStatus.sos != nil)
  }

  // MARK: What withholds nothing

  @Test func itIsPublishedInsideOfAPrivateRegionAndWithAnyAccuracy() {
    var home = Scene.home(inside: .inside)
    home.region.isPrivate = true
    var scene = scene(regions: [home]) { $0.reports.ignoreInaccurateLocations = 10 }
    scene.fix(at: 0, 0, accuracy: 40)
    press(&scene, at: 10)
    #expect(published(scene) == ["@11 sos 1", "@11 loc(GTSOS)"])
  }

  @Test func aLockedBoardCallsAllTheSame() {
    var scene = scene { $0.commands.locked = true }
    scene.fix(at: 0, 0)
    call(&scene, at: 10)
    #expect(published(scene) == ["@10 sos 1", "@10 loc(GTSOS)"])
  }

  /// Nobody has to know where it is to know that it is needed.
  @Test func withoutAPlaceTheAlarmIsPublishedAndBothWithTheFirstFix() {
    var scene = scene()
    press(&scene, at: 10)
    scene.run(until: 30)
    #expect(published(scene) == ["@11 sos 1"] && stored(scene) != nil)
    scene.fix(at: 31, 0)
    scene.run(until: 40)
    #expect(published(scene) == ["@11 sos 1", "@31 sos 2", "@31 loc(GTSOS)"])
  }

  @Test func alarmsCanBeLocationsOnly() {
    var scene = scene { $0.journey.alarmMessages = false }
    scene.fix(at: 0, 0)
    press(&scene, at: 10)
    #expect(published(scene) == ["@11 loc(GTSOS)"])
  }

  // MARK: The receiver

  @Test func aRestingReceiverIsWokenAndItsFirstFixPublished() {
    var scene = scene { $0.receiver.dutyCycle = 600 }
    for second in 0...12 { scene.fix(at: Double(second), 0) }
    scene.run(until: 100)
    #expect(scene.receiver == [false])
    call(&scene, at: 110)
    #expect(scene.receiver == [false, true])
    scene.fix(at: 118, 70)
    #expect(alarms(scene) == ["@110 sos 1", "@118 sos 2"])
    for second in 119...300 { scene.fix(at: Double(second), 70) }
    #expect(scene.receiver == [false, true], "it rests no more")
    acknowledge(&scene, at: 301)
    for second in 302...320 { scene.fix(at: Double(second), 70) }
    #expect(scene.receiver == [false, true, false])
  }

  // MARK: A long queue

  /// Those who can help need not wait for a day's backlog: alarm and location pass it, and are in their place in it.
  @Test func itPassesTheMessagesBeforeIt() {
    var scene = scene(.move) { $0.broker.maxInFlight = 1 }
    scene.acknowledges = false
    for second in 0..<5 { scene.fix(at: Double(second), Double(second) * 200) }
    call(&scene, at: 10)
    #expect(scene.announced.map(\.messageWord) == ["alarm", "location"])
    scene.post(.brokerLost(), at: 20)
    scene.connect(at: 30)
    #expect(scene.announced.map(\.messageWord) == ["alarm", "location", "alarm", "location"])
  }

  @Test func locationsThatWaitToTravelTogetherGoWithIt() {
    var scene = scene(.move) { $0.queue.batchSeconds = 3600 }
    for second in 0..<5 { scene.fix(at: Double(second), Double(second) * 200) }
    scene.run(until: 9)
    #expect(scene.tracker.outbox.pending > 1)
    call(&scene, at: 10)
    scene.run(until: 12)
    #expect(scene.tracker.outbox.pending == 0)
  }

  @Test func whereNothingWaitsItIsSentOnce() {
    var scene = scene(.move)
    scene.fix(at: 0, 0)
    call(&scene, at: 10)
    scene.post(.brokerLost(), at: 20)
    scene.connect(at: 30)
    #expect(scene.announced.isEmpty && published(scene).count == 2)
  }

  // MARK: What is known of it

  @Test func theStatusSaysSoUntilItIsAcknowledged() {
    var scene = scene { $0.dashboard.availability = true }
    scene.fix(at: 0, 0)
    call(&scene, at: 10)
    func last() -> Int?? {
      for case .status(let report) in scene.announced.reversed() { return report.alarms.sos }
      return nil
    }
    #expect(last() == 1)
    acknowledge(&scene, at: 20)
    #expect(last() == .some(nil))
  }
}
