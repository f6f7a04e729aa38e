import Model
import Testing
import Timebase

@testable import Core

// behaviour: Clock
@Suite struct ReceiverClockTests {
  /// 2027-01-15, within what this program believes without a clock.
  private let plausible = 1_800_000_000.0

  private func untrusted() -> Scene {
    var scene = Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.reports.locatorDisplacement = 0
      })
    scene.hasTrustedClock = false
    return scene
  }

  @Test func withoutAClockThreeSecondsOfFixesAreProofAndNoneIsLost() {
    var scene = untrusted()
    for second in 0...2 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    #expect(scene.story.isEmpty)
    scene.fix(at: 3, 0, claimed: plausible + 3)
    #expect(scene.reports.count == 4)
  }

  /// Told: those of the three seconds that were held back, and the one that proved them.
  @Test(arguments: [
    (1.0, 4), (10, 31), (20, 61), (64.0 / 3, 65), (23, 36), (25, 39), (50, 51), (100, 61), (1000, 65),
  ])
  func howeverFastAReceiverIsItIsBelievedAfterThreeSeconds(rate: Double, told: Int) {
    var clock = ReceiverClock(earliest: ReceiverCalendar.built)
    var count = 0
    for tick in 0...Int(3 * rate) {
      let fix = Fix(
        time: WallTime(seconds: plausible + Double(tick) / rate), coordinate: Scene.place(0, 0), accuracy: 5)
      let now = Moment(instant: .zero + .seconds(Double(tick) / rate), wall: nil)
      guard case .believed(_, let earlier, _) = clock.judge(fix, is3D: true, at: now) else { continue }
      #expect(tick == Int(3 * rate))
      count = earlier.count + 1
    }
    #expect(count == told)
  }

  @Test func aLeapBreaksTheProofOfAFastReceiverToo() {
    var scene = untrusted()
    for tick in 0...50 { scene.fix(at: Double(tick) / 25, 0, claimed: plausible + Double(tick) / 25) }
    for tick in 51...120 {
      scene.fix(at: Double(tick) / 25, 0, claimed: plausible + 5000 + Double(tick) / 25)
    }
    #expect(scene.story.isEmpty)
    for tick in 121...130 {
      scene.fix(at: Double(tick) / 25, 0, claimed: plausible + 5000 + Double(tick) / 25)
    }
    #expect(scene.lastLocation.map { $0.time.seconds > plausible + 5000 } == true)
  }

  @Test func twoDimensionalFixesProveNothing() {
    var scene = untrusted()
    for second in 0...20 { scene.fix(at: Double(second), 0, mode: 2, claimed: plausible + Double(second)) }
    #expect(scene.story.isEmpty)
    #expect(scene.lastReason == "clockUntrusted")
  }

  @Test func aLeapBreaksTheProof() {
    var scene = untrusted()
    scene.fix(at: 0, 0, claimed: plausible)
    scene.fix(at: 1, 0, claimed: plausible + 1)
    scene.fix(at: 2, 0, claimed: plausible + 40_000)
    scene.fix(at: 3, 0, claimed: plausible + 40_001)
    #expect(scene.story.isEmpty)
  }

  @Test func datesOf1024WeeksAgoAreCorrected() {
    var scene = untrusted()
    let rolled = 1_800_000_000.0 - 1024 * 7 * 86_400
    for second in 0...3 { scene.fix(at: Double(second), 0, claimed: rolled + Double(second)) }
    #expect(scene.lastLocation?.time.seconds == 1_800_000_003)
  }

  @Test func datesThatNoRolloverExplainsAreRefused() {
    var scene = untrusted()
    for second in 0...9 { scene.fix(at: Double(second), 0, claimed: 4_000_000_000 + Double(second)) }
    #expect(scene.story.isEmpty)
    #expect(scene.lastReason == "dateRefused")
  }

  @Test func trustedClockRefusesDateDaysAway() {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .move })
    for second in 0...9 { scene.fix(at: Double(second), 0, claimed: Scene.start + 200_000 + Double(second)) }
    #expect(scene.story.isEmpty)
    #expect(scene.lastReason == "dateRefused")
  }

  @Test func secondsOfAWrongDateMoveNoClock() {
    var scene = untrusted()
    for second in 0...5 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    for second in 6...11 { scene.fix(at: Double(second), 0, claimed: plausible + 1e8 + Double(second)) }
    for second in 12...15 { scene.fix(at: Double(second), 0, claimed: plausible + Double(second)) }
    #expect(scene.reports.count == 10)
    #expect(scene.lastLocation?.time.seconds == plausible + 15)
  }

  @Test func aReceiverThatSpeaksOnceAMinuteIsBelievedToo() {
    var scene = untrusted()
    for minute in 0...3 { scene.fix(at: Double(minute) * 60, 0, claimed: plausible + Double(minute) * 60) }
    #expect(scene.reports.count == 4)
  }

  @Test func aTrustedClockUndoesARollover() {
    var scene = Scene(Scene.configuration { $0.reports.monitoring = .move })
    scene.fix(at: 5, 0, claimed: Scene.start + 5 - 1024 * 7 * 86_400)
    #expect(scene.lastLocation?.time.seconds == Scene.start + 5)
  }
}

