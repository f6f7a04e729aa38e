import OwnTracks
import Testing

@testable import homeward

// behaviour: Whether what is acknowledged arrives
/// What people are told of messages that the broker has acknowledged.
struct DeliveryTextTests {
  private func status(_ delivery: JSON?) -> StatusRecord {
    var connection: JSON = ["colour": "green", "state": "connected"]
    connection.set("delivery", delivery)
    return ["connection": connection]
  }

  private func words(_ delivery: JSON) -> String? {
    DeliveryText.words(status(delivery).connection ?? [:])
  }

  @Test func deliveryStatesHaveDistinctTexts() {
    #expect(words(["by": "reasonCodes"])?.contains("MQTT 5") == true)
    #expect(
      words(["by": "reasonCodes", "unheard": ["a"]])?.hasPrefix("no client subscribes to a now") == true)
    #expect(words(["by": "roundTrip"]) == "not tried out yet: the next message is")
    #expect(
      words(["by": "roundTrip", "proven": ["a", "a/event"], "provenAges": [30.0, 7_300.0]])
        == "proven on a (it came back 30 s ago), a/event (it came back 2 h 1 min ago)")
    let both = words(["by": "roundTrip", "proven": ["a"], "missing": ["a/event"]])
    #expect(both == "NOTHING came back of what went out on a/event; proven on a (it came back)")
    #expect(words(["by": "roundTrip", "unreadable": ["a"]])?.hasPrefix("unknown on a: ") == true)
    #expect(words(["by": "nothing"])?.hasPrefix("unknown: ") == true)
    #expect(words(["by": "somethingNew"]) == nil && DeliveryText.words([:]) == nil)
  }

  @Test func doctorWarnsOfUnreadableAndUnheardTopics() {
    #expect(DeliveryText.findings(nil).isEmpty && DeliveryText.findings(status(nil)).isEmpty)
    #expect(DeliveryText.findings(status(["by": "reasonCodes"])).map(\.verdict) == [.ok])
    let unreadable = DeliveryText.findings(status(["by": "roundTrip", "unreadable": ["a"]]))
    #expect(unreadable.map(\.verdict) == [.warn] && unreadable[0].remedy?.contains("roundTrip false") == true)
    #expect(DeliveryText.findings(status(["by": "roundTrip", "missing": ["a"]])).isEmpty)
    let unheard = status(["by": "reasonCodes", "unheard": ["a/b"]])
    unheard.identity = .init(answer: ["topic": "a/b"])
    let warning = DeliveryText.findings(unheard)
    #expect(warning.map(\.verdict) == [.warn] && warning[0].remedy?.contains("\"topic read a/b/#\"") == true)
  }

  @Test func theRightIsThatOfTheUnheardTopics() {
    func rights(_ topics: JSON) -> String {
      let unheard = status(["by": "reasonCodes", "unheard": topics])
      unheard.identity = .init(answer: ["topic": "a/b"])
      return DeliveryText.findings(unheard).first?.remedy ?? ""
    }
    let described = rights(["ha/x/sensor/v/speed/config", "ha/x/tag/v/place/config"])
    #expect(described.contains("acl_file: \"topic read ha/x/#\" below"))
    let both = rights(["a/b/event", "homeassistant/sensor/v/speed/config", "a/b"])
    #expect(both.contains("\"topic read a/b/#\", \"topic read homeassistant/#\" below"))
    #expect(rights(["a/bc", "other/config"]).contains("\"topic read a/bc\", \"topic read other/config\""))
  }
}
