import Timebase

/// A beacon that rides along is not far, before it is noted as left.
struct FarBeacons: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .told(.transition(let told), because: .beaconFar) = what, let beacon = told.region.beacon,
      told.region.kind == .beacon, let ride = world.air.wanderers.ride,
      beacon.matches(world.air.radio.beacons[ride.index].number),
      let began = world.ledger.lives.began(world.life), began + .seconds(60) < ride.since,
      let sound = world.receiver.soundSince, sound + .seconds(60) < ride.since,
      world.evidence.packets.left(told.region.rid).map({ $0 < ride.since }) ?? true,
      let age = world.evidence.packets.age(of: beacon, at: world.now),
      world.configuration.beacons.enterRssi == 0
    else { return }
    let start = world.road.position(at: (ride.since - .zero).seconds).point
    let way = start.distance(to: world.place(before: age))
    if age < 2 || way > 900 {
      world.complain(.truth, "\(told.region.name) is far, and was heard \(age) s ago, \(way) m further")
    }
  }
}
