import Model
import Testing
import Timebase

@testable import Core

/// Overspeed on drives whose true speeds are known.
struct SpeedWatchTests {
  // behaviour: Trips and alarms
  /// A stretch of at least ten seconds at 5 km/h or more above the limit has to be told; what is told has to
  /// be true, or next to it.
  @Test func drivesAreJudgedByTheirTrueSpeeds() {
    var (wanted, told, invented, kilometres) = (0, 0, 0, 0.0)
    for seed in 1...5 {
      var chance = Chance(UInt64(seed))
      let pieces =
        RoadDrive.town(&chance, metres: 10_000) + RoadDrive.country(&chance, metres: 40_000)
        + RoadDrive.motorway(&chance, metres: 50_000)
      let drive = RoadDrive(pieces)
      kilometres += (drive.points.last?.metres ?? 0) / 1000
      for limit in [45, 80, 120] {
        let alarms = Self.alarms(drive.fixes(seed: UInt64(seed)), limit: limit)
        for event in Self.events(drive, limit: limit) {
          wanted += 1
          if alarms.contains(where: { $0.overlaps(event) }) { told += 1 }
        }
        let over = drive.points.filter { $0.speed * 3.6 > Double(limit) }.map(\.time)
        invented += alarms.count { alarm in !over.contains { alarm.contains($0) } }
      }
    }
    #expect(wanted > 50)
    #expect(Double(told) >= 0.95 * Double(wanted), "\(told) of \(wanted)")
    #expect(Double(invented) <= kilometres * 3 / 100, "\(invented) in \(kilometres * 3) km")
  }

  @Test func aParkedReceiverIsNeverTooFast() {
    var receiver = ParkedReceiver(seed: 5, step: 1)
    var watch = SpeedWatch(nil)
    while receiver.time < 5 * 86_400 {
      guard let fix = receiver.next() else { continue }
      #expect(watch.consider(fix, limit: .init(speed: 10)) == nil)
    }
  }

  // behaviour: Trips and alarms
  @Test func fourSecondsAreNoAlarm() {
    #expect(Self.began(speeds: [20, 20, 20, 20, 20, 10], metres: 20) == 0)
    #expect(Self.began(speeds: [20, 20, 20, 20, 20, 20], metres: 20) == 1)
  }

  @Test func aSpeedThatTheWayBeliesIsNoAlarm() {
    #expect(Self.began(speeds: [Double](repeating: 20, count: 30), metres: 0) == 0)
  }

  /// How often an alarm began, at a limit of 50 km/h and so many metres a second.
  private static func began(speeds: [Double], metres: Double) -> Int {
    var watch = SpeedWatch(nil)
    return speeds.enumerated().count { second, speed in
      let fix = Fix(
        time: WallTime(seconds: Scene.start + Double(second)),
        coordinate: Scene.place(metres * Double(second), 0),
        accuracy: 5, speed: speed)
      if case .began = watch.consider(fix, limit: .init(speed: 50)) { return true }
      return false
    }
  }

  @Test func anAlarmThatAPowerCutLeftOpenEndsAfterIt() {
    let fix = Fix(
      time: WallTime(seconds: Scene.start), coordinate: Scene.place(0, 0), accuracy: 5, speed: 20)
    var watch = SpeedWatch(SpeedingState(start: TrackPoint(fix), limit: 50, top: 22, region: nil))
    var found: [SpeedWatch.Found] = []
    for second in 1...8 {
      var slow = fix
      slow.time = WallTime(seconds: Scene.start + Double(second))
      slow.speed = 10
      if let one = watch.consider(slow, limit: .init(speed: 50)) { found.append(one) }
    }
    #expect(found.count == 1 && watch.current == nil)
  }

