import Model
import Testing

@testable import OwnTracks

/// How Home Assistant is told what there is to be shown, and when it has started.
struct DiscoveryMessageTests {
  private static let all: [DiscoveredEntity] = [
    .place, .battery, .charging, .speed, .altitude, .course, .accuracy, .seen, .odometer, .mode, .queue,
    .network, .satellites, .dataMonth, .ignition, .vehicleVolts, .trip, .tow, .overspeed, .harsh, .locate,
    .anchor, .anchorAlarm, .nextCheckIn, .batteryStep, .sos, .acknowledgeSOS, .jamming, .spoofing,
    .region(rid: "ab12", name: "Das Büro"),
  ]

  private func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId) = ("jane", "Jane's Van")
    configuration.dashboard.discovery = true
    change(&configuration)
    return configuration
  }

  private func encoder(_ base: String = "", board: String = "5f") -> Encoder {
    let additions = Encoder.Additions()
    (additions.board.number, additions.board.version) = (board, "1.2")
    return Encoder(configuration { $0.messages.topicBase = base }, hostName: "", additions: additions)
  }

  private func described(_ entity: DiscoveredEntity, isModeChosen: Bool = false) throws -> JSON {
    let message = encoder().encode(.discovery(.init(entity, isModeChosen: isModeChosen)))
    #expect(message.isRetained && message.isEvent && message.qos == 1)
    return try JSON.parse(message.payload)
  }

  @Test(arguments: DiscoveryMessageTests.all)
  func eachEntityHasOriginIDsAndAvailability(_ entity: DiscoveredEntity) throws {
    let message = encoder().encode(.discovery(.init(entity)))
    let description = try JSON.parse(message.payload)
    let component = message.topic.split(separator: "/")[1]
    #expect(description["origin"]?["name"]?.text == "Homeward" && description["device"] != nil)
    let id = try #require(description["object_id"]?.text)
    #expect(description["default_entity_id"]?.text == "\(component).\(id)")
    #expect(id.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".contains($0) }, "\(id)")
    #expect(description["unique_id"]?.text?.hasSuffix(entity.key) == true)
    let isOfLastPlace = ["place", "accuracy", "seen", "region_ab12", "sos"].contains(entity.key)
    #expect(description["availability"]?.elements?.count == (isOfLastPlace ? nil : 3), "\(entity)")
    let looks = [description["icon"], description["device_class"], description["source_type"]]
    #expect(looks.contains { $0 != nil }, "\(entity) looks like nothing")
  }

  // behaviour: Presence and Home Assistant
  @Test func boardThatSleepsStaysAvailableUntilItsCheckInIsAnHourLate() throws {
    let sleeper = Encoder(
      configuration { $0.power.parkedWake = 6 }, hostName: "", additions: Encoder.Additions())
    for entity in Self.all {
      let description = try JSON.parse(sleeper.encode(.discovery(.init(entity))).payload)
      let isOfStatus =
        [
          .queue, .network, .satellites, .dataMonth, .ignition, .vehicleVolts, .nextCheckIn, .batteryStep,
          .mode, .jamming, .spoofing,
        ]
        .contains(entity)
      #expect(description["expire_after"] == (isOfStatus ? 25_200 : nil), "\(entity)")
      guard let availability = description["availability"]?.elements else { continue }
      #expect(availability.count == 2, "a start of Home Assistant is no doubt of it")
      #expect(
        availability[0]["value_template"]
          == .string(
            "{{ 'online' if value_json.linux.online | default(true)"
              + " or value_json.linux.nextCheckIn | default(0) > now().timestamp() - 3600 else 'offline' }}")
      )
      #expect(try described(entity)["expire_after"] == nil)
    }
    // A choice cannot expire.
    let chosen = sleeper.encode(.discovery(.init(.mode, isModeChosen: true)))
    #expect(try JSON.parse(chosen.payload)["expire_after"] == nil)
  }

  @Test func topicsAndIdsAreDistinct() {
    let messages = Self.all.map { encoder().encode(.discovery(.init($0))) }
    #expect(Set(messages.map(\.topic)).count == Self.all.count)
  }

  @Test func clonedCardsAreTwoDevicesAndARenamedOneIsAnother() {
    func node(_ encoder: Encoder) -> Substring {
      encoder.encode(.discovery(.init(.seen))).topic.split(separator: "/")[2]
    }
    let nodes = [
      node(encoder()), node(encoder("a/b")), node(encoder("a/c")), node(encoder("a/b", board: "60")),
    ]
    #expect(Set(nodes).count == 4 && nodes.allSatisfy { $0.hasPrefix("homeward_") }, "\(nodes)")
    #expect(node(encoder("a/b")) == nodes[1])
  }

  @Test func thePlaceIsTheDeviceItselfAndARegionIsInOrOut() throws {
    #expect(try described(.place)["name"] == .null)
    let region = try described(.region(rid: "ab12", name: "Das Büro"))
    #expect(region["options"] == ["in", "out"] && region["name"] == "Das Büro")
    #expect(region["object_id"] == "jane_s_van_das_b_ro")
    #expect(try described(.region(rid: "ab12", name: "家"))["object_id"] == "jane_s_van_region_ab12")
  }

  @Test func aModeIsChosenOrLookedAt() throws {
    #expect(try described(.mode)["device_class"] == "enum" && described(.mode)["command_topic"] == nil)
    let chosen = try described(.mode, isModeChosen: true)
    #expect(chosen["device_class"] == nil && chosen["command_topic"] == "owntracks/jane/Jane's Van/cmd")
  }

  /// In kilometres, as locations tell it; a counter that never goes back.
  @Test func theOdometerOnlyGrows() throws {
    let odometer = try described(.odometer)
    #expect(odometer["state_class"] == "total_increasing" && odometer["unit_of_measurement"] == "km")
    #expect(odometer["value_template"] == "{{ value_json.odometer if value_json.odometer is defined }}")
  }

  @Test func removedEntityIsAnEmptyRetainedMessage() {
    let message = encoder().encode(.discoveryGone(topic: "homeassistant/sensor/x/y/config"))
    #expect(
      message.topic == "homeassistant/sensor/x/y/config" && message.payload.isEmpty && message.isRetained)
  }

  private func isBirth(_ payload: String, isRetained: Bool = false, _ configuration: Configuration) -> Bool {
    let incoming = Incoming.read(
      topic: "homeassistant/status", payload: Array(payload.utf8), isRetained: isRetained,
      topics: Topics(configuration, hostName: ""), configuration: configuration)
    return if case .birth = incoming { true } else { false }
  }

  @Test func onlyANewStartOfHomeAssistantCounts() {
    #expect(isBirth("online", configuration()))
    #expect(!isBirth("offline", configuration()) && !isBirth("", configuration()))
    #expect(!isBirth("online", isRetained: true, configuration()))
    #expect(!isBirth("online", configuration { $0.dashboard.discovery = false }))
  }

  @Test func birthTopicIsSubscribedOnlyWithDiscovery() {
    func filters(_ change: (inout Configuration) -> Void) -> [String] {
      Topics(configuration(change), hostName: "").subscriptions
    }
    #expect(filters { _ in }.last == "homeassistant/status")
    #expect(filters { $0.broker.subTopic = "a/b" } == ["a/b", "homeassistant/status"])
    #expect(!filters { $0.dashboard.discovery = false }.contains("homeassistant/status"))
    #expect(!filters { $0.messages.encryptionKey = "s" }.contains("homeassistant/status"))
    #expect(filters { $0.broker.sub = false } == [])
  }
}
