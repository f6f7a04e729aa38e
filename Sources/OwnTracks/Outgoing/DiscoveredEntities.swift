import Model

/// The part of an entity's description that is not common to all. A value that a message does not have,
/// such as a will, changes nothing. For that, numbers render nothing; words, times and attributes have to be rendered
/// again as they are, because there nothing would be a value of its own, and a line in Home Assistant's log.
extension Encoder {
  func describe(_ report: DiscoveryReport, _ message: inout JSON) {
    switch report.entity {
    case .place: describePlace(&message)
    case .battery: ofLocation(&message, "Battery", "batt", unit: "%", kind: "battery")
    case .charging: describeCharging(&message)
    case .speed: ofLocation(&message, "Speed", "vel", unit: "km/h", kind: "speed")
    case .altitude: ofLocation(&message, "Altitude", "alt", unit: "m", kind: "distance", "image-filter-hdr")
    case .course: describeCourse(&message)
    case .accuracy: ofLocation(&message, "Accuracy", "acc", unit: "m", kind: "distance", "crosshairs-gps")
    case .seen: describeSeen(&message)
    case .odometer: describeOdometer(&message)
    case .mode: describeMode(&message, isChosen: report.isModeChosen)
    case .queue: ofStatus(&message, "Waiting messages", "queueLength", "tray-full", isDiagnostic: true)
    case .network: describeNetwork(&message)
    case .satellites:
      ofStatus(
        &message, "Satellites", "\(Self.sourceKey).sats", "satellite-variant", isDiagnostic: true)
    case .dataMonth: describeData(&message)
    case .nextCheckIn: describeCheckIn(&message)
    case .batteryStep: describeStep(&message)
    case .ignition: describeIgnition(&message)
    case .vehicleVolts: describeVolts(&message)
    case .sos: describeSOS(&message)
    case .jamming: describeInterference(&message, "Receiver jammed", "jamming", "signal-off")
    case .spoofing: describeInterference(&message, "Receiver spoofed", "spoofing", "map-marker-alert")
    case .acknowledgeSOS: describeAcknowledging(&message)
    case .trip: describeTrip(&message)
    case .tow: describeAlarm(&message, "Towed", "tow", ["tow"], "'tow'", "tow-truck")
    case .anchor: describeAlarm(&message, "Anchor", "anchor", ["anchor"], "'anchor'", "anchor")
    case .anchorAlarm: describeAnchorAlarm(&message)
    case .overspeed:
      describeAlarm(
        &message, "Overspeed", "overspeed", ["begin", "end"], "value_json.event", "speedometer")
    case .harsh: describeHarshDriving(&message)
    case .locate: describeLocate(&message)
    case .region(let rid, let name): describeRegion(&message, rid, name)
    }
  }

  // MARK: Values of the location

  private func ofLocation(
    _ message: inout JSON, _ name: String, _ key: String, unit: String, kind: String, _ icon: String? = nil
  ) {
    message.set("name", .string(name))
    message.set("state_topic", .string(topics.base))
    message.set("value_template", .string(Self.value("value_json.\(key)")))
    message.set("unit_of_measurement", .string(unit))
    message.set("device_class", .string(kind))
    message.set("state_class", "measurement")
    message.set("icon", icon.map { .string("mdi:\($0)") })
  }

  private static func value(_ path: String) -> String { "{{ \(path) if \(path) is defined }}" }

  /// Renders an entity of these words where a message does not mention it: the word that it has. Older versions of
  /// Home Assistant know no `options`, take any word, and would show "None".
  private static func unchanged(_ words: [String]) -> String {
    let list = words.map { "'\($0)'" }.joined(separator: ", ")
    return "this.state if this.state in [\(list)]"
      + " else 'None' if this.attributes.options is defined else 'unknown'"
  }

