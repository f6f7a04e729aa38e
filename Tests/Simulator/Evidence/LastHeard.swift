import Model
import Timebase

/// When each beacon was heard last in this life of the process, and how.
struct LastHeard {
  /// An advertisement; `deaf`: for how long the radio had heard nothing by then, seconds.
  private struct Packet {
    var at: Instant
    var deaf: Double
    var rssi: Int8?
  }

  /// So many of the newest.
  private static let most = 3
  private var packets: [BeaconNumber: [Packet]] = [:]
  private var deaf = 0.0
  private var deafSince: Instant?
  /// When the radio began to hear again.
  private(set) var freedAt: Instant?
  /// When each region was left last because its beacon was silent, in this life.
  private var lost: [String: Instant] = [:]

  mutating func note(_ sighting: Sighting, at now: Instant) {
    let packet = Packet(at: now, deaf: deaf, rssi: sighting.rssi)
    packets[sighting.beacon, default: []].append(packet)
    if packets[sighting.beacon]?.count ?? 0 > Self.most { packets[sighting.beacon]?.removeFirst() }
  }

  mutating func hangs(_ isHung: Bool, at now: Instant) {
    if isHung {
      deafSince = deafSince ?? now
    } else if let since = deafSince {
      deaf += (now - since).seconds
      (deafSince, freedAt) = (nil, now)
    }
  }

  mutating func left(_ rid: String, at now: Instant) { lost[rid] = now }
  func left(_ rid: String) -> Instant? { lost[rid] }

  mutating func newLife() { (packets, lost) = ([:], [:]) }

  /// For how long the radio could have heard it and did not, seconds.
  func silence(of identity: BeaconIdentity, at now: Instant) -> Double? {
    packets.keys.filter { identity.matches($0) }.compactMap { silence(of: $0, at: now) }.min()
  }

  /// How long ago it was heard, whatever the radio has heard since, seconds.
  func age(of identity: BeaconIdentity, at now: Instant) -> Double? {
    packets.filter { identity.matches($0.key) }.compactMap { $0.value.last.map { (now - $0.at).seconds } }
      .min()
  }

  /// `silence` of one beacon.
  func silence(of number: BeaconNumber, at now: Instant) -> Double? {
    let deafNow = deaf + (deafSince.map { (now - $0).seconds } ?? 0)
    return packets[number]?.last.map { (now - $0.at).seconds - (deafNow - $0.deaf) }
  }

  /// Whether the last three came within so many seconds up to now, all after the region was left.
  func isHeardAgain(
    _ identity: BeaconIdentity, of rid: String, within seconds: Double, at now: Instant
  ) -> Bool {
    packets.contains { number, heard in
      guard identity.matches(number), heard.count == Self.most, let first = heard.first, let last = heard.last
      else { return false }
      return last.at == now && (last.at - first.at).seconds <= seconds
        && lost[rid].map { $0 < first.at } ?? true
    }
  }

  /// Whether the last packets say that it is back, and not a stray: three within so many seconds of listening, or two of
  /// which the second is much stronger. Of several beacons that are meant, each has its say.
  func isBack(_ identity: BeaconIdentity, within seconds: Double, rise: Int, at now: Instant) -> Bool {
    let all = packets.lazy.filter { identity.matches($0.key) }.flatMap(\.value)
    // Of what came in one second nobody knows the order.
    let heard = all.sorted { ($0.at, $0.rssi ?? 0) < ($1.at, $1.rssi ?? 0) }.suffix(Self.most)
    guard let first = heard.first, let last = heard.last else { return false }
    // An outage of the radio is no time that has passed.
    let listened = (last.at - first.at).seconds - (last.deaf - first.deaf)
    if heard.count == Self.most, listened <= seconds { return true }
    guard let strength = last.rssi, let before = heard.dropLast().last?.rssi else { return false }
    return Int(strength) - Int(before) >= rise
  }
}
