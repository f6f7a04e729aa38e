import Core
import Model
import Testing

@Suite struct BeaconStatusTests {
  @Test func aRegionWithoutABeaconIsALineToo() throws {
    let scene = Scene.withBeacons([Scene.beaconRegion()])
    let line = try #require(scene.tracker.beacons(at: scene.now).first)
    #expect(line.region == "Main" && line.beacon == nil && !line.isInside)
  }

  @Test func aHeardBeaconHasItsNumbers() throws {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    for second in 1...20 { scene.advert(at: Double(second)) }
    scene.run(until: 25)
    let line = try #require(scene.tracker.beacons(at: scene.now).first)
    #expect(line.beacon?.minor == 6 && line.rssi == -65 && line.isInside && line.hints.isEmpty)
    #expect(line.age == .seconds(5) && line.lossTimeout == .seconds(30))
    #expect(((line.distance ?? 0) - 1.995).magnitude < 0.01)
  }

  // behaviour: status and doctor
  /// Inside of a region whose beacon was "never" heard nobody is.
  @Test func aBeaconIsShownUnderEachRegionThatItBelongsTo() {
    var scene = Scene.withBeacons([Scene.beaconRegion("All"), Scene.beaconRegion("One", major: 5, minor: 6)])
    scene.advert(at: 1)
    scene.advert(at: 2, minor: 7)
    let lines = scene.tracker.beacons(at: scene.now)
    #expect(lines.map(\.region) == ["All", "All", "One"])
    #expect(Set(lines.prefix(2).compactMap { $0.beacon?.minor }) == [6, 7])
    #expect(lines.last?.beacon?.minor == 6 && lines.last?.age == .seconds(1))
  }

  @Test func theLearnedTimeoutIsShown() throws {
    var scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.lossTimeout = 0 }
    for step in 1...100 { scene.advert(at: Double(step) * 5) }
    let line = try #require(scene.tracker.beacons(at: scene.now).first)
    #expect(line.lossTimeout > .seconds(60) && line.lossTimeout < .seconds(120))
  }

  /// One gap in two hundred is 20 s long: rare ones count, not the mean, and they are not forgotten at once.
  @Test(arguments: [3000, 8300])
  func theTimeoutIsAboutRareGaps(packets: Int) throws {
    var scene = Scene.withBeacons([Scene.beaconRegion()]) { $0.beacons.lossTimeout = 0 }
    var time = 0.0
    for packet in 1...packets {
      time += packet % 200 == 0 ? 20 : 1
      scene.advert(at: time)
    }
    let line = try #require(scene.tracker.beacons(at: scene.now).first)
    #expect(line.lossTimeout >= .seconds(50) && line.lossTimeout <= .seconds(65))
  }

  @Test func unfitBeaconsHaveHints() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    for step in 1...100 {
      scene.advert(at: Double(step) * 3, minor: 1, rssi: -60)
      scene.advert(at: Double(step) * 3 + 1, minor: 2, rssi: -95)
      for tenth in 1...3 { scene.advert(at: Double(step) * 3 + 1 + Double(tenth) / 2, minor: 3, rssi: -96) }
    }
    let hints = scene.tracker.beacons(at: scene.now).map(\.hints)
    #expect(hints == [[.slow(seconds: 3)], [.slow(seconds: 3), .weak(rssi: -95)], [.weak(rssi: -96)]])
  }

  /// Ten packets at least, and below -90 dBm.
  @Test(
    arguments: [(9, -95, []), (10, -95, [.weak(rssi: -95)]), (10, -90, []), (10, -91, [.weak(rssi: -91)])]
      as [(Int, Int8, [BeaconHint])])
  func aWeakBeaconIsOneOfTenWeakPackets(packets: Int, rssi: Int8, hints: [BeaconHint]) {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    for second in 1...packets { scene.advert(at: Double(second), rssi: rssi) }
    #expect(scene.tracker.beacons(at: scene.now).map(\.hints) == [hints])
  }

  /// Two seconds are not slow yet.
  @Test(arguments: [(2, []), (2.25, [.slow(seconds: 2.25)])] as [(Double, [BeaconHint])])
  func moreThanTwoSecondsAreSlow(gap: Double, hints: [BeaconHint]) {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    for packet in 1...10 { scene.advert(at: Double(packet) * gap) }
    #expect(scene.tracker.beacons(at: scene.now).map(\.hints) == [hints])
  }

  /// The nine gaps between ten packets; five minutes away from it are none.
  @Test(
    arguments: [(9, 0, []), (10, 0, [.slow(seconds: 3)]), (10, 300, []), (11, 300, [.slow(seconds: 3)])]
      as [(Int, Double, [BeaconHint])])
  func aSlowBeaconIsOneOfNineLongGaps(packets: Int, absence: Double, hints: [BeaconHint]) {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    for packet in 1...packets { scene.advert(at: Double(packet) * 3 + (packet > 5 ? absence : 0)) }
    #expect(scene.tracker.beacons(at: scene.now).map(\.hints) == [hints])
  }

  /// As many beacons as are remembered, under five regions: 640 would be.
  @Test func noMoreThanFiveHundredAndTwelveLinesAreShown() {
    var scene = Scene.withBeacons((1...5).map { Scene.beaconRegion("Part \($0)") })
    for minor in 1...128 { scene.advert(at: Double(minor) / 10, minor: UInt16(minor)) }
    let lines = scene.tracker.beacons(at: scene.now)
    #expect(lines.count == 512 && Set(lines.map(\.region)).count == 4)
  }

  /// Random numbers under a wildcard cost a bounded memory, and the beacon that is always there stays.
  @Test func aFloodOfBeaconsIsForgottenAgain() {
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    for second in 1...10 { scene.advert(at: Double(second)) }
    for tenth in 101...3000 { scene.advert(at: Double(tenth) / 10, major: UInt16(1000 + tenth)) }
    let lines = scene.tracker.beacons(at: scene.now)
    #expect(lines.count == 128)
    #expect(lines.contains { $0.beacon?.major == 5 })
  }

  /// Which hears nothing before it has said that it does.
  @Test func statusShowsScannerState() {
    let new = Scene(regions: [Scene.beaconRegion()])
    #expect(!new.tracker.status(at: new.now).scanner.isHearing)
    var scene = Scene.withBeacons([Scene.beaconRegion()])
    #expect(scene.tracker.status(at: scene.now).scanner.isHearing)
    scene.scanner(at: 1, isHearing: false)
    let status = scene.tracker.status(at: scene.now)
    #expect(status.scan.duty == 100 && !status.scanner.isHearing)
  }
}