  /// The device's main entity: it has no name of its own.
  private func describePlace(_ message: inout JSON) {
    message.set("name", .null)
    message.set("source_type", "gps")
    message.set("json_attributes_topic", .string(topics.base))
    message.set(
      "json_attributes_template",
      .string(
        "{% if value_json._type == 'location' %}"
          + "{{ {'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.acc,"
          + " 'inregions': value_json.inregions | default([])} | tojson }}"
          // Without this the will would take the place away.
          + "{% elif this.attributes.latitude is defined %}"
          + "{{ {'latitude': this.attributes.latitude, 'longitude': this.attributes.longitude,"
          + " 'gps_accuracy': this.attributes.gps_accuracy | default(0),"
          + " 'inregions': this.attributes.inregions | default([])} | tojson }}"
          + "{% else %}{}{% endif %}"))
  }

  private func describeCharging(_ message: inout JSON) {
    message.set("name", "Charging")
    message.set("device_class", "battery_charging")
    message.set("state_topic", .string(topics.base))
    message.set(
      "value_template", "{{ ('ON' if value_json.bs in [2, 3] else 'OFF') if value_json.bs is defined }}")
  }

  /// Without a class of state: the mean of north-west and north-east is not south.
  private func describeCourse(_ message: inout JSON) {
    message.set("name", "Course")
    message.set("state_topic", .string(topics.base))
    message.set("value_template", .string(Self.value("value_json.cog")))
    message.set("unit_of_measurement", "\u{b0}")
    message.set("icon", "mdi:compass-outline")
  }

  private func describeSeen(_ message: inout JSON) {
    message.set("name", "Last position")
    message.set("device_class", "timestamp")
    message.set("state_topic", .string(topics.base))
    message.set("icon", "mdi:map-clock-outline")
    message.set(
      "value_template",
      .string(
        "{{ (value_json.tst | as_datetime).isoformat() if value_json._type == 'location'"
          + " else this.state if this.state not in ['unknown', 'unavailable'] else 'None' }}"))
  }

  private func describeOdometer(_ message: inout JSON) {
    message.set("name", "Odometer")
    message.set("state_topic", .string(topics.base))
    message.set("value_template", .string(Self.value("value_json.odometer")))
    message.set("unit_of_measurement", "km")
    message.set("device_class", "distance")
    message.set("state_class", "total_increasing")
    message.set("icon", "mdi:counter")
  }

  private func describeRegion(_ message: inout JSON, _ rid: String, _ name: String) {
    message.set("name", .string(name))
    message.set("device_class", "enum")
    let words = ["in", "out"]
    message.set("options", .array(words.map { .string($0) }))
    message.set("icon", "mdi:map-marker-radius")
    message.set("state_topic", .string(topics.base))
    let quoted = JSON.string(rid).description
    message.set(
      "value_template",
      .string(
        "{{ ('in' if \(quoted) in value_json.inrids else 'out') if value_json.inrids is defined"
          + " else \(Self.unchanged(words)) }}"))
  }

  // MARK: Values of the status

  private func ofStatus(
    _ message: inout JSON, _ name: String, _ key: String, _ icon: String, isDiagnostic: Bool
  ) {
    message.set("name", .string(name))
    message.set("state_topic", .string(topics.topic(.status)))
    // The broker's message for a board that is gone has neither.
    let group =
      key.split(separator: ".").count > 1 ? "value_json.linux.\(Self.sourceKey) is defined and " : ""
    let path = "value_json.linux.\(key)"
    message.set("value_template", .string("{{ \(path) if \(group)\(path) is defined }}"))
    message.set("state_class", "measurement")
    message.set("icon", .string("mdi:\(icon)"))
    if isDiagnostic { message.set("entity_category", "diagnostic") }
  }

  private func describeNetwork(_ message: inout JSON) {
    ofStatus(&message, "Connection", "network", "access-point-network", isDiagnostic: true)
    message.set("state_class", nil)
    message.set("device_class", "enum")
    let words = ["wifi", "mobile", "wired", "none"]
    message.set("options", .array(words.map { .string($0) }))
    let path = "value_json.linux.network"
    message.set(
      "value_template", .string("{{ \(path) if \(path) is defined else \(Self.unchanged(words)) }}"))
  }

