import Model
import OwnTracks
import Timebase

/// Reads a timeline, line by line. It remembers the time and the latest sky view, because a position
/// report without an error estimate falls back on the dilution of the satellites' geometry.
struct TimelineReader {
  private static let kinds = [
    "clock", "tpv", "sky", "advert", "scanner", "battery", "network", "broker", "message", "control",
    "barometer", "ignition", "sos", "interference", "vehicleVolts", "carried", "zone", "restart", "state",
    "end",
  ]

  /// Further keys that a line of a kind may have.
  private static let companions = ["broker": ["ack", "ackDelay"], "scanner": ["sharesAntenna"]]

  private let file: String
  private let base: BeaconNumberBase
  private var number = 0
  private var last = Span.zero
  private var hdop: Double?

  init(file: String, numberBase: BeaconNumberBase) {
    base = numberBase
    self.file = file
  }

  /// Nil for a line that says nothing by itself: an empty one, or a sky view.
  mutating func entry(_ line: some Collection<UInt8>) throws(ReplayError) -> TimelineEntry? {
    number += 1
    guard line.contains(where: { $0 > 32 }) else { return nil }
    let json: JSON
    do { json = try JSON.parse(Array(line), limit: ConfigurationFile.limit) } catch {
      throw refusal("not JSON: column \(error.column): \(error.reason)")
    }
    guard let members = json.members else { throw refusal("expected a JSON object") }
    let at = try time(json["at"])
    let kind = try kind(members)
    guard let what = try happening(kind, json[kind] ?? .null, json) else { return nil }
    return TimelineEntry(at: at, what: what, line: number)
  }

  private mutating func time(_ json: JSON?) throws(ReplayError) -> Span {
    guard let seconds = json?.double, seconds >= 0, seconds < 1e9 else {
      throw refusal("at: \(shown(json)), expected seconds since the start, 0 or more")
    }
    let at = Span.seconds(seconds)
    guard at >= last else {
      throw refusal("at: \(shown(json)) is earlier than the line before, which is at \(at: last)")
    }
    last = at
    return at
  }

  private func kind(_ members: [JSON.Member]) throws(ReplayError) -> String {
    let others = members.map(\.key).filter { $0 != "at" }
    let known = others.filter { Self.kinds.contains($0) }
    guard known.count == 1, let kind = known.first else {
      let got = others.isEmpty ? "nothing" : others.joined(separator: ", ")
      throw refusal(
        "beside at there is \(got), expected exactly one of \(Self.kinds.joined(separator: ", "))")
    }
    let extra = Self.companions[kind] ?? []
    if let unknown = others.first(where: { $0 != kind && !extra.contains($0) }) {
      throw refusal("\(unknown): not known beside \(kind)")
    }
    return kind
  }

  private mutating func happening(
    _ kind: String, _ value: JSON, _ line: JSON
  ) throws(ReplayError) -> TimelineEntry.Happening? {
    switch kind {
    case "tpv":
      return .reading(GPSDReport.reading(fromTPV: try object(value, kind), hdop: hdop))
    case "sky":
      hdop = GPSDReport.sky(try object(value, kind)).hdop ?? hdop
      return nil
    case "clock": return .clock(try seconds(value, kind))
    case "zone": return .zone(try zone(value))
    case "battery": return .battery(try battery(value))
    case "network": return .network(try network(value))
    case "barometer": return .pressure(value.isNull ? nil : try seconds(value, kind, unit: "kilopascal"))
    case "ignition": return .ignition(value.isNull ? nil : try isOn(value, kind))
    case "sos": return .sos(value.isNull ? nil : try isOn(value, kind))
    case "interference":
      return .interference(
        Interference(jamming: try level("jamming", of: value), spoofing: try level("spoofing", of: value)))
    case "vehicleVolts": return .vehicleVolts(value.isNull ? nil : try seconds(value, kind, unit: "volts"))
    case "carried": return .carried(Int(try seconds(value, kind, unit: "bytes").rounded(.down)))
    case "broker": return .broker(try broker(value, line))
    case "advert": return .sighting(try sighting(try object(value, kind)))
    case "scanner": return .scanner(try scanner(value, line))
    case "message": return try message(try object(value, kind))
    case "control": return .control(try words(value))
    case "restart": return .restart(isKilled: try isKilled(value))
    case "state": return .stored(try StoredState(value, file: file, line: number, numberBase: base))
    case "end":
      guard value.flag == true else { throw refusal("end: \(shown(value)), expected true") }
      return .end
    default: return .unanswered(kind: kind)
    }
  }

  // MARK: - Values

  private func object(_ value: JSON, _ kind: String) throws(ReplayError) -> JSON {
    guard value.members != nil else { throw refusal("\(kind): \(shown(value)), expected an object") }
    return value
  }

