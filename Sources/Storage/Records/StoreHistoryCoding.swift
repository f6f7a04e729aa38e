import Model
import Timebase

/// A published location of the history, as bytes and back: all that a track or a list shows of it. The
/// picture went out and is not kept, nor are the odometer and the channel of a WiFi.
extension StoreRecord {
  /// Its number, the location, and what else its fix is. Nil for other kinds.
  var historyPoint: (id: Int64, report: LocationReport, states: PointStates)? {
    guard kind == .history else { return nil }
    var fields = fields
    let id = fields.number(Int64.self)
    guard let report = fields.location(), !fields.isShort else { return nil }
    let states = fields.left > 0 ? PointStates(rawValue: fields.number(UInt8.self)) : []
    return (id, report, states)
  }
}

/// Other states that a history point stands for, so that its fix is not written three times. Permanent on the disk.
struct PointStates: OptionSet {
  let rawValue: UInt8

  static let position = PointStates(rawValue: 1)
  static let reference = PointStates(rawValue: 2)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The states of a batch that this point stands for: the same fix, and no other of its kind.
  init(of writes: [StoreWrite], by point: StoreWrite) {
    self = []
    guard case .history(let report) = point else { return }
    let positions = writes.compactMap { if case .position(let fix) = $0 { fix } else { nil } }
    let references = writes.compactMap { if case .reference(let fix) = $0 { fix } else { nil } }
    if positions == [report.fix] { insert(.position) }
    if references == [report.fix] { insert(.reference) }
  }

  /// Whether the point says this write, so that it needs no record.
  func says(_ write: StoreWrite) -> Bool {
    switch write {
    case .position: contains(.position)
    case .reference: contains(.reference)
    default: false
    }
  }

  /// The records that it stands for.
  func records(_ fix: Fix, revision: UInt32) -> [StoreRecord] {
    let writes: [StoreWrite] = [.reference(fix), .position(fix)]
    return writes.filter(says).map { StoreRecord.encoding($0, revision: revision) }
  }
}

extension StoreRecord {
  /// Which points go. Nil for other kinds, and where it makes no sense.
  var removedPart: HistoryPart? {
    guard kind == .pointsRemoved else { return nil }
    var fields = fields
    let (first, last) = (fields.number(Int64.self), fields.number(Int64.self))
    let (from, to) = (fields.double(), fields.double())
    guard !fields.isShort, first <= last, from <= to else { return nil }
    return HistoryPart(numbers: first...last, times: from...to)
  }
}

extension ByteWriter {
  mutating func part(_ part: HistoryPart) {
    number(part.numbers.lowerBound)
    number(part.numbers.upperBound)
    double(part.times.lowerBound)
    double(part.times.upperBound)
  }
}

extension Trigger {
  /// Permanent on the disk: never renumber.
  fileprivate static let stored: [Trigger] = [
    .automatic, .user, .remote, .timer, .ping, .circular, .follow, .beacon, .tow, .overspeed,
    .ignition(isOn: true), .ignition(isOn: false), .power(isOn: false), .power(isOn: true),
    .harsh(.braking), .harsh(.acceleration), .harsh(.cornering), .lowBattery, .batteryWell, .sos,
  ]
}

extension ByteWriter {
  mutating func location(_ report: LocationReport) {
    fix(report.fix)
    double(report.time.seconds)
    optional(report.created?.seconds)
    number(UInt8(Trigger.stored.firstIndex(of: report.trigger) ?? 0))
    number(Int8(report.mode.rawValue))
    optional(report.battery) { writer, battery in
      writer.number(UInt8(clamping: battery.level))
      writer.number(UInt8(battery.state.rawValue))
    }
    network(report.network)
    optional(report.pressure)
    number(UInt32(report.inside.count))
    for region in report.inside {
      optional(region.name)
      text(region.rid)
    }
    optional(report.poi)
    optional(report.tag)
  }

  private mutating func network(_ network: Network) {
    // Permanent on the disk, as the triggers.
    switch network {
    case .unknown: number(UInt8(0))
    case .none: number(UInt8(1))
    case .wifi(let ssid, let bssid, _):
      number(UInt8(2))
      optional(ssid)
      optional(bssid)
    case .mobile: number(UInt8(3))
    case .wired: number(UInt8(4))
    }
  }
}

extension ByteReader {
  mutating func location() -> LocationReport? {
    guard let fix = fix(), let time = time() else { return nil }
    let created = optional { $0.time() } ?? nil
    let trigger = Int(number(UInt8.self))
    // A value that only a later version knows costs this point and no other.
    guard let mode = MonitoringMode(rawValue: Int(number(Int8.self))),
      Trigger.stored.indices.contains(trigger)
    else { return nil }
    let battery = optional { reader in
      Battery(
        level: min(100, Int(reader.number(UInt8.self))),
        state: Battery.State(rawValue: Int(reader.number(UInt8.self))) ?? .unknown)
    }
    let network = network()
    let pressure = optionalDouble()
    var inside: [LocationReport.InsideRegion] = []
    let count = Int(number(UInt32.self))
    // Each has a flag and a length at least.
    guard count <= left / 5 else { return nil }
    for _ in 0..<count {
      inside.append(LocationReport.InsideRegion(name: optionalText(), rid: text()))
    }
    return LocationReport(
      fix: fix, time: time, created: created, trigger: Trigger.stored[trigger], mode: mode, battery: battery,
      network: network, pressure: pressure, inside: inside, poi: optionalText(), tag: optionalText())
  }

  private mutating func network() -> Network {
    switch number(UInt8.self) {
    case 1: .none
    case 2: .wifi(ssid: optionalText(), bssid: optionalText())
    case 3: .mobile
    case 4: .wired
    default: .unknown
    }
  }
}
