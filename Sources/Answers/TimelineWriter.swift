import Core
import Model
import OwnTracks
import Timebase

/// Writes the events of a tracker as lines of a timeline that `homeward replay` plays (without line ends). Times count
/// from the board's start.
///
/// The surroundings of the tracker (network, battery, connection …) are remembered: a file that begins in the middle of
/// a drive states them first. It holds no secrets: neither settings nor anything received over the network.
public struct TimelineWriter {
  /// The surroundings that a replay begins with, in the order of its lines.
  private static let surroundings = [
    "network", "battery", "barometer", "ignition", "sos", "vehicleVolts", "scanner", "broker",
  ]
  /// Seconds by which the clock may drift from the last one written.
  private static let drift = 0.05

  private var written: [String: JSON] = ["broker": "down", "scanner": "down"]
  private var sharesAntenna = false
  private var clock: (wall: WallTime, at: Instant)?
  private var dilution: Double?

  /// For a tracker that nothing has happened to.
  public init() {}

  /// The first lines of a file: the tracker's state and its surroundings.
  public mutating func head(mode: ModeState, regions: [Snapshot.KnownRegion], at now: Moment) -> [String] {
    let state: JSON = [
      "regions": .array(
        regions.map { known in
          Waypoints.object(known.region, inside: known.presence == .unknown ? nil : known.presence == .inside)
        }),
      "mode": .integer(Int64(mode.mode.rawValue)), "downgraded": .boolean(mode.downgraded),
      "adapted": .boolean(mode.adapted),
    ]
    (clock, dilution) = (nil, nil)
    let zone = LocalZone.text(LocalZone.offset(at: now.wall?.wholeSeconds ?? 0))
    return [Self.line("state", state, now)] + clockLine(now) + [Self.line("zone", .string(zone), now)]
      + Self.surroundings.compactMap { kind in written[kind].map { line(kind, $0, now) } }
  }

  /// Empty: a replay has no use for the event.
  public mutating func lines(of event: Event, at now: Moment) -> [String] {
    let lines = happening(event, now)
    return lines.isEmpty ? [] : clockLine(now) + lines
  }

  /// A command line that a person gave to the daemon.
  public mutating func lines(of words: [String], at now: Moment) -> [String] {
    clockLine(now) + [Self.line("control", .array(words.map(JSON.string)), now)]
  }

  private mutating func happening(_ event: Event, _ now: Moment) -> [String] {
    switch event {
    case .reading(let reading): position(reading, now)
    case .sighted(let sighting): [Self.line("advert", sighting.json, now)]
    case .batteryChanged(let battery): news("battery", battery?.json ?? .null, now)
    case .networkChanged(let network): network.json.map { news("network", $0, now) } ?? []
    case .pressureMeasured(let pressure): news("barometer", pressure.map { .real($0) } ?? .null, now)
    case .ignition(let isOn): news("ignition", isOn.map { .boolean($0) } ?? .null, now)
    case .sosLine(let isOn): news("sos", isOn.map { .boolean($0) } ?? .null, now)
    // Two of the same are more than one.
    case .interference(let found): [Self.line("interference", found.json, now)]
    case .vehicleVolts(let volts): news("vehicleVolts", volts.map { .real($0) } ?? .null, now)
    case .carried(let bytes, _): news("carried", .integer(Int64(bytes)), now)
    case .scannerChanged(let state): scanner(state, now)
    case .brokerConnected: news("broker", "up", now)
    case .brokerLost: news("broker", "down", now)
    default: []
    }
  }

  /// A line if the value is new; a repeated value is no event to a replay either.
  private mutating func news(_ kind: String, _ value: JSON, _ now: Moment) -> [String] {
    guard written[kind] != value else { return [] }
    written[kind] = value
    return [line(kind, value, now)]
  }

  private mutating func scanner(_ state: ScannerState, _ now: Moment) -> [String] {
    let word: JSON = state.isHearing ? "up" : "down"
    guard written["scanner"] != word || sharesAntenna != state.sharesAntenna else { return [] }
    sharesAntenna = state.sharesAntenna
    written["scanner"] = word
    return [line("scanner", word, now)]
  }

