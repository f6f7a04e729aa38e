import Core
import Model
import Testing

// behaviour: Ranging
@Suite struct BeaconRangingTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)]) {
      $0.beacons.ranging = true
      change(&$0)
    }
    scene.fix(at: 0, 0)
    return scene
  }

  private func told(_ scene: Scene) -> [BeaconReport] {
    scene.reports.compactMap { if case .beacon(let beacon) = $0.report { beacon } else { nil } }
  }

  @Test func firstRangingReadingIsPublished() throws {
    var scene = scene()
    scene.advert(at: 10)
    let report = try #require(told(scene).first)
    #expect(report.rssi == -65 && report.region == "Main" && report.beacon.minor == 6)
    #expect((report.distance - 1.995).magnitude < 0.01)
    #expect(report.time.wholeSeconds == 1_700_000_010)
  }

  @Test func aTenthMoreIsNoNewsAndAThirdIs() {
    var scene = scene()
    for second in 10...20 { scene.advert(at: Double(second), rssi: -65) }
    for second in 21...60 { scene.advert(at: Double(second), rssi: -66) }
    #expect(told(scene).count == 1)
    for second in 61...90 { scene.advert(at: Double(second), rssi: -68) }
    #expect(told(scene).count == 2)
  }

  @Test func aJumpIsSmoothed() {
    var scene = scene()
    for second in 10...20 { scene.advert(at: Double(second), rssi: -65) }
    scene.advert(at: 21, rssi: -85)
    // 0.3 of the 20 dB, not all of them.
    #expect(((told(scene).last?.distance ?? 0) - 3.98).magnitude < 0.01)
  }

  @Test func manyPacketsASecondAreOneReading() {
    var scene = scene()
    for tenth in 100...200 { scene.advert(at: Double(tenth) / 10, rssi: tenth % 2 == 0 ? -60 : -90) }
    #expect(told(scene).count > 1)
    #expect(told(scene).dropFirst().allSatisfy { (-76 ... -74).contains($0.rssi) })
  }

  @Test func messagesKeepTheirDistanceInTime() {
    var scene = scene { $0.beacons.rangingMinInterval = 30 }
    for second in 10...39 { scene.advert(at: Double(second), rssi: second < 12 ? -60 : -90) }
    #expect(told(scene).count == 1)
    for second in 40...45 { scene.advert(at: Double(second), rssi: -90) }
    #expect(told(scene).count == 2)
  }

  @Test func beaconIsNotRangedOutsideItsRegion() {
    var scene = scene { $0.beacons.enterRssi = -50 }
    scene.run(until: 60)
    for second in 61...70 { scene.advert(at: Double(second)) }
    #expect(told(scene).isEmpty)
  }

  @Test func afterALeaveADistanceIsNewsAgain() {
    var scene = scene()
    scene.advert(at: 10)
    scene.advert(at: 100)
    #expect(told(scene).count == 2)
  }

  @Test func aReadingWithoutStrengthIsNone() {
    var scene = scene()
    scene.advert(at: 10, rssi: nil)
    #expect(told(scene).isEmpty)
  }

  @Test func anUnsharedRegionHasNoName() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside, isShared: false)]) {
      $0.beacons.ranging = true
    }
    scene.advert(at: 10)
    #expect(told(scene).count == 1 && told(scene).first?.region == nil)
  }

  @Test func withoutAConnectionNothingIsQueued() {
    var scene = scene()
    scene.post(.brokerLost(), at: 1)
    scene.advert(at: 10)
    #expect(told(scene).isEmpty)
    #expect(scene.lastReason == "notConnected")
  }

  @Test func quietSaysNothing() {
    var scene = scene { $0.reports.monitoring = .quiet }
    scene.advert(at: 10)
    #expect(told(scene).isEmpty)
  }

  @Test func switchedOffByDefault() {
    var scene = Scene.withBeacons([Scene.beaconRegion(inside: .inside)])
    scene.advert(at: 10)
    #expect(told(scene).isEmpty)
  }
}
