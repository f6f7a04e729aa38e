import Model
import Testing

// behaviour: When the fix is lost
/// The last place, once, when the receiver loses its fix.
@Suite struct FixLossTests {
  private func scene(
    _ mode: MonitoringMode = .move, _ change: (inout Configuration) -> Void = { _ in }
  ) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = mode
        change(&$0)
      })
  }

  /// One fix a second at `speed`, eastwards from where it is.
  private func drive(
    _ scene: inout Scene, from start: Double, for seconds: Int, at speed: Double, east: inout Double,
    accuracy: Double = 5
  ) {
    for second in 0...seconds {
      scene.fix(at: start + Double(second), east, accuracy: accuracy, speed: speed)
      if second < seconds { east += speed }
    }
  }

  private func losses(_ scene: Scene) -> [(at: Double, location: LocationReport)] {
    scene.reports.compactMap { at, report in
      guard case .location(let location) = report, location.created != nil, location.fix.speed == nil else {
        return nil
      }
      return (at, location)
    }
  }

  @Test func fixLossPublishesLastPositionOnce() {
    var scene = scene()
    var east = 0.0
    drive(&scene, from: 0, for: 42, at: 20, east: &east)
    scene.run(until: 290)
    #expect(scene.story.suffix(2) == ["@40 loc(-)", "@62 loc(-)"])
    #expect(scene.locationTimes.last == 42)
    let location = scene.lastLocation
    #expect(location?.fix.speed == nil && location?.fix.course == nil && location?.fix.accuracy == 25)
    #expect(location?.created?.seconds == Scene.start + 62)
    #expect(scene.tracker.journal.entries.last { $0.isPublished }?.reason == .fixLost(seconds: 20))
  }

  @Test func gpsdMayBeGoneAsWell() {
    var scene = scene()
    var east = 0.0
    drive(&scene, from: 0, for: 42, at: 20, east: &east)
    scene.post(.sourceReached("gpsd", false), at: 43)
    scene.run(until: 100)
    #expect(scene.locationTimes.last == 42)
  }

  @Test func fiftyTunnels() {
    for mode in [MonitoringMode.move, .significant] {
      var chance = Chance(59)
      var scene = scene(mode)
      var (time, east) = (0.0, 0.0)
      var held = 0
      for _ in 0..<50 {
        let speed = chance.between(8, 35)
        // In significant mode what comes within two minutes of the last one waits.
        let before = Int(chance.between(16, 90)) + (mode == .move ? 0 : 90)
        drive(&scene, from: time, for: before, at: speed, east: &east)
        let lost = time + Double(before)
        let dark = chance.between(30, 280)
        scene.run(until: lost + dark)
        let told = losses(scene).filter { $0.at > lost }
        let isRight =
          told.count == 1 && told[0].at <= lost + 30
          && told[0].location.fix.coordinate == Scene.place(east, 0)
          && (0...1).contains(told[0].location.time.seconds - Scene.start - lost.rounded(.down))
        time = (lost + dark).rounded(.up)
        east += speed * (time - lost)
        scene.fix(at: time, east, accuracy: 15, speed: speed)
        let isBack = scene.reports.last?.at == time && scene.lastLocation?.fix.speed == speed
        held += isRight && isBack ? 1 : 0
        time += 1
        east += speed
      }
      #expect(held == 50, "\(mode)")
      #expect(Set(scene.locationTimes).count == scene.locationTimes.count)
      #expect(scene.locationTimes == scene.locationTimes.sorted())
    }
  }

  /// Home, down the ramp at walking pace, and the fix goes on the way.
  @Test func anUndergroundGarage() {
    var scene = scene(.significant)
    var east = 0.0
    drive(&scene, from: 0, for: 200, at: 15, east: &east)
    drive(&scene, from: 201, for: 40, at: 2, east: &east)
    scene.run(until: 40_000)
    #expect(scene.story == ["@0 loc(-)", "@261 loc(-)"] && scene.locationTimes == [0, 241])
  }

  /// Significant mode would wait for the rest of its five minutes with the old place on the map.
  @Test func regainedFixIsPublishedWithinSeconds() {
    var scene = scene(.significant)
    var east = 0.0
    drive(&scene, from: 0, for: 360, at: 15, east: &east)
    scene.run(until: 440)
    #expect(scene.story == ["@0 loc(-)", "@300 loc(-)", "@380 loc(-)"])
    scene.fix(at: 440, east + 90, speed: 15)
    scene.fix(at: 441, east + 105, speed: 15)
    scene.fix(at: 442, east + 120, speed: 15)
    scene.fix(at: 443, east + 900, speed: 15)
    #expect(scene.story.dropFirst(3) == ["@442 loc(-)"])
    #expect(scene.locationTimes.last == 442)
    #expect(scene.lastLocation?.fix.coordinate == Scene.place(east + 120, 0))
    #expect(scene.tracker.journal.entries.last { $0.isPublished }?.reason.word == "fixBack")
  }

  @Test func intermittentParkedReceiverReportsNoLoss() {
    for mode in [MonitoringMode.move, .significant] {
      var scene = scene(mode) { $0.reports.locatorInterval = 0 }
      var chance = Chance(7)
      for round in 0..<200 {
        for second in 0..<40 {
          let noise = (chance.spread() * 15, chance.spread() * 15)
          scene.fix(
            at: Double(round * 65 + second), noise.0, noise.1, accuracy: 12, speed: chance.part() * 0.4)
        }
      }
      #expect(losses(scene).isEmpty)
    }
  }

  @Test func fixLossesInCityAreRateLimited() {
    for (mode, most) in [(MonitoringMode.move, 80), (.significant, 30)] {
      var scene = scene(mode)
      var (time, east) = (0.0, 0.0)
      var chance = Chance(11)
      while time < 3600 {
        let seconds = Int(chance.between(2, 45))
        drive(&scene, from: time, for: seconds, at: 9, east: &east)
        time += Double(seconds) + chance.between(3, 40).rounded(.up)
      }
      let told = losses(scene).map(\.at)
      #expect(!told.isEmpty && told.count <= most)
      let gaps = zip(told, told.dropFirst()).map { $1 - $0 }
      #expect(gaps.allSatisfy { $0 >= (mode == .move ? 45 : 120) })
    }
  }

  /// The car is in the garage, and a moment before it was in a street canyon.
  @Test func fixLossTooSoonIsReportedLater() {
    var scene = scene(.significant)
    var east = 0.0
    drive(&scene, from: 0, for: 40, at: 10, east: &east)
    drive(&scene, from: 80, for: 40, at: 10, east: &east)
    scene.run(until: 1000)
    #expect(losses(scene).map(\.at) == [60, 180])
    #expect(scene.locationTimes.last == 120)
  }

  @Test func lossOfJustPublishedFixGetsNextSecond() {
    var scene = scene()
    var east = 0.0
    drive(&scene, from: 0, for: 40, at: 20, east: &east)
    scene.run(until: 100)
    #expect(scene.locationTimes.suffix(2) == [40, 41])
  }

  @Test func neitherAsPeopleWantItNorInOtherModes() {
    for (mode, isOn) in [(MonitoringMode.move, false), (.manual, true), (.quiet, true)] {
      var scene = scene(mode) { $0.reports.fixLoss = isOn }
      var east = 0.0
      drive(&scene, from: 0, for: 43, at: 20, east: &east)
      scene.run(until: 200)
      #expect(losses(scene).isEmpty)
    }
  }

  @Test func aReceiverThatReportsRarelyOrRestsHasLostNothing() {
    var rare = scene()
    for minute in 0..<20 { rare.fix(at: Double(minute) * 30, Double(minute) * 500, speed: 16) }
    #expect(losses(rare).isEmpty)
    var broken = scene()
    var way = 0.0
    drive(&broken, from: 0, for: 40, at: 20, east: &way)
    drive(&broken, from: 55, for: 3, at: 20, east: &way)
    broken.run(until: 200)
    #expect(losses(broken).isEmpty)
    var resting = scene(.significant) { $0.receiver.dutyCycle = 600 }
    var east = 0.0
    drive(&resting, from: 0, for: 9, at: 20, east: &east, accuracy: 80)
    drive(&resting, from: 10, for: 35, at: 20, east: &east, accuracy: 5)
    resting.run(until: 300)
    #expect(resting.receiver == [false] && losses(resting).isEmpty)
  }

  @Test func distanceAndTimeAreMeasuredFromTheLocationBefore() {
    var scene = scene()
    var east = 0.0
    drive(&scene, from: 0, for: 42, at: 20, east: &east)
    scene.run(until: 340.5)
    // The interval counts from the location at 40, and is overdue with a place that is known.
    scene.fix(at: 341, east + 5, speed: 0)
    #expect(scene.story.suffix(2) == ["@62 loc(-)", "@341 loc(t)"])
  }
}
