import Model
import Testing
import Timebase

@testable import Core

/// A store that is there later: what adapters have said before is not said again.
struct TrackerTakingUpTests {
  private static let earlier: Snapshot = {
    var earlier = Snapshot()
    (earlier.queued, earlier.queuedBytes, earlier.firstSequence, earlier.lastSequence) = (1, 100, 7, 7)
    return earlier
  }()

  private func takenUp(
    _ snapshot: Snapshot = .init(), _ change: (inout Configuration) -> Void = { _ in },
    after prepare: (inout Scene) -> Void
  ) -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .manual
        change(&$0)
      })
    scene.isDiskBroken = true
    prepare(&scene)
    _ = scene.tracker.handOver(to: snapshot, at: scene.now)
    scene.isDiskBroken = false
    _ = scene.tracker.takeUp(snapshot, at: scene.now)
    return scene
  }

  /// A cable, or the modem.
  @Test(arguments: [(Network.wired, [7]), (.mobile, [])] as [(Network, [UInt64])])
  func theWayOutIsKnown(_ network: Network, _ sent: [UInt64]) {
    var scene = takenUp(Self.earlier) {
      $0.queue.backlog = .wifi
    } after: { scene in
      scene.post(.networkChanged(network), at: 0)
    }
    var old = Message(
      topic: "t", payload: [], qos: 1, isRetained: false, isEvent: false, time: 1_600_000_000)
    old.sequence = 7
    scene.disk[7] = old
    scene.connect(at: 10)
    #expect(scene.sent.map(\.sequence) == sent)
  }

  @Test func theVehicleIsKnownAndItsParkingGoesOn() {
    var scene = takenUp {
      $0.power.parkedShutdown = 600
    } after: { scene in
      scene.post(.ignition(false), at: 0)
      scene.post(.vehicleVolts(12.4), at: 100)
    }
    let vehicle = scene.tracker.status(at: scene.now).vehicle
    #expect(vehicle.ignition == false && vehicle.volts == 12.4)
    scene.run(until: 1000)
    #expect(scene.halts.first == .parked(seconds: 600))
  }

  /// A person has renamed it, and this start knows it from the file alone.
  @Test func regionAnnouncedUnderAnotherNameIsLeftUnderThatName() throws {
    let home = Scene.home(inside: .unknown)
    var house = home.region
    house.name = "House"
    var known = Snapshot()
    known.regions = [home]
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .manual }, snapshot: known)
    scene.isDiskBroken = true
    var earlier = Snapshot()
    earlier.regions = [.init(region: house, presence: .inside)]
    earlier.entered = [EnteredRegion(region: house, isChanged: false)]
    let effects = scene.tracker.handOver(to: earlier, at: scene.now)
    let writes = effects.flatMap { if case .store(_, let writes) = $0 { writes } else { [StoreWrite]() } }
    let entered = writes.compactMap { if case .entered(let all) = $0 { all } else { nil } }
    #expect(entered.last == [], "nothing is left to be left a second time")
    let left = effects.compactMap { effect -> String? in
      guard case .published(.transition(let transition), _) = effect else { return nil }
      return transition.crossing.word + " " + transition.region.eventName
    }
    #expect(left == ["leave House"])
  }

  @Test func aBeaconThatWasJustLeftIsEnteredByNoStray() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) { $0.beacons.reentryGuard = 120 }
    scene.advert(at: 1)
    scene.run(until: 35)
    var snapshot = Snapshot()
    snapshot.regions = [Scene.beaconRegion()]
    _ = scene.tracker.handOver(to: snapshot, at: scene.now)
    _ = scene.tracker.takeUp(snapshot, at: scene.now)
    scene.advert(at: 55, rssi: -95)
    #expect(scene.story == ["@31 leave Main"])
    #expect(scene.lastReason == "strayBeacon")
    for time in [60.0, 64] { scene.advert(at: time, rssi: -95) }
    #expect(scene.story == ["@31 leave Main", "@64 enter Main"])
  }

  @Test func foundSensorsAreShownAfterTakingUp() {
    var scene = takenUp {
      $0.dashboard.discovery = true
    } after: { scene in
      scene.post(.batteryChanged(Battery(level: 50, state: .unplugged)), at: 0)
      scene.post(.ignition(false), at: 0)
      scene.post(.vehicleVolts(12.4), at: 0)
    }
    scene.connect(at: 10)
    for entity in ["battery", "ignition", "vehicle_volts"] {
      #expect(scene.story.contains("@10 show \(entity)"))
    }
  }
}
