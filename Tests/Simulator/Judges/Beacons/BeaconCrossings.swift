import Model

/// A beacon's region is entered when its beacon was heard, and left when it was not for as long as is wanted.
struct BeaconCrossings: Judge {
  /// Seconds that a timer, or another wake-up, may take.
  private static let tolerance = 5.0
  /// After an outage each beacon gets so long to be heard, seconds.
  private static let recovery = 2.9
  /// What the rhythm of a beacon may teach, seconds of silence.
  private static let learned = 30.0...300
  /// A stray is one of less than three packets in this time, seconds, none of which is so much stronger, dB.
  private static let stray = (seconds: 10.0, rise: 6)

  func saw(_ what: Seen, in world: World) {
    guard case .told(.transition(let told), because: let reason) = what, let beacon = told.region.beacon,
      told.region.kind == .beacon
    else { return }
    switch reason {
    case .beaconHeard: judge(entered: told.region, beacon, world)
    case .beaconLost(_, let seconds): judge(left: told.region, beacon, after: seconds, world)
    default: break
    }
  }

  private func judge(entered region: Region, _ beacon: BeaconIdentity, _ world: World) {
    let packets = world.evidence.packets
    if packets.silence(of: beacon, at: world.now) != 0 {
      world.complain(.truth, "\(region.name) is entered, and its beacon was not heard now")
    }
    let guarded = Double(world.configuration.beacons.reentryGuard)
    guard let left = packets.left(region.rid), case let seconds = world.seconds(since: left),
      seconds < guarded - 1, world.air.radio.plan.duty == 100,
      !packets.isBack(beacon, within: Self.stray.seconds, rise: Self.stray.rise, at: world.now)
    else { return }
    world.complain(.truth, "\(region.name) is entered \(seconds) s after a leave, by a stray")
  }

  private func judge(
    left region: Region, _ beacon: BeaconIdentity, after seconds: Double, _ world: World
  ) {
    let (radio, packets, beacons) = (world.air.radio, world.evidence.packets, world.configuration.beacons)
    let wanted = Double(beacons.lossTimeout)
    if wanted > 0, seconds != wanted {
      world.complain(.truth, "\(region.name) is left after \(seconds) s, not \(wanted)")
    }
    if wanted == 0, !Self.learned.contains(seconds) {
      world.complain(.truth, "\(region.name) is left after \(seconds) s, not \(Self.learned)")
    }
    if radio.isHung { world.complain(.truth, "\(region.name) is left while the radio hears nothing") }
    if let freed = packets.freedAt, world.seconds(since: freed) < Self.recovery {
      world.complain(.truth, "\(region.name) is left just when the radio hears again")
    }
    // Where strength counts, what is too weak is not heard.
    guard beacons.enterRssi == 0 else { return }
    if wanted == 0 { judge(left: region, besideSlow: radio.beacons, world) }
    guard let silence = packets.silence(of: beacon, at: world.now) else { return }
    let due = seconds + world.hold(of: region)
    // Of several the one that may be silent for longest decides.
    let isUsual = world.calm > 900 && radio.plan.duty == 100 && !radio.isPaired(beacon)
    if silence < due - 0.5 || (isUsual && silence > due + Self.tolerance) {
      world.complain(.truth, "\(region.name) is left after \(silence) s of silence, not \(due)")
    }
  }

  /// Any beacon of a region keeps the board inside: what sends once in a while is not gone before it would have sent.
  private func judge(left region: Region, besideSlow beacons: [Radio.Beacon], _ world: World) {
    for beacon in beacons where region.beacon?.matches(beacon.number) ?? false {
      let interval = Double(beacon.rhythm.interval)
      guard let silence = world.evidence.packets.silence(of: beacon.number, at: world.now), silence < interval
      else { continue }
      let ago = "a beacon of it that sends every \(interval) s was heard \(silence) s ago"
      world.complain(.truth, "\(region.name) is left, and \(ago)")
    }
  }
}