  private func describeData(_ message: inout JSON) {
    ofStatus(&message, "Data this month", "dataMonth", "counter", isDiagnostic: true)
    let path = "value_json.linux.dataMonth"
    message.set("value_template", .string("{{ (\(path) / 1000000) | round(2) if \(path) is defined }}"))
    message.set("unit_of_measurement", "MB")
    message.set("device_class", "data_size")
    message.set("state_class", "total_increasing")
  }

  /// Of a board that is switched off until then; of any other none.
  private func describeCheckIn(_ message: inout JSON) {
    message.set("name", "Next check-in")
    message.set("device_class", "timestamp")
    message.set("state_topic", .string(topics.topic(.status)))
    message.set("icon", "mdi:sleep")
    let path = "value_json.linux.nextCheckIn"
    message.set(
      "value_template",
      .string("{{ (\(path) | as_datetime).isoformat() if \(path) is defined else 'None' }}"))
  }

  private func describeStep(_ message: inout JSON) {
    message.set("name", "Battery step")
    message.set("state_topic", .string(topics.topic(.status)))
    message.set("icon", "mdi:battery-arrow-down")
    message.set("entity_category", "diagnostic")
    message.set("device_class", "enum")
    let words = ["none"] + BatteryStep.allCases.map(\.word)
    message.set("options", .array(words.map { .string($0) }))
    let path = "value_json.linux.batteryStep"
    message.set(
      "value_template", .string("{{ \(path) if \(path) is defined else \(Self.unchanged(words)) }}"))
  }

  private func describeVolts(_ message: inout JSON) {
    ofStatus(&message, "Vehicle battery", "vehicleVolts", "car-battery", isDiagnostic: false)
    message.set("unit_of_measurement", "V")
    message.set("device_class", "voltage")
  }

  private func describeIgnition(_ message: inout JSON) {
    ofStatus(&message, "Ignition", "ignition", "key", isDiagnostic: false)
    message.set("state_class", nil)
    let path = "value_json.linux.ignition"
    message.set("value_template", .string("{{ ('ON' if \(path) else 'OFF') if \(path) is defined }}"))
  }

  /// Open until somebody has acknowledged it.
  private func describeSOS(_ message: inout JSON) {
    message.set("name", "SOS")
    message.set("device_class", "safety")
    message.set("state_topic", .string(topics.topic(.status)))
    message.set("icon", "mdi:alert-octagon")
    message.set(
      "value_template",
      "{{ ('ON' if value_json.linux.sos is defined else 'OFF') if value_json.linux.mode is defined }}")
  }

  /// A word for as long as it lasts.
  private func describeInterference(_ message: inout JSON, _ name: String, _ key: String, _ icon: String) {
    message.set("name", .string(name))
    message.set("device_class", "problem")
    message.set("state_topic", .string(topics.topic(.status)))
    message.set("icon", .string("mdi:\(icon)"))
    message.set(
      "value_template",
      .string(
        "{{ ('ON' if value_json.linux.\(key) is defined else 'OFF') if value_json.linux.mode is defined }}"))
  }

  private func describeMode(_ message: inout JSON, isChosen: Bool) {
    message.set("name", "Mode")
    message.set("icon", "mdi:radar")
    message.set("state_topic", .string(topics.topic(.status)))
    let words = ["quiet", "manual", "significant", "move"]
    message.set("options", .array(words.map { .string($0) }))
    // A choice takes a mode or none; a word that is only looked at stays as it is.
    let modes = "{-1: 'quiet', 0: 'manual', 1: 'significant', 2: 'move'}"
    let unknown = isChosen ? "'none'" : Self.unchanged(words)
    message.set(
      "value_template",
      .string("{{ \(modes)[value_json.linux.mode] if value_json.linux.mode is defined else \(unknown) }}"))
    guard isChosen else { return message.set("device_class", "enum") }
    message.set("command_topic", .string(topics.topic(.command)))
    message.set(
      "command_template",
      .string(
        "{\"_type\":\"cmd\",\"action\":\"setConfiguration\",\"configuration\":{\"_type\":\"configuration\","
          + "\"monitoring\":{{ {'quiet': -1, 'manual': 0, 'significant': 1, 'move': 2}[value] }}}}"))
  }

