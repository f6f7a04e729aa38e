import Model
import Timebase

/// One second of the world.
extension World {
  func beat() {
    guard now < phases.rest else { return }
    schedule.add(.beat, at: now + .seconds(1))
    if now.nanoseconds / 1_000_000_000 % 60 == 0 { show(.minute) }
    let truth = road.position(at: second)
    evidence.motion.drives(
      truth.speed, from: truth.point, tellsSpeed: receiver.ground.tellsSpeed, at: now)
    guard board.isPowered else { return }
    if board.clock.isSynchronised { receiver.time.forgiven() }
    let isClockKnown = board.clock.isSynchronised && tracker != nil
    let heard = receiver.beat(at: now, road, faults.rates, isClockKnown: isClockKnown) { ledger.note($0) }
    act()
    show(.second(truth))
    lead(heard, truth)
    guard process.isRunning, !air.radio.beacons.isEmpty else { return }
    moveBeacons(truth.point)
    for sighting in air.radio.beat(at: truth.point, faults.rates, note: { ledger.note($0) }) {
      show(.sighted(sighting))
      wake(.sighted(sighting))
    }
    show(.listened(truth.point))
    hangInSilence()
  }

  /// What people, the vehicle and the ways do in this second.
  private func act() {
    rivalLooks()
    measureVoltage()
    callForHelp()
    insist()
    endInDwell()
    changeWay()
    tellTime()
  }

  /// What the receiver says is on its way to the daemon.
  private func lead(_ heard: [Receiver.Heard], _ truth: Road.Position) {
    let time = BoardClock.truth(now).wholeSeconds
    ledger.fixes.reach(noise, since: time)
    if receiver.ground.isLying { ledger.fixes.lies(at: time) }
    if receiver.ground.isLying || heard.contains(where: \.isTrap) {
      ledger.fixes.isMisled = true
    } else if sound > 60 {
      ledger.fixes.isMisled = false
    }
    for one in heard {
      tellWrong(one, truth)
      if one.isTrap { ledger.fixes.jumps.insert(time) }
      if breakage == .faultsOfTimeDeafen, isDeafened { continue }
      schedule.add(.reading(one.reading, life: life), at: now + one.delay)
    }
  }

  /// What comes now is swallowed, because a wrong time came shortly before.
  private var isDeafened: Bool {
    receiver.time.trueSince > .zero && seconds(since: receiver.time.trueSince) < 50
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
