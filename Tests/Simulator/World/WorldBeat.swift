import Model
import Timebase

/// One second of the world.
extension World {
  func beat() {
    guard now < rest else { return }
    schedule.add(.beat, at: now + .seconds(1))
    if now.nanoseconds / 1_000_000_000 % 60 == 0 {
      lookAtLimits()
      judgeRegionsOnTheCard()
      judgeDeparted()
      judgeWakefulness()
    }
    let truth = road.position(at: Span(nanoseconds: now.nanoseconds).seconds)
    watch.drives(truth.speed, from: truth.point, tellsSpeed: receiver.ground.tellsSpeed, at: now)
    guard isPowered else { return }
    if clock.isSynchronised { receiver.time.forgiven() }
    let heard = receiver.beat(at: now, road, rates, isClockKnown: clock.isSynchronised && tracker != nil) {
      ledger.note($0)
    }
    judgeSecond(truth)
    if receiver.ground.isLying { ledger.lies(at: BoardClock.truth(now).wholeSeconds) }
    if receiver.ground.isLying || heard.contains(where: \.isTrap) {
      ledger.isMisled = true
    } else if let sound = receiver.soundSince, (now - sound).seconds > 60 {
      ledger.isMisled = false
    }
    for one in heard {
      tellWrong(one, truth)
      if one.isTrap { ledger.jumps.insert(BoardClock.truth(now).wholeSeconds) }
      if breakage == .faultsOfTimeDeafen, isDeafened() { continue }
      schedule.add(.reading(one.reading, life: life), at: now + one.delay)
    }
    guard isRunning, !radio.beacons.isEmpty else { return }
    listen()
    moveBeacons(truth.point)
    for sighting in radio.beat(at: truth.point, rates, note: { ledger.note($0) }) {
      lastHeard.note(sighting, at: now)
      hear(sighting)
      faints.hear(sighting, configuration, at: now)
      wake(.sighted(sighting))
    }
    judgeNearBeacons(truth.point)
    hangInSilence()
  }

  /// What is looked at once a second, and what people and the ways do then.
  private func judgeSecond(_ truth: Road.Position) {
    judgeConnection()
    lookForVeils(truth)
    measureVoltage()
    judgeSilence()
    judgeTimers()
    judgeIntervals()
    insist()
    judgeNetworkRule()
    judgeOwedPoints()
    judgeDuty()
    judgeRest()
    judgeUnknownBeacons()
    judgeChoice()
    judgeSag()
    judgePoints(truth)
    judgePace(truth)
    judgeWaits(truth)
    changeWay()
    tellTime()
    watchOverflow()
    watch(truth)
  }

  private func tellWrong(_ heard: Receiver.Heard, _ truth: Road.Position) {
    guard narrator != nil, let latitude = heard.reading.latitude, let longitude = heard.reading.longitude,
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return }
    let metres = place.distance(to: truth.point.coordinate)
    guard metres > 30 else { return }
    let speed = heard.reading.speed.map { "\($0) m/s" } ?? "no speed"
    tell(
      "the receiver is \(Int(metres)) m off, \(speed), truly \(truth.speed)\(heard.isTrap ? ", a trap" : "")")
  }
}