  private mutating func position(_ reading: Reading, _ now: Moment) -> [String] {
    var lines: [String] = []
    // A position takes it from the preceding sky view.
    if let hdop = reading.hdop, hdop != dilution {
      dilution = hdop
      lines.append(Self.line("sky", ["hdop": .real(hdop)], now))
    }
    return lines + [Self.line("tpv", reading.json, now)]
  }

  private mutating func clockLine(_ now: Moment) -> [String] {
    guard let wall = now.wall else { return [] }
    if let clock {
      let expected = clock.wall + (now.instant - clock.at)
      guard (wall - expected).seconds.magnitude > Self.drift else { return [] }
    }
    clock = (wall, now.instant)
    return [Self.line("clock", .real(wall.seconds), now)]
  }

  private func line(_ kind: String, _ value: JSON, _ now: Moment) -> String {
    kind == "scanner" && sharesAntenna
      ? Self.line(kind, value, now, beside: [.init("sharesAntenna", true)]) : Self.line(kind, value, now)
  }

  /// Microseconds are enough for every rule.
  private static func line(
    _ kind: String, _ value: JSON, _ now: Moment, beside members: [JSON.Member] = []
  ) -> String {
    let micros = (now.instant - Instant.zero).nanoseconds / 1000
    let fraction = String(1_000_000 + micros % 1_000_000).dropFirst()
    let object = JSON.object([.init(kind, value)] + members).serialised(sortingKeys: false)
    return "{\"at\":\(micros / 1_000_000).\(fraction),"
      + String(decoding: object.dropFirst(), as: UTF8.self)
  }
}

extension Reading {
  /// In gpsd's names, without the fields that a replay does not read. The time is in Unix seconds.
  fileprivate var json: JSON {
    var json: JSON = ["mode": .integer(Int64(mode))]
    let values: [(String, Double?)] = [
      ("time", time?.seconds), ("lat", latitude), ("lon", longitude), ("altMSL", altitude), ("eph", eph),
      ("epx", epx), ("epy", epy), ("epv", epv), ("speed", speed), ("eps", eps), ("track", track),
    ]
    for (name, value) in values { json.set(name, value.map { .real($0) }) }
    if isReckoned || isSimulated { json.set("status", isReckoned ? 5 : 8) }
    if isDateImpossible { json.set("dateImpossible", true) }
    if isVoid { json.set("void", true) }
    return json
  }
}

extension Sighting {
  fileprivate var json: JSON {
    let pairs = (0..<6).map { index in
      let byte = String(256 + Int(address >> UInt64(40 - 8 * index) & 255), radix: 16, uppercase: true)
      return String(byte.dropFirst())
    }
    return [
      "uuid": .string(beacon.uuid.text), "major": .integer(Int64(beacon.major)),
      "minor": .integer(Int64(beacon.minor)), "power": .integer(Int64(power)),
      "rssi": .integer(Int64(rssi ?? 127)), "address": .string(pairs.joined(separator: ":")),
    ]
  }
}

extension Interference {
  fileprivate var json: JSON {
    ["jamming": .string(jamming.rawValue), "spoofing": .string(spoofing.rawValue)]
  }
}

extension Battery {
  fileprivate var json: JSON {
    let status =
      switch state {
      case .unknown: "Unknown"
      case .unplugged: "Discharging"
      case .charging: "Charging"
      case .full: "Full"
      }
    return ["level": .integer(Int64(level)), "status": .string(status)]
  }
}

extension Network {
  /// Nil: nothing is known.
  fileprivate var json: JSON? {
    switch self {
    case .unknown: return nil
    case .none: return ["kind": "none"]
    case .mobile: return ["kind": "mobile"]
    case .wired: return ["kind": "wired"]
    case .wifi(let ssid, let bssid, let megahertz):
      var json: JSON = ["kind": "wifi"]
      json.set("ssid", ssid.map { .string($0) })
      json.set("bssid", bssid.map { .string($0) })
      json.set("megahertz", megahertz.map { .integer(Int64($0)) })
      return json
    }
  }
}
