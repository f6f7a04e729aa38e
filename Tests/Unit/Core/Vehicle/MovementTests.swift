import Model
import Testing
import Timebase

@testable import Core

/// What counts as movement, over long times.
struct MovementTests {
  /// The engines as the tracker asks them, without what comes before and after.
  private struct Rig {
    var gate = PhysicsGate()
    var standstill = Standstill()
    var movement = Movement()
    var fence = ParkingFence(nil)
    var trips = TripEngine(nil)
    var metres = 0.0
    var alarms: [(time: Double, metres: Double)] = []
    var began = 0
    var ended = 0

    mutating func take(_ fix: Fix) {
      guard gate.refusal(of: fix) == nil else { return standstill.refused(fix) }
      _ = standstill.consider(fix, isGated: true, isLeap: gate.hasProvenJump)
      let found = movement.consider(fix, onSlowWaySince: standstill.onSlowWaySince)
      metres += found.metres
      for finding in trips.consider(found, arrival: movement.arrival, at: fix) {
        switch finding {
        case .began: began += 1
        case .ended: ended += 1
        case .tooShort: break
        }
      }
      let moved = fence.consider(
        fix, parkingPlace: movement.parkingPlace, isMoving: movement.isMoving, metres: 100, ignition: nil,
        isHidden: false)
      if case .moved(_, let metres) = moved { alarms.append((fix.time.seconds - Scene.start, metres)) }
    }
  }

  // behaviour: Standing and moving
  /// Three seeds of thirty days: wandering, reflections, outages, wrong places, speeds out of nothing.
  @Test(arguments: [1, 2, 3])
  func thirtyDaysParkedAreNothing(_ seed: UInt64) {
    var receiver = ParkedReceiver(seed: seed, step: 5)
    var rig = Rig()
    while receiver.time < 30 * 86_400 {
      if let fix = receiver.next() { rig.take(fix) }
    }
    #expect(rig.metres <= 1000, "the odometer of a parked vehicle went on by \(rig.metres) m")
    #expect(rig.alarms.isEmpty, "false tow alarms at \(rig.alarms)")
    #expect(rig.began == 0, "\(rig.began) trips of a parked vehicle")
  }

  /// The same, sparse as a receiver that rests gives them.
  @Test func thirtyDaysOfQuarterMinutesAreNothing() {
    var receiver = ParkedReceiver(seed: 4, step: 15)
    var rig = Rig()
    while receiver.time < 30 * 86_400 {
      if let fix = receiver.next() { rig.take(fix) }
    }
    #expect(rig.metres <= 1000 && rig.alarms.isEmpty, "\(rig.metres) m, \(rig.alarms)")
  }

  // behaviour: Standing and moving
  @Test(arguments: [true, false])
  func aThousandKilometresAreRightToAPercent(_ tellsSpeed: Bool) {
    var chance = Chance(9)
    var pieces = RoadDrive.town(&chance, metres: 200_000)
    pieces += RoadDrive.country(&chance, metres: 300_000)
    pieces += RoadDrive.motorway(&chance, metres: 500_000)
    let drive = RoadDrive(pieces)
    var rig = Rig()
    for var fix in drive.fixes(seed: 5) {
      if !tellsSpeed { fix.speed = nil }
      rig.take(fix)
    }
    let truth = drive.points.last?.metres ?? 0
    #expect(truth > 1_000_000)
    #expect((rig.metres / truth - 1).magnitude <= 0.01, "\(rig.metres) m of \(truth)")
  }

  // behaviour: Standing and moving
  /// One whose speeds are far too low is found out by the way.
  @Test func aReceiverWithoutRealSpeedsCountsToo() {
    var movement = Movement()
    var metres = 0.0
    for second in 0..<1000 {
      let east = second < 100 ? 0 : 10 * Double(second - 99)
      metres += movement.consider(fix(at: Double(second), east: east, speed: second < 160 ? 10 : 0.6)).metres
    }
    #expect((metres - 9000).magnitude < 300, "\(metres)")
  }

  // behaviour: Standing and moving
  /// It cannot be told from a reflection at once, but where it stays it is.
  @Test func aVehicleThatWasMovedUnseenIsFoundOut() {
    var rig = Rig()
    for second in 0..<400 { rig.take(fix(at: Double(second), east: 0)) }
    for second in 4000..<4700 { rig.take(fix(at: Double(second), east: 5000)) }
    #expect(rig.alarms.count == 1 && (rig.metres - 5000).magnitude < 50, "\(rig.alarms), \(rig.metres)")
  }