  private func seconds(
    _ value: JSON, _ kind: String, unit: String = "Unix seconds"
  ) throws(ReplayError) -> Double {
    guard let number = value.double, number >= 0, number < 1e11 else {
      throw refusal("\(kind): \(shown(value)), expected a number of \(unit)")
    }
    return number
  }

  private func zone(_ value: JSON) throws(ReplayError) -> Int {
    guard let zone = value.text.flatMap(LocalZone.seconds) else {
      throw refusal("zone: \(shown(value)), expected hours and minutes east of Greenwich such as \"+02:00\"")
    }
    return zone
  }

  /// `level` and `status` as the kernel's power supply class words them.
  private func battery(_ value: JSON) throws(ReplayError) -> Battery? {
    if value.isNull { return nil }
    guard let level = value["level"]?.int, (0...100).contains(level) else {
      throw refusal("battery.level: \(shown(value["level"])), expected a whole number from 0 to 100, or null")
    }
    let state: Battery.State
    switch value["status"]?.text {
    case "Charging": state = .charging
    case "Full": state = .full
    case "Discharging", "Not charging": state = .unplugged
    case "Unknown", nil: state = .unknown
    case let other?:
      throw refusal(
        "battery.status: \(other), expected Charging, Discharging, Not charging, Full or Unknown")
    }
    return Battery(level: level, state: state)
  }

  private func network(_ value: JSON) throws(ReplayError) -> Network {
    switch value["kind"]?.text {
    case "wifi":
      return .wifi(
        ssid: value["ssid"]?.text, bssid: value["bssid"]?.text?.lowercased(),
        megahertz: value["megahertz"]?.int)
    case "mobile": return .mobile
    case "wired": return .wired
    case "none": return .none
    default:
      throw refusal("network.kind: \(shown(value["kind"])), expected wifi, mobile, wired or none")
    }
  }

  private func broker(_ value: JSON, _ line: JSON) throws(ReplayError) -> TimelineEntry.BrokerChange {
    guard let word = value.text, ["up", "down"].contains(word) else {
      throw refusal("broker: \(shown(value)), expected \"up\" or \"down\"")
    }
    var change = TimelineEntry.BrokerChange(isUp: word == "up")
    if let ack = line["ack"] {
      guard let flag = ack.flag else { throw refusal("ack: \(shown(ack)), expected true or false") }
      change.acknowledges = flag
    }
    if let delay = line["ackDelay"] {
      change.delay = .seconds(try seconds(delay, "ackDelay", unit: "seconds"))
    }
    return change
  }

  private func words(_ value: JSON) throws(ReplayError) -> [String] {
    let words = value.elements?.compactMap(\.text) ?? []
    guard !words.isEmpty, words.count == value.elements?.count else {
      throw refusal("control: expected an array of words, as after homeward")
    }
    return words
  }

  private func message(_ value: JSON) throws(ReplayError) -> TimelineEntry.Happening {
    guard let topic = value["topic"]?.text else {
      throw refusal("message.topic: \(shown(value["topic"])), expected a text")
    }
    guard let payload = value["payload"] else { throw refusal("message.payload: missing") }
    let isRetained = try flag("retained", of: value)
    // A text is sent as it is: it may be anything but JSON.
    let bytes = payload.text.map { Array($0.utf8) } ?? payload.serialised(sortingKeys: false)
    return .message(
      topic: topic, payload: bytes, isRetained: isRetained, isEncrypted: try flag("encrypted", of: value))
  }

  private func flag(_ key: String, of message: JSON) throws(ReplayError) -> Bool {
    let value = message[key] ?? false
    guard let flag = value.flag else {
      throw refusal("message.\(key): \(shown(value)), expected true or false")
    }
    return flag
  }

  private func isOn(_ value: JSON, _ kind: String) throws(ReplayError) -> Bool {
    guard let flag = value.flag else {
      throw refusal("\(kind): \(shown(value)), expected true, false or null")
    }
    return flag
  }

  private func level(_ key: String, of value: JSON) throws(ReplayError) -> Interference.Level {
    guard let word = try object(value, "interference")[key] else { return .unknown }
    guard let level = word.text.flatMap(Interference.Level.init) else {
      let words = Interference.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw refusal("interference.\(key): \(shown(word)), expected one of \(words)")
    }
    return level
  }

  private func isKilled(_ value: JSON) throws(ReplayError) -> Bool {
    if value.flag == true { return false }
    guard value.text == "kill" else { throw refusal("restart: \(shown(value)), expected true or \"kill\"") }
    return true
  }

  func shown(_ value: JSON?) -> String {
    guard let value else { return "missing" }
    let text = value.description
    return text.count > 40 ? String(text.prefix(40)) + "…" : text
  }

  func refusal(_ text: String) -> ReplayError { ReplayError(file: file, line: number, text: text) }
}

extension DefaultStringInterpolation {
  /// Seconds since the start without needless zeros: `10`, `10.05`.
  mutating func appendInterpolation(at span: Span) {
    appendLiteral(ReplayOutput.seconds(span))
  }
}
