/// A beacon that is heard again and again is here, and who comes near one listens.
struct BeaconsNearby: Judge {
  /// Within this of a beacon the radio listens in full, metres: it wakes 700 m before.
  private static let listening = 400.0

  func saw(_ what: Seen, in world: World) {
    guard case .listened(let truth) = what, let tracker = world.working,
      world.configuration.beacons.enterRssi == 0, !world.air.wanderers.mayBeElsewhere,
      world.ledger.fixes.jumps.isEmpty, !world.ledger.fixes.isMisled
    else { return }
    for known in tracker.knownRegions where known.region.kind == .beacon && known.presence == .outside {
      guard let beacon = known.region.beacon else { continue }
      let name = known.region.name
      if world.evidence.packets.isHeardAgain(beacon, of: known.region.rid, within: 9, at: world.now) {
        world.complain(.truth, "\(name) is not entered, and was heard three times")
      }
      let metres = known.region.coordinate.distance(to: truth.coordinate)
      if world.air.radio.plan.duty == 1, known.region.radius >= 0, metres < Self.listening {
        world.complain(.truth, "the radio rests \(Int(metres)) m from \(name)")
      }
    }
  }
}
