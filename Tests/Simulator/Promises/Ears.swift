import Core
import Model
import Timebase

/// For how long the radio has listened, and what it heard by then: a beacon can only be missed by who listens. Kept by the
/// world, one for each life of the process.
struct Ears {
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

  /// A second with so many percent.
  fileprivate mutating func listen(_ duty: Int) { listened += Double(duty) / 100 }

  fileprivate mutating func hear(_ sighting: Sighting) {
    packets[sighting.beacon, default: []].append(Packet(listened: listened, rssi: sighting.rssi))
    if packets[sighting.beacon]?.count ?? 0 > Self.window { packets[sighting.beacon]?.removeFirst() }
  }

  /// It was silent for longer than it ever is: what was heard of it says nothing of its strength any more.
  fileprivate mutating func forget(_ identity: BeaconIdentity) {
    for number in packets.keys where identity.matches(number) {
      for index in packets[number]?.indices ?? 0..<0 { packets[number]?[index].rssi = nil }
    }
  }

  /// Since any beacon of it was heard, seconds of listening; nil: none was.
  fileprivate func silence(of identity: BeaconIdentity) -> Double? {
    packets.filter { identity.matches($0.key) }.compactMap { $0.value.last }.map { listened - $0.listened }
      .min()
  }

  /// Whether one of them is as strong as that, by what was heard since its last long silence. A shorter one may have been
  /// long enough, too: then the newest count alone.
  fileprivate func isStrong(_ identity: BeaconIdentity, enter: Int) -> Bool {
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

extension World {
  /// Seconds: the radio changes in the middle of one.
  private static let rounding = 3.0
  /// Metres from a beacon where nobody may say that it is far: half a kilometre is meant, from where it was heard.
  private static let near = 420.0
  /// So long before it was heard last a fix may have been wrong that its place goes by, seconds, outages of the radio
  /// among them.
  private static let memory = 1200

  func listen() { ears.listen(radio.isHung ? 0 : radio.plan.duty) }
  func hear(_ sighting: Sighting) { ears.hear(sighting) }

  /// Beside what its silence in seconds says.
  func judge(heardOf report: Report, because reason: Reason?) {
    guard case .transition(let told) = report, let beacon = told.region.beacon else { return }
    let name = told.region.name
    switch reason {
    case .beaconHeard:
      let enter = configuration.beacons.enterRssi
      if enter != 0, !wanderers.mayBeCopied, !ears.isStrong(beacon, enter: enter) {
        ledger.complain(.truth, "\(name) is entered, and its beacon is weaker than \(enter) dBm", at: now)
      }
    case .beaconLost(_, let seconds):
      if configuration.beacons.lossTimeout == 0, ears.silence(of: beacon).map({ $0 > seconds }) ?? false {
        ears.forget(beacon)
      }
      guard now < rest, configuration.beacons.enterRssi == 0, !radio.isPaired(beacon),
        let silence = ears.silence(of: beacon),
        silence < seconds - Self.rounding
      else { return }
      ledger.complain(
        .truth, "\(name) is left after \(silence) s in which the radio listened, not \(seconds)", at: now)
    case .beaconFar: judge(distanceTo: beacon, name)
    default: break
    }
  }

  private func judge(distanceTo beacon: BeaconIdentity, _ name: String) {
    guard !wanderers.mayBeElsewhere, !ledger.isMisled, let sound = receiver.soundSince,
      (now - sound).seconds > 60, let silence = lastHeard.silence(of: beacon, at: now)
    else { return }
    // Where it was heard is its place, and is right where no fix was wrong then or since.
    let seconds = BoardClock.truth(now).wholeSeconds
    if (seconds - Int(silence) - Self.memory...seconds).contains(where: ledger.jumps.contains) { return }
    let truth = road.position(at: (now - .zero).seconds).point
    let metres = radio.beacons.filter { beacon.matches($0.number) }.map { $0.place.distance(to: truth) }.min()
    if let metres, metres < Self.near - receiver.ground.reach.standing {
      ledger.complain(.truth, "\(name) is far, and it is \(Int(metres)) m away", at: now)
    }
  }
}