  /// Before anybody knows that it is parked.
  @Test func standingAtALightAddsNothing() {
    var movement = Movement()
    var metres = 0.0
    for second in 0..<60 {
      _ = movement.consider(fix(at: Double(second), east: 15 * Double(second), speed: 15))
    }
    for second in 60..<300 {
      metres += movement.consider(fix(at: Double(second), east: 900, speed: 0.4)).metres
    }
    #expect(movement.isMoving && metres < 20, "\(metres) m")
  }

  /// Ten minutes of one opinion, and no speed: the receiver has changed its mind, not the vehicle its place.
  @Test func aPlaceThatStaysOffIsTheNewPlace() {
    var movement = Movement()
    for second in 0..<400 { _ = movement.consider(fix(at: Double(second), east: 0)) }
    for second in 400..<1100 {
      #expect(movement.consider(fix(at: Double(second), east: 150)) == Movement.Found())
    }
    #expect(movement.parkingPlace?.coordinate == Scene.place(150, 0))
  }

  /// Fast by its own word, and 80 m further in one second: the speeds do not make up for the way.
  @Test func aJumpAmongSpeedsIsNoDeparture() {
    var movement = Movement()
    for second in 0..<20 {
      let east = (5..<15).contains(second) ? 80.0 : 0
      let found = movement.consider(fix(at: Double(second), east: east, speed: 1.2))
      #expect(found == Movement.Found(), "at \(second) s")
    }
  }

  // behaviour: Trips and alarms
  @Test func theAlarmComesWithinThirtySeconds() {
    var rig = Rig()
    for second in 0..<400 { rig.take(fix(at: Double(second), east: 0)) }
    // 100 m are reached at 420 s.
    for second in 400..<440 { rig.take(fix(at: Double(second), east: 5 * Double(second - 400), speed: 5)) }
    #expect(rig.alarms.count == 1 && rig.alarms[0].time <= 450, "\(rig.alarms)")
  }

  // behaviour: Trips and alarms
  @Test func movingWithIgnitionOnIsDriven() {
    var fence = ParkingFence(TrackPoint(fix(at: 0, east: 0)))
    let found = fence.consider(
      fix(at: 10, east: 200), parkingPlace: nil, isMoving: true, metres: 100, ignition: true, isHidden: true)
    #expect(found == .driven && fence.place == nil)
    fence = ParkingFence(TrackPoint(fix(at: 0, east: 0)))
    let hidden = fence.consider(
      fix(at: 10, east: 200), parkingPlace: nil, isMoving: true, metres: 100, ignition: nil, isHidden: true)
    #expect(hidden == nil && fence.place != nil, "it is told where it may be")
  }

  /// A fix may be off by the width of the fence, or by 50 m where that is more.
  @Test(arguments: [(100.0, 100.0, true), (100, 100.1, false), (20, 50, true), (20, 50.1, false)])
  func aPoorFixIsNoAlarm(fence metres: Double, accuracy: Double, isAlarm: Bool) {
    var fence = ParkingFence(TrackPoint(fix(at: 0, east: 0)))
    var poor = fix(at: 10, east: 200)
    poor.accuracy = accuracy
    let found = fence.consider(
      poor, parkingPlace: nil, isMoving: true, metres: metres, ignition: nil, isHidden: false)
    #expect((found != nil) == isAlarm && (fence.place == nil) == isAlarm)
  }

  // behaviour: Standing and moving
  @Test func anInaccurateFixIsNoMovement() {
    var movement = Movement()
    _ = movement.consider(fix(at: 0, east: 0))
    for second in 1..<60 {
      var poor = fix(at: Double(second), east: 10 * Double(second), speed: 10)
      poor.accuracy = 150
      #expect(movement.consider(poor) == Movement.Found())
    }
  }

  /// What it is about to do is forgotten with the fixes: the next may be dated by another clock.
  @Test func settlingForgetsARowOfFixes() {
    var movement = Movement()
    for second in 0..<310 { _ = movement.consider(fix(at: Double(second), east: 0)) }
    for second in 310..<315 {
      _ = movement.consider(fix(at: Double(second), east: Double(second - 310), speed: 2))
    }
    movement.settle()
    for second in 100..<110 {
      #expect(movement.consider(fix(at: Double(second), east: 60, speed: 2)).change == nil)
    }
  }

  private func fix(at time: Double, east: Double, speed: Double? = 0) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + time), coordinate: Scene.place(east, 0), accuracy: 5, speed: speed
    )
  }
}
