import Model
import Testing
import Timebase

@testable import Core

// behaviour: Fleets
/// `status` again after `statusInterval`, and with what words the board goes.
struct HeartbeatTests {
  private func scene(_ interval: Int, _ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        $0.dashboard.statusInterval = interval
        change(&$0)
      }, regions: [Scene.home()])
  }

  private func told(_ scene: Scene) -> [StatusReport] {
    scene.announced.compactMap { if case .status(let status) = $0 { status } else { nil } }
  }

  @Test func statusIsRepeatedAfterItsInterval() {
    var scene = scene(600)
    scene.connect()
    #expect(told(scene).map(\.presence.interval) == [600])
    scene.run(until: 599)
    #expect(told(scene).count == 1)
    scene.run(until: 601)
    #expect(told(scene).count == 2)
    scene.run(until: 3601)
    #expect(told(scene).map(\.isOnline) == Array(repeating: true, count: 7))
  }

  @Test func withoutIntervalItIsSaidOnceAndNamesNone() {
    var scene = scene(0) { $0.dashboard.availability = true }
    scene.connect()
    scene.run(until: 100_000)
    #expect(told(scene).map(\.presence.interval) == [nil])
  }

  @Test func withoutConnectionNothingIsRepeatedAndTheNextOneBeginsAnew() {
    var scene = scene(600)
    scene.connect()
    scene.post(.brokerLost(), at: 100)
    scene.run(until: 5000)
    #expect(told(scene).count == 1)
    scene.connect(at: 5000)
    scene.run(until: 5599)
    #expect(told(scene).count == 2)
    scene.run(until: 5601)
    #expect(told(scene).count == 3)
  }

  /// Whatever hurries: what has not changed is told again in Home Assistant's own rhythm.
  @Test func aNumberThatStaysIsNotRepeatedEachMinute() {
    var scene = scene(0) { $0.dashboard.discovery = true }
    scene.connect()
    scene.acknowledges = false
    scene.fix(at: 1, 0)
    scene.post(.control(.publish(poi: nil), from: 1), at: 2)
    scene.run(until: 590)
    let before = told(scene).map(\.queueLength)
    #expect(before.count == 2 && before[1] > 0)
    scene.run(until: 700)
    #expect(told(scene).map(\.queueLength) == before + [before[1]])
  }

  @Test func aNumberThatChangesLaterIsPublished() {
    var scene = scene(0) { $0.dashboard.availability = true }
    scene.acknowledges = false
    scene.post(.control(.publish(poi: nil), from: 1), at: 0)
    scene.fix(at: 1, 0)
    scene.connect(at: 10)
    let before = told(scene).map(\.queueLength)
    scene.run(until: 300)
    #expect(told(scene).map(\.queueLength) == before && before.count == 1)
    scene.post(.control(.publish(poi: nil), from: 1), at: 300)
    scene.run(until: 362)
    #expect(told(scene).map(\.queueLength) == before + [before[0] + 1])
  }

  /// The modem is awake then.
  @Test func fromThreeQuartersOnStatusFollowsOtherMessages() {
    var scene = scene(600)
    scene.connect()
    scene.fix(at: 400, 0)
    scene.post(.control(.publish(poi: nil), from: 1), at: 440)
    let before = scene.reports.count
    #expect(before > 0 && told(scene).count == 1)
    scene.fix(at: 450, 50)
    scene.post(.control(.publish(poi: nil), from: 1), at: 451)
    #expect(scene.reports.count > before && told(scene).map(\.queueLength) == [0, 0])
    scene.run(until: 1050)
    #expect(told(scene).count == 2)
    scene.run(until: 1052)
    #expect(told(scene).count == 3)
  }

  /// Its deadline is armed for other things as well.
  @Test func aMinuteOfWaitingMessagesDoesNotEndTheRhythm() {
    var scene = scene(600)
    scene.acknowledges = false
    scene.connect()
    scene.fix(at: 10, 0)
    scene.post(.control(.publish(poi: nil), from: 1), at: 11)
    scene.run(until: 100)
    let before = told(scene).count
    scene.run(until: 800)
    #expect(told(scene).count > before)
  }

  @Test func undatedStatusIsRepeatedWithTheFirstTrustedClock() {
    var scene = scene(600)
    scene.hasTrustedClock = false
    scene.connect()
    #expect(told(scene).map(\.time) == [nil])
    scene.hasTrustedClock = true
    scene.post(.tick, at: 20)
    #expect(told(scene).count == 2 && told(scene).last?.time != nil)
    scene.post(.tick, at: 30)
    #expect(told(scene).count == 2)
  }

  @Test func departureHasItsReason() {
    func last(_ event: Event) -> StatusReport? {
      var scene = scene(600)
      scene.connect()
      scene.post(event, at: 10)
      return told(scene).last
    }
    #expect(last(.stopping)?.presence.departure == .stopped && last(.stopping)?.isOnline == false)
    #expect(last(.stopping)?.presence.interval == nil)
    #expect(last(.leavingServer)?.presence.departure == .disconnected)
    var other = scene(600).tracker.settings
    other.broker.host = "other.example"
    var moved = scene(600)
    moved.connect()
    moved.post(.configured(other, waypoints: []), at: 10)
    #expect(told(moved).contains { $0.presence.departure == .settings })
  }

  @Test func parkedBoardThatIsSwitchedOffGivesThatReason() {
    var scene = scene(600) { $0.power.parkedShutdown = 900 }
    scene.connect()
    scene.post(.ignition(false), at: 10)
    scene.run(until: 2000)
    scene.post(.stopping, at: 2001)
    #expect(told(scene).last?.presence.departure == .parked)
  }
}
