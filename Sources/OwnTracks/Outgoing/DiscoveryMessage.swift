import Model

/// Home Assistant's MQTT discovery: one retained message an entity; an empty one takes it back.
extension Encoder {
  func encode(_ report: DiscoveryReport) -> Message {
    let component = Self.component(of: report)
    let topic = "\(configuration.dashboard.discoveryPrefix)/\(component)/\(node)/\(report.entity.key)/config"
    let payload = description(of: report, component).serialised()
    return Message(topic: topic, payload: payload, qos: 1, isRetained: true, isEvent: true, time: 0)
  }

  /// Letters, digits and `_`, as Home Assistant wants it. Cards are cloned with the machine's id on them, so the base
  /// topic is in it as well; without a machine id the client id must do.
  private var node: String {
    let isSet = topics.clientIdForm == "configured"
    let id = isSet ? ClientID.bare(topics.clientId) ?? "" : topics.clientId
    let board = additions.board.number.isEmpty ? id : additions.board.number
    let letters = ClientID.bare(board) ?? ""
    let digits = String(Self.digest(of: board + "/" + topics.base), radix: 16)
    return "homeward_\(letters)_\(String(repeating: "0", count: 8 - digits.count))\(digits)"
  }

  /// FNV-1a.
  private static func digest(of text: String) -> UInt32 {
    text.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }

  private static func component(of report: DiscoveryReport) -> String {
    switch report.entity {
    case .place: "device_tracker"
    case .charging, .ignition, .sos, .jamming, .spoofing: "binary_sensor"
    case .trip, .tow, .overspeed, .harsh, .anchor: "event"
    case .anchorAlarm: "number"
    case .locate, .acknowledgeSOS: "button"
    case .mode where report.isModeChosen: "select"
    case .battery, .speed, .altitude, .course, .accuracy, .seen, .odometer, .mode, .queue, .network,
      .satellites, .dataMonth, .vehicleVolts, .nextCheckIn, .batteryStep, .region:
      "sensor"
    }
  }

  private func description(of report: DiscoveryReport, _ component: String) -> JSON {
    let id = "\(Self.plain(topics.device))_\(Self.readableKey(of: report.entity))"
    var message: JSON = [
      "unique_id": .string("\(node)_\(report.entity.key)"),
      // The first for versions up to 2026.3, the second from 2025.10 on.
      "object_id": .string(id), "default_entity_id": .string("\(component).\(id)"),
      "device": device, "origin": ["name": "Homeward", "sw_version": .string(additions.board.version)],
    ]
    if !Self.isOfLastPlace(report.entity) {
      message.set("availability", availability)
      message.set("availability_mode", "latest")
    }
    describe(report, &message)
    if let seconds = heardWithin, !Self.isOfLastPlace(report.entity),
      component == "sensor" || component == "binary_sensor",
      message["state_topic"]?.text == topics.topic(.status)
    {
      message.set("expire_after", .integer(Int64(seconds)))
    }
    return message
  }

  /// The readable part of an entity's id: for a region its name.
  private static func readableKey(of entity: DiscoveredEntity) -> String {
    guard case .region(_, let name) = entity else { return entity.key }
    let readable = plain(name)
    return readable.contains { $0 != "_" } ? readable : entity.key
  }

  /// Lower-case ASCII letters, digits and `_`.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for character in text.lowercased() {
      let isKept = character.isASCII && (character.isLetter || character.isNumber)
      if isKept { plain.append(character) } else if plain.last != "_" { plain.append("_") }
    }
    return plain
  }

  private var device: JSON {
    var device: JSON = [
      "identifiers": [.string(node)], "name": .string(topics.device), "manufacturer": "Homeward",
      "sw_version": .string(additions.board.version),
    ]
    device.set("model", additions.board.model.map { .string($0) })
    return device
  }

  /// The last known place stays true when the board is gone, as with a phone: a van that is parked and switched off is
  /// where it was parked. If it became unavailable, each start would be an arrival to automations, and a will that came
  /// after the other one would take the place away.
  private static func isOfLastPlace(_ entity: DiscoveredEntity) -> Bool {
    switch entity {
    // A call for help is open until somebody has acknowledged it, also where the board is gone.
    case .place, .accuracy, .seen, .region, .sos: true
    case .battery, .charging, .speed, .altitude, .course, .odometer, .mode, .queue, .network, .satellites,
      .dataMonth, .nextCheckIn, .batteryStep, .ignition, .vehicleVolts, .trip, .tow, .overspeed, .harsh,
      .anchor, .anchorAlarm, .locate, .acknowledgeSOS, .jamming, .spoofing:
      false
    }
  }

  /// How late a check-in may be, seconds.
  private static let checkInPatience = 3600

  /// Of a board that is switched off and wakes to check in: the time within which it is heard, seconds. Nil: it is there
  /// all the time.
  private var heardWithin: Int? {
    let hours = configuration.power.longestSleep
    return hours > 0 ? Int((hours * 3600).rounded()) + Self.checkInPatience : nil
  }

  /// Our own word on `status`, and the broker's when we vanish; a location says nothing about it. From its own start
  /// on Home Assistant takes us to be gone until it hears from us, as we do from it: a broker that was restarted just
  /// after a power cut has lost the will and kept our word.
  /// A board that sleeps until its next check-in is there, and cannot answer a start of Home Assistant; its silence
  /// ends by `expire_after`; one that was overdue before that start is gone.
  private var availability: JSON {
    let isThere = "value_json.linux.online | default(true)"
    let word = "value_json.linux.nextCheckIn | default(0)"
    let isAsleep = heardWithin == nil ? "" : " or \(word) > now().timestamp() - \(Self.checkInPatience)"
    let own: JSON = [
      "topic": .string(topics.topic(.status)),
      "value_template": .string("{{ 'online' if \(isThere)\(isAsleep) else 'offline' }}"),
    ]
    let will: JSON = [
      "topic": .string(topics.base),
      "value_template": "{{ 'offline' if value_json._type == 'lwt' else 'unchanged' }}",
    ]
    let birth: JSON = [
      "topic": .string(Topics.birth), "payload_available": "unchanged", "payload_not_available": "online",
    ]
    return heardWithin == nil ? [own, will, birth] : [own, will]
  }
}