// behaviour: Jumps
@Suite struct PhysicsGateTests {
  private func scene() -> Scene {
    Scene(
      Scene.configuration {
        $0.reports.monitoring = .move
        $0.regions.physicsGate = true
        $0.reports.locatorInterval = 0
      }, regions: [Scene.home(inside: .inside)])
  }

  @Test func aParkedReceiverThatClaimsTwoMetresLeavesNothing() {
    var scene = scene()
    for second in 0..<10 { scene.fix(at: Double(second), 0, accuracy: 2) }
    for second in 10..<22 { scene.fix(at: Double(second), 200, accuracy: 2) }
    for second in 22..<40 { scene.fix(at: Double(second), 0, accuracy: 2) }
    #expect(scene.story == ["@0 loc(-)"])
    #expect(scene.withheld.contains { $0.reason.word == "implausibleJump" })
  }

  /// A vehicle at 20 m/s, and a jump back along the road: after five seconds it could have been there.
  @Test func aJumpOfAMovingReceiverIsNotBelievedBecauseTimePasses() {
    var scene = scene()
    for second in 0..<40 {
      let error = (10..<22).contains(second) ? -200.0 : 0
      scene.fix(at: Double(second), Double(second) * 20 + error, accuracy: 2, speed: 20)
    }
    let wrong = scene.reports.filter {
      guard case .location(let location) = $0.report else { return false }
      return location.fix.coordinate.distance(to: Scene.place($0.at * 20, 0)) > 1
    }
    #expect(wrong.map(\.at) == [])
    #expect(scene.reports.contains { $0.at == 22 })
  }

  /// Seed 959: the fix of second 14 comes after that of second 16.
  @Test func aLateFixOfAJumpIsNoWayBack() {
    var scene = scene()
    for second in 0..<10 { scene.fix(at: Double(second), Double(second) * 20, accuracy: 2, speed: 20) }
    for (at, second) in [(10, 10), (11, 11), (12, 12), (13, 13), (16, 16), (16.4, 14), (17, 17)] {
      let place = Double(second) * 20 - 200
      scene.fix(at: at, place, accuracy: 2, speed: 20, claimed: Scene.start + Double(second))
    }
    #expect(scene.reports.allSatisfy { $0.at < 10 })
  }

  /// Otherwise every fix would be a late one until the wrong date comes.
  @Test func aDateThatIsSetRightEndsASuspicion() {
    var gate = PhysicsGate()
    func objects(at seconds: Double, _ metres: Double) -> Bool {
      let time = WallTime(seconds: Scene.start + seconds)
      let fix = Fix(time: time, coordinate: Scene.place(metres, 0), accuracy: 2, speed: 0)
      return gate.refusal(of: fix) != nil
    }
    #expect(!objects(at: 86_400, 0))
    #expect(objects(at: 86_401, 500))
    // Seed 7884: late by more than fixes may be apart.
    #expect(objects(at: 86_389, 500))
    #expect(!objects(at: 2, 0))
    #expect(!objects(at: 3, 0))
  }

  @Test func aPlaceThatStandsFifteenSecondsIsBelieved() {
    var scene = scene()
    for second in 0..<10 { scene.fix(at: Double(second), 0, accuracy: 2) }
    for second in 10..<40 { scene.fix(at: Double(second), 200, accuracy: 2) }
    #expect(scene.story.contains("@25 leave Home"))
  }

  @Test func aFastCarIsNoJump() {
    var scene = scene()
    for second in 0..<10 { scene.fix(at: Double(second), Double(second) * 36, accuracy: 3, speed: 36) }
    #expect(scene.story.contains("@4 leave Home"))
  }

  @Test func fixesFarApartAreNotCompared() {
    var scene = scene()
    scene.fix(at: 0, 0)
    scene.fix(at: 5, 300)
    scene.fix(at: 25, 600)
    #expect(scene.story == ["@0 loc(-)", "@25 leave Home", "@25 loc(c)"])
  }

  @Test func withoutSpeedsThePlacesMakeOne() {
    var scene = scene()
    for second in 0..<5 { scene.fix(at: Double(second), Double(second) * 20, accuracy: 2, speed: nil) }
    scene.fix(at: 5, 600, accuracy: 2, speed: nil)
    #expect(scene.lastReason == "implausibleJump")
    for second in 6..<15 { scene.fix(at: Double(second), Double(second) * 20, accuracy: 2, speed: nil) }
    #expect(scene.reports.contains { $0.at == 6 })
    #expect(scene.story.contains { $0.hasSuffix("leave Home") })
  }

  @Test func aFirstStepWithoutSpeedsMayBeAFastOne() {
    var scene = scene()
    scene.fix(at: 0, 0, speed: nil)
    scene.fix(at: 1, 60, speed: nil)
    #expect(scene.lastReason != "implausibleJump")
  }
}
