import Core
import Model

/// What is told of a beacon agrees with what a radio that listens has heard: a beacon can only be missed by who listens.
struct HeardBeacons: Judge {
  /// Seconds: the radio changes in the middle of one.
  private static let rounding = 3.0
  /// Metres from a beacon where nobody may say that it is far: half a kilometre is meant, from where it was heard.
  private static let near = 420.0
  /// So long before it was heard last a fix may have been wrong that its place goes by, seconds, outages of the radio
  /// among them.
  private static let memory = 1200

  private struct Packet {
    var listened: Double
    var rssi: Int8?
  }

  /// Readings that the strength is the median of, and fewer that say too little.
  private static let (window, fewest) = (5, 3)
  /// A silence after which what was heard before it says nothing of strength any more, seconds of listening.
  private static let long = 320.0

  private var listened = 0.0
  private var packets: [BeaconNumber: [Packet]] = [:]

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .started: self = Self()
    // With so many percent.
    case .second:
      guard world.process.isRunning, !world.air.radio.isHung else { return }
      listened += Double(world.air.radio.plan.duty) / 100
    case .sighted(let sighting): hear(sighting)
    case .told(.transition(let told), because: let reason):
      if let beacon = told.region.beacon { judge(beacon, told.region.name, reason, world) }
    default: break
    }
  }

  /// Beside what its silence in seconds says.
  private mutating func judge(_ beacon: BeaconIdentity, _ name: String, _ reason: Reason?, _ world: World) {
    let beacons = world.configuration.beacons
    switch reason {
    case .beaconHeard:
      if beacons.enterRssi != 0, !world.air.wanderers.mayBeCopied,
        !isStrong(beacon, enter: beacons.enterRssi)
      {
        world.complain(
          .truth, "\(name) is entered, and its beacon is weaker than \(beacons.enterRssi) dBm")
      }
    case .beaconLost(_, let seconds):
      let silence = silence(of: beacon)
      if beacons.lossTimeout == 0, silence.map({ $0 > seconds }) ?? false { forget(beacon) }
      guard world.now < world.phases.rest, beacons.enterRssi == 0, !world.air.radio.isPaired(beacon),
        let silence, silence < seconds - Self.rounding
      else { return }
      world.complain(
        .truth, "\(name) is left after \(silence) s in which the radio listened, not \(seconds)")
    case .beaconFar: judge(distanceTo: beacon, name, world)
    default: break
    }
  }

  private func judge(distanceTo beacon: BeaconIdentity, _ name: String, _ world: World) {
    guard !world.air.wanderers.mayBeElsewhere, !world.ledger.fixes.isMisled, world.sound > 60,
      let silence = world.evidence.packets.silence(of: beacon, at: world.now)
    else { return }
    // Where it was heard is its place, and is right where no fix was wrong then or since.
    let seconds = BoardClock.truth(world.now).wholeSeconds
    let memory = seconds - Int(silence) - Self.memory...seconds
    if memory.contains(where: world.ledger.fixes.jumps.contains) { return }
    let known = world.air.radio.beacons.filter { beacon.matches($0.number) }
    let metres = known.map { $0.place.distance(to: world.place()) }.min()
    if let metres, metres < Self.near - world.noise {
      world.complain(.truth, "\(name) is far, and it is \(Int(metres)) m away")
    }
  }

  private mutating func hear(_ sighting: Sighting) {
    packets[sighting.beacon, default: []].append(Packet(listened: listened, rssi: sighting.rssi))
    if packets[sighting.beacon]?.count ?? 0 > Self.window { packets[sighting.beacon]?.removeFirst() }
  }

  /// It was silent for longer than it ever is: what was heard of it says nothing of its strength any more.
  private mutating func forget(_ identity: BeaconIdentity) {
    for number in packets.keys where identity.matches(number) {
      for index in packets[number]?.indices ?? 0..<0 { packets[number]?[index].rssi = nil }
    }
  }

  /// Since any beacon of it was heard, seconds of listening; nil: none was.
  private func silence(of identity: BeaconIdentity) -> Double? {
    packets.filter { identity.matches($0.key) }.compactMap { $0.value.last }.map { listened - $0.listened }
      .min()
  }

  /// Whether one of them is as strong as that, by what was heard since its last long silence. A shorter one may have been
  /// long enough, too: then the newest count alone.
  private func isStrong(_ identity: BeaconIdentity, enter: Int) -> Bool {
    packets.contains { number, heard in
      guard identity.matches(number) else { return false }
      let first = heard.indices.dropFirst().last { heard[$0].listened - heard[$0 - 1].listened > Self.long }
      let readings = heard[(first ?? 0)...].compactMap(\.rssi)
      return (Self.fewest...Self.window).contains { count in
        let newest = readings.suffix(count).sorted()
        return newest.count == count && Int(newest[count / 2]) >= enter
      }
    }
  }
}
