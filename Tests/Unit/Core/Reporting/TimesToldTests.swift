import Model
import Testing
import Timebase

@testable import Core

// behaviour: Times of a location
/// No two locations share a `tst`, and none says another time than it must.
@Suite struct TimesToldTests {
  private func scene(_ change: (inout Configuration) -> Void = { _ in }) -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
        change(&$0)
      }, regions: [Scene.home()])
  }

  private func ask(_ scene: inout Scene, at time: Double, poi: String? = nil) {
    scene.post(.control(.publish(poi: poi), from: 1), at: time)
  }

  @Test func requestsInOneSecondRepeatNoLocationTime() {
    var scene = scene()
    scene.fix(at: 1, 0)
    for tenth in 1...5 { ask(&scene, at: 1 + Double(tenth) / 10) }
    scene.fix(at: 2, 5)
    scene.fix(at: 3, 5)
    #expect(scene.locationTimes == [1, 2, 3])
    #expect(scene.answers.count == 5)
    #expect(scene.answers.allSatisfy { if case .done = $0 { true } else { false } })
    #expect(scene.story.filter { $0.hasSuffix("loc(u)") }.count == 1, "\(scene.story)")
  }

  /// A remark is not lost in silence.
  @Test func aRemarkThatFindsNoSecondIsRefused() {
    var scene = scene()
    scene.fix(at: 1, 0)
    ask(&scene, at: 1.1, poi: "a")
    ask(&scene, at: 1.2, poi: "b")
    guard case .failed = scene.answers.last else {
      Issue.record("the second remark is told with a time that was told")
      return
    }
    #expect(scene.locationTimes == [1, 2])
  }

  /// Each of them changes the regions that the board is inside of: the last location has to say all of them.
  @Test func crossingsInOneSecondGetDistinctTimes() {
    var scene = Scene.withBeacons([
      Scene.beaconRegion("A", major: 1), Scene.beaconRegion("B", major: 2), Scene.beaconRegion("C", major: 3),
    ])
    scene.fix(at: 1, 0)
    for major in 1...3 { scene.advert(at: 1 + Double(major) / 10, major: UInt16(major)) }
    scene.run(until: 5)
    let times = scene.locationTimes
    #expect(Set(times).count == times.count && times.allSatisfy { $0 <= 3 })
    #expect(scene.lastLocation?.inside.count == 3)
    #expect(scene.reports.count { if case .transition = $0.report { true } else { false } } == 3)
    #expect(scene.withheld.contains { $0.reason.word == "sameTime" })
  }

  @Test func twentyThousandOccasionsShareNoSecond() {
    var random = SystemRandomNumberGenerator()
    var scene = scene { $0.reports.ping = 1 }
    var time = 0.0
    for _ in 0..<20_000 {
      time += Double(Int.random(in: 1...40, using: &random)) / 20
      switch Int.random(in: 0...9, using: &random) {
      case 0...1: ask(&scene, at: time)
      case 2: scene.post(.brokerConnected(receiveMaximum: nil), at: time)
      case 3: time += Double(Int.random(in: 0...200, using: &random))
      default: scene.fix(at: time, Double(Int.random(in: -200...200, using: &random)))
      }
    }
    let times = scene.locationTimes
    #expect(times.count > 1000 && Set(times).count == times.count)
    let isAhead = scene.reports.contains { at, report in
      guard case .location(let location) = report else { return false }
      return location.time.seconds > Scene.start + at + 1.5
    }
    #expect(!isAhead)
  }

  // MARK: Old places

  @Test func anOldPlaceSaysNothingOfTheWayAndKeepsItsTime() {
    var scene = scene { $0.reports.ping = 15 }
    for second in 0...10 { scene.fix(at: Double(second), 0, speed: 20) }
    ask(&scene, at: 39)
    #expect(scene.lastLocation?.fix.speed == 20 && scene.lastLocation?.fix.accuracy == 5)
    ask(&scene, at: 50)
    #expect(scene.lastLocation?.fix.speed == nil && scene.lastLocation?.fix.accuracy == 45)
    scene.run(until: 4000)
    guard let ping = scene.lastLocation else { return }
    #expect(ping.trigger == .ping && ping.fix.speed == nil && ping.fix.course == nil)
    #expect(ping.fix.accuracy == 1005 && ping.time.seconds < Scene.start + 20)
    #expect(ping.created.map { $0.seconds > Scene.start + 3000 } == true)
    // What is measured afterwards is told as it is.
    scene.fix(at: 4001, 0, speed: 20)
    #expect(scene.lastLocation?.fix.speed == 20 && scene.lastLocation?.fix.accuracy == 5)
    #expect(scene.lastLocation?.time.seconds == Scene.start + 4001)
  }

  // behaviour: Ping
  /// Stays are made of pings: while the fix is good they bear its time.
  @Test func aPingOfAPresentPlaceHasItsTime() {
    var scene = scene {
      $0.reports.monitoring = .significant
      $0.reports.ping = 15
    }
    for second in 0...3000 { scene.fix(at: Double(second), 0) }
    #expect(scene.story.suffix(3) == ["@900 loc(p)", "@1800 loc(p)", "@2700 loc(p)"])
    #expect(scene.locationTimes.allSatisfy { $0 % 900 == 0 || $0 % 900 == 899 })
    #expect(scene.lastLocation?.fix.accuracy == 5)
  }

  @Test func aSecondOfAnOldPlaceIsNotUsedAgainAfterAPowerCut() {
    var scene = scene { $0.reports.ping = 1 }
    scene.fix(at: 0, 0)
    scene.run(until: 200)
    var snapshot = Snapshot()
    for write in scene.writes {
      if case .reference(let fix) = write { snapshot.reference = fix }
      if case .position(let fix) = write { snapshot.position = fix }
    }
    var next = Scene(snapshot: snapshot)
    next.post(.control(.publish(poi: nil), from: 1), at: 300)
    #expect(next.locationTimes.allSatisfy { !scene.locationTimes.contains($0) && $0 < 60 })
    #expect(next.reports.count == 1)
  }
}
