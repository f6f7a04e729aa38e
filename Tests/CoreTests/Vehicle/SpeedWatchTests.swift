import Model
import Testing
import Timebase

@testable import Core

/// Overspeed on drives whose true speeds are known.
struct SpeedWatchTests {
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
