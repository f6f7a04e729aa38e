import Core
import Model
import Testing
import Timebase

/// How often a day in which nothing happens wakes the process for what is decided: in each state the purposes are named,
/// and how often each may be. What adapters need (keepalive, gauges) comes on top of it and is counted by the measure
/// tier.
@Suite struct IdleDayTests {
  private struct Day: Hashable {
    var wakeUps: Int
    var purposes: [Purpose: Int]

    init(_ wakeUps: Int, _ purposes: [Purpose: Int]) { (self.wakeUps, self.purposes) = (wakeUps, purposes) }
  }

  /// A day that begins an hour after the last thing that happened.
  private func day(_ scene: Scene) -> Day {
    var scene = scene
    let start = scene.time + 3600
    scene.run(until: start)
    (scene.wakeUps, scene.purposes) = (0, [:])
    scene.run(until: start + 86_400)
    return Day(scene.wakeUps, scene.purposes)
  }

  /// Connected, with a place and a receiver that has fallen silent.
  private func parked(
    _ mode: MonitoringMode, _ regions: [Snapshot.KnownRegion] = [],
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    var scene = Scene.inMode(mode, regions) {
      ($0.reports.ping, $0.reports.significantWindow) = (15, 60)
      change(&$0)
    }
    scene.connect()
    for second in 1...60 { scene.fix(at: Double(second), 0) }
    return scene
  }

  @Test(arguments: [
    (MonitoringMode.quiet, [:]), (.manual, [:]), (.significant, [Purpose.ping: 96]), (.move, [.ping: 96]),
  ])
  func aModeWakesForItsPings(_ mode: MonitoringMode, _ purposes: [Purpose: Int]) {
    let usual = Day(purposes.values.reduce(0, +), purposes)
    #expect(day(parked(mode)) == usual)
    // With trips, guards, a network that has gone, or after a person has asked for a location it is no more.
    let guarded = parked(mode) {
      ($0.journey.trips, $0.journey.towAlarm, $0.journey.anchorAlarm) = (true, 100, 60)
    }
    #expect(day(guarded) == usual)
    var scene = parked(mode)
    scene.post(.networkChanged(.none), at: 70)
    #expect(day(scene) == usual)
    scene = parked(mode)
    scene.post(.control(.publish(poi: nil, image: nil), from: 1), at: 70)
    #expect(day(scene) == usual)
  }

  @Test func withoutAFixThereIsNothingToWakeFor() {
    #expect(day(Scene.inMode(.move) { $0.reports.ping = 15 }) == Day(0, [:]))
  }

  /// Its rest of ten minutes, and a look of a minute at most.
  @Test func aReceiverThatRestsWakesTwiceACycle() {
    let resting: [Purpose: Int] = [.receiverWake: 131, .receiverRest: 131]
    #expect(day(parked(.manual) { $0.receiver.dutyCycle = 600 }) == Day(262, resting))
    // Some pings come with a look.
    let pinging = resting.merging([.ping: 96]) { one, _ in one }
    #expect(day(parked(.significant) { $0.receiver.dutyCycle = 600 }) == Day(340, pinging))
  }

  @Test func batteriesAreReadRarelyWhileTheReceiverRests() {
    var scene = parked(.manual) { ($0.receiver.dutyCycle, $0.power.vehicleBatteryLow) = (600, 12) }
    scene.post(.vehicleVolts(12.6), at: 61)
    scene.run(until: 130)
    #expect(scene.tracker.mayReadRarely)
    // Low: it has to last, and so the next reading is waited for.
    scene.post(.vehicleVolts(11.8), at: 140)
    #expect(!scene.tracker.mayReadRarely)
    scene.post(.vehicleVolts(12.2), at: 160)
    #expect(scene.tracker.mayReadRarely)
    #expect(!parked(.manual).tracker.mayReadRarely, "the receiver is on")
  }

  @Test func aWordOfLifeComesInItsInterval() {
    #expect(day(parked(.manual) { $0.dashboard.availability = true }) == Day(0, [:]))
    let hourly = parked(.manual) { ($0.dashboard.availability, $0.dashboard.statusInterval) = (true, 3600) }
    #expect(day(hourly) == Day(24, [.announcement: 24]))
    // Home Assistant was not heard to start, and forgets a board that is silent.
    let shown = parked(.manual) { ($0.dashboard.availability, $0.dashboard.discovery) = (true, true) }
    #expect(day(shown) == Day(144, [.announcement: 144]))
  }

  @Test func locationsThatWaitForCompanyAreWrittenOnceEach() {
    let batched = parked(.significant) { $0.queue.batchSeconds = 3600 }
    #expect(day(batched) == Day(192, [.ping: 96, .batch: 20, .groupCommit: 96]))
  }

  // MARK: What is out of order

  @Test func aServerThatIsAwayOrMuteWakesNothingByItself() {
    var scene = parked(.significant)
    scene.post(.brokerLost(), at: 70)
    scene.isConnected = false
    #expect(day(scene) == Day(192, [.ping: 96, .groupCommit: 96]), "away")
    scene = parked(.significant)
    scene.acknowledges = false
    #expect(day(scene) == Day(192, [.ping: 96, .groupCommit: 96]), "mute")
  }

  @Test func aDiskThatFailsIsTriedAgainInTenSeconds() {
    var scene = parked(.significant)
    scene.isDiskBroken = true
    #expect(day(scene) == Day(8640, [.ping: 96, .storeRetry: 8640]))
    scene = parked(.significant)
    scene.isDiskSlow = true
    #expect(day(scene) == Day(192, [.ping: 96, .history: 96]))
  }

  @Test func aTopicThatIsTurnedAwayIsTriedAgainMoreAndMoreRarely() {
    var scene = parked(.manual)
    scene.acknowledges = false
    scene.post(.control(.publish(poi: nil, image: nil), from: 1), at: 70)
    let sequence = scene.sent.last?.sequence ?? 0
    scene.post(.postponed(sequence), at: 71)
    var times: [Double] = []
    while scene.time < 86_400, let last = scene.sent.last, times.count < 400 {
      let before = scene.sent.count
      scene.run(until: scene.time + 1)
      if scene.sent.count > before {
        times.append(scene.time)
        scene.post(.postponed(last.sequence), at: scene.time)
      }
    }
    #expect(times.first.map { (80...83).contains($0) } == true)
    #expect((200...400).contains(times.count), "\(times.count) times")
    #expect(scene.wakeUps <= times.count + 60)
  }

  @Test func aBoardThatIsNotSwitchedOffAsksAgainEachTenMinutes() {
    var scene = parked(.significant) { $0.power.parkedShutdown = 600 }
    scene.post(.ignition(true), at: 70)
    scene.post(.ignition(false), at: 100)
    #expect(day(scene) == Day(240, [.halt: 144, .ping: 96]))
  }

  // MARK: Beacons

  @Test func beaconsThatAreNotHeardWakeNothing() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    #expect(day(scene) == Day(0, [:]), "never heard")
    scene.advert(at: 1)
    #expect(day(scene) == Day(0, [:]), "lost")
    scene = parked(.manual, [Scene.home(), Scene.beaconRegion()])
    scene.scanner(at: 70, isHearing: true)
    #expect(day(scene) == Day(0, [:]), "at home")
  }
}
