import Model

/// Home Assistant's MQTT discovery: one retained message an entity, empty to take it back.
extension Encoder {
  func encode(_ report: DiscoveryReport) -> Message {
    let (component, object) = Self.place(of: report)
    let topic = "\(configuration.dashboard.discoveryPrefix)/\(component)/\(node)/\(object)/config"
    let payload = report.isGone ? [] : description(of: report, object).serialised()
    return Message(topic: topic, payload: payload, qos: 1, isRetained: true, isEvent: true, time: 0)
  }

  /// Letters, digits and `_`, as Home Assistant wants it; without a machine id the client id must do.
  private var node: String {
    "homeward_" + (additions.board.number.isEmpty ? topics.clientId : additions.board.number)
  }

  private static func place(of report: DiscoveryReport) -> (component: String, object: String) {
    switch report.entity {
    case .place: ("device_tracker", "place")
    case .charging: ("binary_sensor", "charging")
    case .region(let rid, _):
      ("binary_sensor", "region_" + rid.filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
    case .mode: (report.isModeChosen ? "select" : "sensor", "mode")
    case .battery, .speed, .altitude, .course, .accuracy, .seen, .queue: ("sensor", report.entity.key)
    }
  }

  private func description(of report: DiscoveryReport, _ object: String) -> JSON {
    var message: JSON = [
      "unique_id": .string("\(node)_\(object)"), "object_id": .string("\(topics.device)_\(object)"),
      "device": device, "availability": availability, "availability_mode": "latest",
      "state_topic": .string(topics.base),
    ]
    switch report.entity {
    case .place: describePlace(&message)
    case .battery: describe(&message, "Battery", "batt", unit: "%", kind: "battery")
    case .charging: describeCharging(&message)
    case .speed: describe(&message, "Speed", "vel", unit: "km/h", kind: "speed")
    case .altitude: describe(&message, "Altitude", "alt", unit: "m", kind: "distance")
    case .course: describe(&message, "Course", "cog", unit: "\u{b0}", kind: nil)
    case .accuracy: describe(&message, "Accuracy", "acc", unit: "m", kind: "distance")
    case .seen: describeSeen(&message)
    case .queue: describeQueue(&message)
    case .mode: describeMode(&message, isChosen: report.isModeChosen)
    case .region(let rid, let name): describeRegion(&message, rid, name)
    }
    return message
  }

  private var device: JSON {
    var device: JSON = [
      "identifiers": [.string(node)], "name": .string(topics.device), "manufacturer": "Homeward",
      "sw_version": .string(additions.board.version),
    ]
    device.set("model", additions.board.model.map { .string($0) })
    return device
  }

  /// Our own word on `status`, and the broker's when we vanish; a location says nothing about it.
  private var availability: JSON {
    [
      [
        "topic": .string(topics.topic(.status)),
        "value_template": "{{ 'online' if value_json.linux.online | default(true) else 'offline' }}",
      ],
      [
        "topic": .string(topics.base),
        "value_template": "{{ 'offline' if value_json._type == 'lwt' else 'unchanged' }}",
      ],
    ]
  }

  /// A value of the location; what has none, such as the will, changes nothing.
  private func describe(_ message: inout JSON, _ name: String, _ key: String, unit: String, kind: String?) {
    message.set("name", .string(name))
    message.set("value_template", .string("{{ value_json.\(key) if value_json.\(key) is defined }}"))
    message.set("unit_of_measurement", .string(unit))
    message.set("device_class", kind.map { .string($0) })
    message.set("state_class", "measurement")
  }

  private func describePlace(_ message: inout JSON) {
    message.set("name", "Place")
    message.set("state_topic", nil)
    message.set("source_type", "gps")
    message.set("json_attributes_topic", .string(topics.base))
    message.set(
      "json_attributes_template",
      .string(
        "{% if value_json._type == 'location' %}"
          + "{{ {'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.acc,"
          + " 'inregions': value_json.inregions} | tojson }}"
          + "{% else %}{{ {'latitude': this.attributes.latitude | default(none),"
          + " 'longitude': this.attributes.longitude | default(none),"
          + " 'gps_accuracy': this.attributes.gps_accuracy | default(0)} | tojson }}{% endif %}"))
  }

  private func describeCharging(_ message: inout JSON) {
    message.set("name", "Charging")
    message.set("device_class", "battery_charging")
    message.set(
      "value_template", "{{ ('ON' if value_json.bs in [2, 3] else 'OFF') if value_json.bs is defined }}")
  }

  private func describeSeen(_ message: inout JSON) {
    message.set("name", "Last position")
    message.set("device_class", "timestamp")
    message.set(
      "value_template",
      "{{ (value_json.tst | as_datetime).isoformat() if value_json._type == 'location' else this.state }}")
  }

  private func describeQueue(_ message: inout JSON) {
    message.set("name", "Waiting messages")
    message.set("state_topic", .string(topics.topic(.status)))
    let value = "value_json.linux.queueLength"
    message.set("value_template", .string("{{ \(value) if \(value) is defined }}"))
    message.set("state_class", "measurement")
    message.set("entity_category", "diagnostic")
  }

  private func describeMode(_ message: inout JSON, isChosen: Bool) {
    message.set("name", "Mode")
    message.set("state_topic", .string(topics.topic(.status)))
    // What the broker says of a board that is gone has no mode. A choice takes one of its own or none.
    let modes = "{-1: 'quiet', 0: 'manual', 1: 'significant', 2: 'move'}"
    let unknown = isChosen ? "'none'" : "this.state"
    message.set(
      "value_template",
      .string(
        "{{ \(modes)[value_json.linux.mode] if value_json.linux.mode is defined else \(unknown) }}"))
    guard isChosen else { return }
    message.set("options", ["quiet", "manual", "significant", "move"])
    message.set("command_topic", .string(topics.topic(.command)))
    message.set(
      "command_template",
      .string(
        "{\"_type\":\"cmd\",\"action\":\"setConfiguration\",\"configuration\":{\"_type\":\"configuration\","
          + "\"monitoring\":{{ {'quiet': -1, 'manual': 0, 'significant': 1, 'move': 2}[value] }}}}"))
  }

  private func describeRegion(_ message: inout JSON, _ rid: String, _ name: String) {
    message.set("name", .string(name))
    message.set("device_class", "presence")
    let quoted = JSON.string(rid).description
    message.set(
      "value_template",
      .string("{{ ('ON' if \(quoted) in value_json.inrids else 'OFF') if value_json.inrids is defined }}"))
  }
}
