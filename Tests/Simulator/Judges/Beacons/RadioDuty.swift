/// The radio listens in full, at rest or not at all; beside WiFi on the same antenna, in full means less.
struct RadioDuty: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .second = what, world.working != nil, world.process.desk != nil else { return }
    let usual = world.air.radio.duty(beside: world.line.wire.isUp ? world.line.way.network : .none)
    let duty = world.air.radio.plan.duty
    if ![0, 1, usual].contains(duty) {
      world.complain(.limits, "the radio listens to \(duty) %, not \(usual)")
    }
  }
}