  /// Fixes at 72 km/h where 50 are allowed, and when the alarm begins: by three of them, in five seconds, and none
  /// more than ten seconds after the other.
  @Test(arguments: [
    ([0, 2.5, 5], 5.0), ([0, 2, 4.5], nil), ([0, 5, 6], 6), ([0, 10, 20], 20), ([0, 4, 14.5, 17], nil),
    ([0, 3, 3, 5, 6, 7], nil),
  ])
  func anAlarmIsARowOfFixes(seconds: [Double], beginsAt begin: Double?) {
    var watch = SpeedWatch(nil)
    var began: Double?
    for second in seconds {
      if case .began = watch.consider(Self.fix(second, 20), limit: .init(speed: 50)) { began = second }
    }
    #expect(began == begin)
    #expect(watch.isSpeeding == (begin != nil))
  }

  /// Two kilometres an hour more are none, wherever in the row.
  @Test(arguments: [
    ([20.0, 20.1, 20.1, 20.1, 20.1, 20.1], 0), ([20.1, 20.1, 20, 20.1, 20.1, 20.1], 0),
    ([20.1, 20.1, 20.1, 20.1, 20.1, 20.1], 1),
  ])
  func theToleranceIsNoAlarm(speeds: [Double], count: Int) {
    var watch = SpeedWatch(nil)
    var began = 0
    for (second, speed) in speeds.enumerated() {
      if case .began = watch.consider(Self.fix(Double(second), speed), limit: .init(speed: 70)) { began += 1 }
    }
    #expect(began == count)
  }

  /// Exactly as fast as is allowed, for five seconds; the highest speed of all of it is told.
  @Test func theLimitItselfIsSlowAgain() {
    var watch = SpeedWatch(nil)
    for second in 0...5 { _ = watch.consider(Self.fix(Double(second), 30), limit: .init(speed: 72)) }
    #expect(watch.isSpeeding && !watch.isCalm)
    #expect(watch.consider(Self.fix(6, 33), limit: .init(speed: 72)) == nil)
    for second in 7...11 {
      #expect(watch.consider(Self.fix(Double(second), 20), limit: .init(speed: 72)) == nil)
    }
    guard case .ended(let state) = watch.consider(Self.fix(12, 20), limit: .init(speed: 72)) else {
      Issue.record("not ended")
      return
    }
    #expect(state.top == 33 && watch.isCalm && !watch.isSpeeding)
  }

  @Test func withoutALimitItEndsAtOnce() {
    var watch = SpeedWatch(nil)
    #expect(watch.consider(Self.fix(0, 30), limit: nil) == nil)
    for second in 1...6 { _ = watch.consider(Self.fix(Double(second), 30), limit: .init(speed: 50)) }
    let current = watch.current
    #expect(current != nil && watch.consider(Self.fix(7, 30), limit: nil) == current.map { .ended($0) })
    #expect(watch.isCalm)
  }

  private static func fix(_ second: Double, _ speed: Double) -> Fix {
    Fix(
      time: WallTime(seconds: Scene.start + second), coordinate: Scene.place(20 * second, 0), accuracy: 5,
      speed: speed)
  }

  private static func alarms(_ fixes: [Fix], limit: Int) -> [ClosedRange<Double>] {
    var watch = SpeedWatch(nil)
    var alarms: [ClosedRange<Double>] = []
    for fix in fixes {
      guard case .ended(let state)? = watch.consider(fix, limit: .init(speed: limit)) else { continue }
      alarms.append((state.start.time.seconds - Scene.start)...(fix.time.seconds - Scene.start))
    }
    if let open = watch.current, let last = fixes.last {
      alarms.append((open.start.time.seconds - Scene.start)...(last.time.seconds - Scene.start))
    }
    return alarms
  }

  private static func events(_ drive: RoadDrive, limit: Int) -> [ClosedRange<Double>] {
    var events: [ClosedRange<Double>] = []
    var began: Double?
    for point in drive.points {
      if point.speed * 3.6 >= Double(limit) + 5 {
        began = began ?? point.time
      } else {
        if let began, point.time - began >= 10 { events.append(began...point.time) }
        began = nil
      }
    }
    return events
  }
}
