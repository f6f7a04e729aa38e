import Core
import Glibc
import Model
import Testing

// behaviour: Enter and leave
/// Days of radio with its losses, from seeds. `HOMEWARD_LONG_RUNS=20` plays twenty times as many.
@Suite struct BeaconLongRunTests {
  private var scale: Int { getenv("HOMEWARD_LONG_RUNS").flatMap { Int(String(cString: $0)) } ?? 1 }

  /// One transmitter: every `interval` seconds and a little, and of each packet the radio misses a share.
  private func transmit(
    from start: Double, until end: Double, interval: Double, loss: Double, _ scene: inout Scene,
    _ dice: inout Dice, rssi: ClosedRange<Int> = -70 ... -60
  ) -> Double {
    var time = start
    var last = start
    while time < end {
      if dice.next() >= loss {
        scene.advert(at: time, rssi: Int8(dice.whole(rssi)))
        last = time
      }
      // The standard's own jitter, up to 10 ms.
      time += interval + dice.next() * 0.01
    }
    return last
  }

  private func scene(
    _ regions: [Snapshot.KnownRegion] = [Scene.beaconRegion()], lossTimeout: Int = 0
  ) -> Scene {
    Scene.withBeacons(regions) {
      $0.beacons.lossTimeout = lossTimeout
      $0.beacons.reentryGuard = 120
    }
  }

  private func leaves(_ scene: Scene) -> [Double] { crossings(.leave, scene) }

  /// A bad channel for a day: no leave, and the real one within 45 s.
  @Test func halfOfADaysPacketsLostIsNoLeave() {
    for seed in 1...(2 * scale) {
      var dice = Dice(seed: UInt64(seed))
      var scene = scene()
      let last = transmit(from: 10, until: 86_400, interval: 1, loss: 0.5, &scene, &dice)
      #expect(leaves(scene).isEmpty, "seed \(seed)")
      scene.run(until: last + 400)
      let wait = (leaves(scene).first ?? .infinity) - last
      #expect(wait <= 45, "seed \(seed): left after \(wait) s")
    }
  }

  /// Ten minutes without the radio, again and again, at any moment.
  @Test func outagesAreNoLeaves() {
    var dice = Dice(seed: 32)
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    var time = 1.0
    for _ in 1...(20 * scale) {
      let last = transmit(
        from: time, until: time + 60 + dice.next() * 60, interval: 1, loss: 0.5, &scene, &dice)
      scene.scanner(at: last + dice.next() * 5, isHearing: false)
      time = last + 605
      scene.scanner(at: time, isHearing: true)
      time += dice.next() * 2
    }
    #expect(leaves(scene).isEmpty)
  }

  /// At the edge of what counts as near, fading moves nobody in and out.
  @Test func fadingAtTheThresholdIsOneTransitionADay() {
    for seed in 1...scale {
      var dice = Dice(seed: UInt64(seed))
      var scene = Scene.withBeacons([Scene.beaconRegion()]) {
        $0.beacons.lossTimeout = 0
        $0.beacons.enterRssi = -85
        $0.beacons.leaveRssi = -91
      }
      _ = transmit(from: 10, until: 86_400, interval: 1, loss: 0, &scene, &dice, rssi: -96 ... -80)
      let transitions = crossings(.enter, scene).count + leaves(scene).count
      #expect(transitions <= 1, "seed \(seed): \(transitions)")
    }
  }

  /// More than 300 s of silence happen to such a beacon 2.5 times a month by chance alone (0.7^29 of 78,000 gaps).
  @Test func aSlowBeaconOnABadChannelIsRarelyLost() {
    var lost = 0
    for seed in 1...scale {
      var dice = Dice(seed: UInt64(seed))
      var scene = scene()
      _ = transmit(from: 10, until: 30 * 86_400, interval: 10, loss: 0.7, &scene, &dice)
      lost += leaves(scene).count
    }
    #expect(lost <= 5 * scale, "\(lost) false leaves in \(scale) months")
    if scale > 1 { print("\(lost) false leaves in \(scale) months of 10 s at 70 % loss") }
  }

  /// More than 400 s happen 0.07 times a month.
  @Test func aTimeOutOfItsOwnKeepsASlowBeaconOnABadChannel() {
    for seed in 1...scale {
      var dice = Dice(seed: UInt64(seed))
      var scene = scene(lossTimeout: 400)
      let last = transmit(from: 10, until: 30 * 86_400, interval: 10, loss: 0.7, &scene, &dice)
      #expect(leaves(scene).count <= 1, "seed \(seed)")
      scene.run(until: last + 410)
      #expect(leaves(scene).last.map { $0 - last < 401 } == true, "seed \(seed): not left")
    }
  }

  /// Stray packets for up to two minutes after each leave, at most two within ten seconds; half of
  /// the arrivals come while a leave is still fresh.
  @Test func departuresWithStraysAreNoReturns() {
    var dice = Dice(seed: 27)
    var scene = scene()
    var time = 10.0
    for departure in 1...(100 * scale) {
      scene.reports = []
      _ = transmit(from: time, until: time + 60, interval: 1, loss: 0, &scene, &dice)
      let wait = (crossings(.enter, scene).first ?? .infinity) - time
      #expect(wait <= 3, "departure \(departure): entered after \(wait) s")
      time += 60
      while crossings(.leave, scene).isEmpty, time < 1e9 {
        time += 1
        scene.run(until: time)
      }
      let end = time + 30 + dice.next() * 88
      while true {
        let next = time + 5.5 + dice.next() * 40
        guard next < end else { break }
        time = next
        scene.advert(at: time, rssi: Int8(dice.whole(-98 ... -85)))
      }
      #expect(crossings(.enter, scene).count == 1, "departure \(departure): a stray entered")
      time += 11 + (dice.next() < 0.5 ? 0 : 120)
    }
    // Absences and strays are no gaps of the beacon.
    #expect((scene.tracker.beacons(at: scene.now).first?.lossTimeout ?? .zero) <= .seconds(45))
  }

  private func crossings(_ crossing: Crossing, _ scene: Scene) -> [Double] {
    scene.reports.compactMap { at, report in
      if case .transition(let transition) = report, transition.crossing == crossing { at } else { nil }
    }
  }
}