  private func describeAnchorAlarm(_ message: inout JSON) {
    message.set("name", "Anchor alarm")
    message.set("icon", "mdi:anchor")
    message.set("state_topic", .string(topics.topic(.status)))
    message.set(
      "value_template",
      "{{ value_json.linux.anchorAlarm | default(0) if value_json.linux.mode is defined }}")
    message.set("command_topic", .string(topics.topic(.command)))
    message.set(
      "command_template",
      "{\"_type\":\"cmd\",\"action\":\"setConfiguration\",\"configuration\":{\"_type\":\"configuration\",\"anchorAlarm\":{{ value | int }}}}"
    )
    for (key, value) in [("min", 0), ("max", 100_000), ("step", 1)] as [(String, Int64)] {
      message.set(key, .integer(value))
    }
    message.set("mode", "box")
    message.set("unit_of_measurement", "m")
    message.set("device_class", "distance")
  }

  // MARK: Events, and an order

  private func describeTrip(_ message: inout JSON) {
    message.set("name", "Trip")
    message.set("icon", "mdi:road-variant")
    message.set("state_topic", .string(topics.topic(.trip)))
    message.set("event_types", ["start", "stop"])
    message.set(
      "value_template",
      .string("{{ {'event_type': value_json.event, \(Self.details(["distance", "duration"]))} | tojson }}"))
  }

  /// `type`: what the event is called, as a template has it.
  private func describeAlarm(
    _ message: inout JSON, _ name: String, _ alarm: String, _ types: [String], _ type: String, _ icon: String
  ) {
    message.set("name", .string(name))
    message.set("icon", .string("mdi:\(icon)"))
    message.set("state_topic", .string(topics.topic(.alarm)))
    message.set("event_types", .array(types.map { .string($0) }))
    let details = Self.details(["distance", "limit", "top", "desc"])
    message.set(
      "value_template",
      .string(
        "{% if value_json.alarm == '\(alarm)' %}"
          + "{{ {'event_type': \(type), \(details)} | tojson }}{% endif %}"))
  }

  private func describeHarshDriving(_ message: inout JSON) {
    message.set("name", "Harsh driving")
    message.set("icon", "mdi:car-brake-alert")
    message.set("state_topic", .string(topics.topic(.alarm)))
    let kinds = HarshManoeuvre.Kind.allCases.map(\.rawValue)
    message.set("event_types", .array(kinds.map { .string($0) }))
    let list = kinds.map { "'\($0)'" }.joined(separator: ", ")
    message.set(
      "value_template",
      .string(
        "{% if value_json.alarm in [\(list)] %}"
          + "{{ {'event_type': value_json.alarm, \(Self.details(["g", "vel"]))} | tojson }}{% endif %}"))
  }

  /// Attributes of an event; what it does not have is null.
  private static func details(_ keys: [String]) -> String {
    (["latitude", "longitude"] + keys).map { key in
      let name = key == "latitude" ? "lat" : key == "longitude" ? "lon" : key
      return "'\(key)': value_json.\(name) | default(none)"
    }.joined(separator: ", ")
  }

  private func describeLocate(_ message: inout JSON) {
    message.set("name", "Report location")
    message.set("icon", "mdi:crosshairs-question")
    message.set("command_topic", .string(topics.topic(.command)))
    message.set("payload_press", "{\"_type\":\"cmd\",\"action\":\"reportLocation\"}")
  }

  private func describeAcknowledging(_ message: inout JSON) {
    message.set("name", "Acknowledge SOS")
    message.set("icon", "mdi:check-circle")
    message.set("command_topic", .string(topics.topic(.command)))
    message.set("payload_press", "{\"_type\":\"cmd\",\"action\":\"acknowledgeSos\"}")
  }
}
