import Core
import Model
import Timebase

/// When each beacon was heard last in this life of the process, and how. Kept by the world.
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

  /// The same of one beacon.
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

/// What is told of a beacon's region against what its beacon was heard to say.
extension World {
  /// Seconds that a timer, or another wake-up, may take.
  private static let tolerance = 5.0
  /// After an outage each beacon gets so long to be heard, seconds.
  private static let recovery = 2.9
  /// What the rhythm of a beacon may teach, seconds of silence.
  private static let learned = 30.0...300
  /// A stray is one of less than three packets in this time, seconds, none of which is so much stronger, dB.
  private static let stray = (seconds: 10.0, rise: 6)

  func judge(beacon report: Report, because reason: Reason?) {
    guard case .transition(let report) = report, report.region.kind == .beacon,
      let beacon = report.region.beacon
    else { return }
    let silence = lastHeard.silence(of: beacon, at: now)
    switch reason {
    case .beaconHeard:
      if silence != 0 {
        ledger.complain(.truth, "\(report.region.name) is entered, and its beacon was not heard now", at: now)
      }
      let guarded = Double(configuration.beacons.reentryGuard)
      guard let left = lastHeard.left(report.region.rid), (now - left).seconds < guarded - 1,
        radio.plan.duty == 100,
        !lastHeard.isBack(beacon, within: Self.stray.seconds, rise: Self.stray.rise, at: now)
      else { return }
      ledger.complain(
        .truth, "\(report.region.name) is entered \((now - left).seconds) s after a leave, by a stray",
        at: now)
    case .beaconLost(_, let seconds):
      lastHeard.left(report.region.rid, at: now)
      judge(left: report.region, after: seconds, silence)
    case .beaconFar:
      judge(far: report.region, beacon)
      lastHeard.left(report.region.rid, at: now)
    default: break
    }
  }

  private func judge(left region: Region, after seconds: Double, _ silence: Double?) {
    let wanted = Double(configuration.beacons.lossTimeout)
    if wanted > 0, seconds != wanted {
      ledger.complain(.truth, "\(region.name) is left after \(seconds) s, not \(wanted)", at: now)
    }
    if wanted == 0, !Self.learned.contains(seconds) {
      ledger.complain(
        .truth, "\(region.name) is left after \(seconds) s, not \(Self.learned)", at: now)
    }
    if radio.isHung {
      ledger.complain(.truth, "\(region.name) is left while the radio hears nothing", at: now)
    }
    if let freed = lastHeard.freedAt, (now - freed).seconds < Self.recovery {
      ledger.complain(.truth, "\(region.name) is left just when the radio hears again", at: now)
    }
    judge(left: region, besideSlow: radio.beacons)
    // Where strength counts, what is too weak is not heard.
    guard let silence, configuration.beacons.enterRssi == 0 else { return }
    let due = seconds + (region.isHoldDown ? Double(configuration.regions.holdDown) : 0)
    let isCalm = ledger.calmSince.map { now - $0 > .seconds(900) } ?? false
    // Of several the one that may be silent for longest decides.
    let isUsual = radio.plan.duty == 100 && region.beacon.map { !radio.isPaired($0) } ?? true
    if silence < due - 0.5 || (isCalm && isUsual && silence > due + Self.tolerance) {
      ledger.complain(
        .truth, "\(region.name) is left after \(silence) s of silence, not \(due)", at: now)
    }
  }

  /// Any beacon of a region keeps the board inside: what sends once in a while is not gone before it would have sent.
  private func judge(left region: Region, besideSlow beacons: [Radio.Beacon]) {
    guard configuration.beacons.lossTimeout == 0, configuration.beacons.enterRssi == 0 else { return }
    for beacon in beacons where region.beacon?.matches(beacon.number) ?? false {
      let interval = Double(beacon.rhythm.interval)
      guard let silence = lastHeard.silence(of: beacon.number, at: now), silence < interval else { continue }
      ledger.complain(
        .truth,
        "\(region.name) is left, and a beacon of it that sends every \(interval) s was heard \(silence) s ago",
        at: now)
    }
  }
}
