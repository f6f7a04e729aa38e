import Model
import Testing

@testable import OwnTracks

/// Each entity as Home Assistant reads it. A template that is wrong by a letter shows nothing, and nobody is told why.
struct DiscoveredEntityTests {
  private static let base = "owntracks/jane/van"
  private static let status: JSON = "owntracks/jane/van/status"

  private func encoder() -> Encoder {
    let additions = Encoder.Additions()
    (additions.board.number, additions.board.version) = ("5f", "1.2")
    additions.board.model = "Raspberry Pi Zero 2 W"
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId) = ("jane", "van")
    return Encoder(configuration, hostName: "", additions: additions)
  }

  /// What only this entity has.
  private func own(_ entity: DiscoveredEntity, isModeChosen: Bool = false) throws -> String {
    let message = encoder().encode(.discovery(.init(entity, isModeChosen: isModeChosen)))
    var json = try JSON.parse(message.payload)
    for key in ["unique_id", "object_id", "default_entity_id", "device", "origin"] {
      #expect(json[key] != nil)
      json.set(key, nil)
    }
    for key in ["availability", "availability_mode"] {
      #expect((json[key] == nil) == Self.isOfLastPlace(entity), "\(entity), \(key)")
      json.set(key, nil)
    }
    return json.description
  }

  /// True of a board that is gone as well: none of these becomes unavailable.
  private static func isOfLastPlace(_ entity: DiscoveredEntity) -> Bool {
    switch entity {
    case .place, .accuracy, .seen, .region, .sos: true
    default: false
    }
  }

  /// A message that says nothing of it, as the will: the word stays, whichever version of Home Assistant reads it.
  private static func unchanged(_ words: String) -> String {
    "this.state if this.state in [\(words)] else 'None' if this.attributes.options is defined else 'unknown' }}"
  }

  private func expect(
    _ entity: DiscoveredEntity, isModeChosen: Bool = false, _ json: JSON,
    at place: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try own(entity, isModeChosen: isModeChosen) == json.description, sourceLocation: place)
  }

  @Test func entityNamesItsDeviceAndAvailability() {
    let message = encoder().encode(.discovery(.init(.battery)))
    #expect(message.topic == "homeassistant/sensor/homeward_5f_e655c76c/battery/config")
    let payload = text(message.payload)
    let shared = """
      {"availability":[{"topic":"owntracks/jane/van/status","value_template":\
      "{{ 'online' if value_json.linux.online | default(true) else 'offline' }}"},\
      {"topic":"owntracks/jane/van",\
      "value_template":"{{ 'offline' if value_json._type == 'lwt' else 'unchanged' }}"},\
      {"payload_available":"unchanged","payload_not_available":"online","topic":"homeassistant/status"}],\
      "availability_mode":"latest","default_entity_id":"sensor.van_battery",\
      "device":{"identifiers":["homeward_5f_e655c76c"],"manufacturer":"Homeward",\
      "model":"Raspberry Pi Zero 2 W","name":"van","sw_version":"1.2"},
      """
    #expect(payload.hasPrefix(shared), "\(payload)")
    #expect(payload.contains(#""object_id":"van_battery","origin":{"name":"Homeward","sw_version":"1.2"}"#))
    #expect(payload.contains(#""unique_id":"homeward_5f_e655c76c_battery""#))
    #expect(message.qos == 1 && message.isRetained && message.isEvent && message.time == 0)
  }

  @Test(arguments: [
    (DiscoveredEntity.place, "device_tracker"), (.charging, "binary_sensor"), (.ignition, "binary_sensor"),
    (.trip, "event"), (.tow, "event"), (.overspeed, "event"), (.harsh, "event"), (.anchor, "event"),
    (.anchorAlarm, "number"), (.locate, "button"), (.battery, "sensor"), (.sos, "binary_sensor"),
    (.acknowledgeSOS, "button"), (.jamming, "binary_sensor"), (.spoofing, "binary_sensor"),
    (.mode, "sensor"), (.region(rid: "ab12", name: "Home"), "sensor"),
  ])
  func eachIsOfAKind(_ entity: DiscoveredEntity, _ component: String) {
    let message = encoder().encode(.discovery(.init(entity)))
    #expect(message.topic.split(separator: "/")[1] == component)
  }

  @Test func aModeThatMayBeChosenIsASelection() {
    let message = encoder().encode(.discovery(.init(.mode, isModeChosen: true)))
    #expect(message.topic.split(separator: "/")[1] == "select")
  }

  @Test(arguments: [
    (DiscoveredEntity.battery, "Battery", "batt", "%", "battery", String?.none),
    (.speed, "Speed", "vel", "km/h", "speed", nil),
    (.altitude, "Altitude", "alt", "m", "distance", "mdi:image-filter-hdr"),
    (.accuracy, "Accuracy", "acc", "m", "distance", "mdi:crosshairs-gps"),
  ])
  func aNumberOfTheLocation(
    _ entity: DiscoveredEntity, _ name: String, _ key: String, _ unit: String, _ kind: String,
    _ icon: String?
  ) throws {
    var json: JSON = [
      "name": .string(name), "state_topic": .string(Self.base), "unit_of_measurement": .string(unit),
      "value_template": .string("{{ value_json.\(key) if value_json.\(key) is defined }}"),
      "device_class": .string(kind), "state_class": "measurement",
    ]
    json.set("icon", icon.map { .string($0) })
    try expect(entity, json)
  }

  @Test func thePlaceIsTakenFromLocationsAlone() throws {
    let template = """
      {% if value_json._type == 'location' %}{{ {'latitude': value_json.lat, 'longitude': value_json.lon, \
      'gps_accuracy': value_json.acc, 'inregions': value_json.inregions | default([])} | tojson }}\
      {% elif this.attributes.latitude is defined %}{{ {'latitude': this.attributes.latitude, \
      'longitude': this.attributes.longitude, \
      'gps_accuracy': this.attributes.gps_accuracy | default(0), \
      'inregions': this.attributes.inregions | default([])} | tojson }}{% else %}{}{% endif %}
      """
    try expect(
      .place,
      [
        "name": nil, "source_type": "gps", "json_attributes_topic": .string(Self.base),
        "json_attributes_template": .string(template),
      ])
  }

  @Test func entitiesOfALocationAreDescribed() throws {
    try expect(
      .charging,
      [
        "name": "Charging", "device_class": "battery_charging", "state_topic": .string(Self.base),
        "value_template": "{{ ('ON' if value_json.bs in [2, 3] else 'OFF') if value_json.bs is defined }}",
      ])
    try expect(
      .course,
      [
        "name": "Course", "state_topic": .string(Self.base), "unit_of_measurement": "°",
        "value_template": "{{ value_json.cog if value_json.cog is defined }}", "icon": "mdi:compass-outline",
      ])
    try expect(
      .seen,
      [
        "name": "Last position", "device_class": "timestamp", "state_topic": .string(Self.base),
        "icon": "mdi:map-clock-outline",
        "value_template": .string(
          "{{ (value_json.tst | as_datetime).isoformat() if value_json._type == 'location'"
            + " else this.state if this.state not in ['unknown', 'unavailable'] else 'None' }}"),
      ])
    try expect(
      .odometer,
      [
        "name": "Odometer", "state_topic": .string(Self.base), "unit_of_measurement": "km",
        "value_template": "{{ value_json.odometer if value_json.odometer is defined }}",
        "device_class": "distance", "state_class": "total_increasing", "icon": "mdi:counter",
      ])
    try expect(
      .region(rid: "a\"b", name: "Home"),
      [
        "name": "Home", "device_class": "enum", "options": ["in", "out"], "icon": "mdi:map-marker-radius",
        "state_topic": .string(Self.base),
        "value_template": .string(
          #"{{ ('in' if "a\"b" in value_json.inrids else 'out') if value_json.inrids is defined else "#
            + Self.unchanged("'in', 'out'")),
      ])
  }

  @Test func entitiesOfTheStatusAreDescribed() throws {
    try expect(
      .queue,
      [
        "name": "Waiting messages", "state_topic": Self.status, "state_class": "measurement",
        "value_template": "{{ value_json.linux.queueLength if value_json.linux.queueLength is defined }}",
        "icon": "mdi:tray-full", "entity_category": "diagnostic",
      ])
    try expect(
      .satellites,
      [
        "name": "Satellites", "state_topic": Self.status, "state_class": "measurement",
        "value_template": .string(
          "{{ value_json.linux.gpsd.sats if value_json.linux.gpsd is defined and value_json.linux.gpsd.sats "
            + "is defined }}"),
        "icon": "mdi:satellite-variant", "entity_category": "diagnostic",
      ])
    try expect(
      .dataMonth,
      [
        "name": "Data this month", "state_topic": Self.status, "state_class": "total_increasing",
        "value_template": .string(
          "{{ (value_json.linux.dataMonth / 1000000) | round(2) if value_json.linux.dataMonth is defined }}"),
        "unit_of_measurement": "MB", "device_class": "data_size", "icon": "mdi:counter",
        "entity_category": "diagnostic",
      ])
    try expect(
      .nextCheckIn,
      [
        "name": "Next check-in", "state_topic": Self.status, "device_class": "timestamp",
        "value_template": .string(
          "{{ (value_json.linux.nextCheckIn | as_datetime).isoformat() if value_json.linux.nextCheckIn is defined "
            + "else 'None' }}"), "icon": "mdi:sleep",
      ])
    try expect(
      .batteryStep,
      [
        "name": "Battery step", "state_topic": Self.status, "device_class": "enum",
        "options": ["none", "receiver", "beacons", "checkins", "off"], "icon": "mdi:battery-arrow-down",
        "entity_category": "diagnostic",
        "value_template": .string(
          "{{ value_json.linux.batteryStep if value_json.linux.batteryStep is defined else "
            + Self.unchanged("'none', 'receiver', 'beacons', 'checkins', 'off'")),
      ])
    try expect(
      .network,
      [
        "name": "Connection", "state_topic": Self.status, "device_class": "enum",
        "value_template": .string(
          "{{ value_json.linux.network if value_json.linux.network is defined else "
            + Self.unchanged("'wifi', 'mobile', 'wired', 'none'")),
        "options": ["wifi", "mobile", "wired", "none"], "icon": "mdi:access-point-network",
        "entity_category": "diagnostic",
      ])
    try expect(
      .vehicleVolts,
      [
        "name": "Vehicle battery", "state_topic": Self.status, "state_class": "measurement",
        "value_template": "{{ value_json.linux.vehicleVolts if value_json.linux.vehicleVolts is defined }}",
        "unit_of_measurement": "V", "device_class": "voltage", "icon": "mdi:car-battery",
      ])
    try expect(
      .ignition,
      [
        "name": "Ignition", "state_topic": Self.status, "icon": "mdi:key",
        "value_template": .string(
          "{{ ('ON' if value_json.linux.ignition else 'OFF') if value_json.linux.ignition is defined }}"),
      ])
  }

  @Test func modeIsAnEnumAndItsSelectionACommand() throws {
    let options: JSON = ["quiet", "manual", "significant", "move"]
    let modes = "{-1: 'quiet', 0: 'manual', 1: 'significant', 2: 'move'}[value_json.linux.mode]"
    try expect(
      .mode,
      [
        "name": "Mode", "icon": "mdi:radar", "state_topic": Self.status, "options": options,
        "device_class": "enum",
        "value_template": .string(
          "{{ \(modes) if value_json.linux.mode is defined else "
            + Self.unchanged("'quiet', 'manual', 'significant', 'move'")),
      ])
    try expect(
      .mode, isModeChosen: true,
      [
        "name": "Mode", "icon": "mdi:radar", "state_topic": Self.status, "options": options,
        "value_template": .string("{{ \(modes) if value_json.linux.mode is defined else 'none' }}"),
        "command_topic": "owntracks/jane/van/cmd",
        "command_template": .string(
          #"{"_type":"cmd","action":"setConfiguration","configuration":{"_type":"configuration","#
            + #""monitoring":{{ {'quiet': -1, 'manual': 0, 'significant': 1, 'move': 2}[value] }}}}"#),
      ])
  }

  // behaviour: SOS
  @Test func aCallForHelpIsUnsafeUntilAButtonAcknowledgesIt() throws {
    try expect(
      .sos,
      [
        "name": "SOS", "icon": "mdi:alert-octagon", "device_class": "safety", "state_topic": Self.status,
        "value_template":
          "{{ ('ON' if value_json.linux.sos is defined else 'OFF') if value_json.linux.mode is defined }}",
      ])
    try expect(
      .acknowledgeSOS,
      [
        "name": "Acknowledge SOS", "icon": "mdi:check-circle", "command_topic": "owntracks/jane/van/cmd",
        "payload_press": #"{"_type":"cmd","action":"acknowledgeSos"}"#,
      ])
  }

  // behaviour: Jamming and spoofing
  @Test func interferenceIsAProblemUntilItsEnd() throws {
    func value(_ key: String) -> JSON {
      .string(
        "{{ ('ON' if value_json.linux.\(key) is defined else 'OFF') if value_json.linux.mode is defined }}")
    }
    try expect(
      .jamming,
      [
        "name": "Receiver jammed", "icon": "mdi:signal-off", "device_class": "problem",
        "state_topic": Self.status, "value_template": value("jamming"),
      ])
    try expect(
      .spoofing,
      [
        "name": "Receiver spoofed", "icon": "mdi:map-marker-alert", "device_class": "problem",
        "state_topic": Self.status, "value_template": value("spoofing"),
      ])
  }

  @Test func howFarTheBoatMaySwingIsANumber() throws {
    try expect(
      .anchorAlarm,
      [
        "name": "Anchor alarm", "icon": "mdi:anchor", "state_topic": Self.status,
        "value_template":
          "{{ value_json.linux.anchorAlarm | default(0) if value_json.linux.mode is defined }}",
        "command_topic": "owntracks/jane/van/cmd",
        "command_template": .string(
          #"{"_type":"cmd","action":"setConfiguration","configuration":{"_type":"configuration","#
            + #""anchorAlarm":{{ value | int }}}}"#),
        "min": 0, "max": 100_000, "step": 1, "mode": "box", "unit_of_measurement": "m",
        "device_class": "distance",
      ])
  }

  /// A number beyond them is an error in Home Assistant's log with each status.
  @Test func itsLimitsAreThoseOfTheSetting() throws {
    let key = try #require(ConfigurationKey.named("anchorAlarm"))
    var configuration = Configuration()
    #expect(ConfigurationValue.apply(.integer(100_000), key, to: &configuration))
    #expect(!ConfigurationValue.apply(.integer(100_001), key, to: &configuration))
    #expect(!ConfigurationValue.apply(.integer(-1), key, to: &configuration))
  }

  @Test func eventAndButtonEntitiesAreDescribed() throws {
    let place = "'latitude': value_json.lat | default(none), 'longitude': value_json.lon | default(none)"
    try expect(
      .trip,
      [
        "name": "Trip", "icon": "mdi:road-variant", "state_topic": "owntracks/jane/van/trip",
        "event_types": ["start", "stop"],
        "value_template": .string(
          "{{ {'event_type': value_json.event, \(place), 'distance': value_json.distance | default(none), "
            + "'duration': value_json.duration | default(none)} | tojson }}"),
      ])
    let details =
      "\(place), 'distance': value_json.distance | default(none), 'limit': value_json.limit | default(none), "
      + "'top': value_json.top | default(none), 'desc': value_json.desc | default(none)} | tojson }}{% endif %}"
    try expect(
      .tow,
      [
        "name": "Towed", "icon": "mdi:tow-truck", "state_topic": "owntracks/jane/van/alarm",
        "event_types": ["tow"],
        "value_template": .string(
          "{% if value_json.alarm == 'tow' %}{{ {'event_type': 'tow', \(details)"),
      ])
    try expect(
      .overspeed,
      [
        "name": "Overspeed", "icon": "mdi:speedometer", "state_topic": "owntracks/jane/van/alarm",
        "event_types": ["begin", "end"],
        "value_template": .string(
          "{% if value_json.alarm == 'overspeed' %}{{ {'event_type': value_json.event, \(details)"),
      ])
    try expect(
      .harsh,
      [
        "name": "Harsh driving", "icon": "mdi:car-brake-alert", "state_topic": "owntracks/jane/van/alarm",
        "event_types": ["braking", "acceleration", "cornering"],
        "value_template": .string(
          "{% if value_json.alarm in ['braking', 'acceleration', 'cornering'] %}"
            + "{{ {'event_type': value_json.alarm, \(place), 'g': value_json.g | default(none), "
            + "'vel': value_json.vel | default(none)} | tojson }}{% endif %}"),
      ])
    try expect(
      .anchor,
      [
        "name": "Anchor", "icon": "mdi:anchor", "state_topic": "owntracks/jane/van/alarm",
        "event_types": ["anchor"],
        "value_template": .string(
          "{% if value_json.alarm == 'anchor' %}{{ {'event_type': 'anchor', \(details)"),
      ])
    try expect(
      .locate,
      [
        "name": "Report location", "icon": "mdi:crosshairs-question",
        "command_topic": "owntracks/jane/van/cmd",
        "payload_press": #"{"_type":"cmd","action":"reportLocation"}"#,
      ])
  }
}
