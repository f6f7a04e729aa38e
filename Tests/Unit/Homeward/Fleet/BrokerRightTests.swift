import Testing

@testable import homeward

/// Lists of rights for brokers.
struct BrokerRightTests {
  private static func lines(_ table: String, template: String = FleetScene.template) -> [String] {
    MosquittoRights.list(FleetScene.boards(table, template: template)).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  @Test func boardsWriteTheirOwnAndReadTheirCommands() {
    let lines = Self.lines("user,device,legacyListento,resendLost\njane,van,no,0\nbob,bus,no,0\n")
    #expect(lines.count == 14)
    #expect(lines.first == "pattern write owntracks/%u/+")
    #expect(lines.contains("pattern write owntracks/%u/+/event"))
    #expect(lines.contains("pattern write owntracks/%u/+/batch"))
    #expect(lines.last == "pattern readwrite owntracks/%u/+/cmd")
    #expect(lines.filter { $0.contains("read") }.count == 1)
  }

  /// Otherwise it could not tell that its broker has an earlier place than it acknowledged.
  @Test(arguments: [("1800,yes", "readwrite"), ("0,yes", "write"), ("1800,no", "write")])
  func aBoardReadsWhereItIsRetained(settings: String, access: String) {
    let lines = Self.lines("user,device,resendLost,pubRetain\njane,van,\(settings)\n")
    #expect(lines.contains("pattern \(access) owntracks/%u/+"))
    #expect(lines.contains("pattern write owntracks/%u/+/event"))
  }

  @Test func withMQTT3ABoardHearsItself() {
    let lines = Self.lines("user,device,mqttProtocolLevel\njane,van,4\n")
    #expect(lines.contains("pattern readwrite owntracks/%u/+/event"))
  }

  @Test func rightsBeyondTheOwnTopicAreTheBoardsAlone() {
    let lines = Self.lines("user,device,friends,discovery\njane,van,yes,no\nbob,bus,no,yes\neve,car,no,no\n")
    let users = lines.split { $0.hasPrefix("pattern") }.flatMap { $0 }
    let expected = [
      "user bob", "topic read homeassistant/status", "topic write homeassistant/+/+/+/config", "user jane",
      "topic read owntracks/+/+", "topic read owntracks/+/+/event", "topic read owntracks/+/+/info",
    ]
    #expect(users == expected)
  }

  @Test func aTopicWithoutTheUserIsTheBoardsAlone() {
    let lines = Self.lines(
      "user,device,pubTopicBase,legacyListento\njane,van,fleet/%d,no\nbob,bus,x%u/%d,no\n")
    #expect(lines.filter { $0.hasPrefix("pattern") } == [])
    #expect(lines.first == "user bob" && lines.contains("topic readwrite xbob/bus"))
    #expect(lines.contains("topic readwrite fleet/van/cmd"))
  }

  @Test func rabbitsUsersHaveTheirOwnTopics() {
    let table = "user,device,auth,password,legacyListento\njane,van,yes,secret,no\nbob.x,bus,no,,no\n"
    let made = RabbitDefinitions.json(FleetScene.boards(table)) { "hash of \($0)" }
    #expect(made["users"]?.elements?.map { $0["name"]?.text } == ["bob.x", "jane"])
    #expect(made["users"]?.elements?.map { $0["password_hash"]?.text } == ["", "hash of secret"])
    #expect(made["users"]?[0]?["hashing_algorithm"] == "rabbit_password_hashing_sha256")
    let jane = made["topic_permissions"]?[1]
    #expect(jane?["exchange"] == "amq.topic")
    #expect(jane?["read"] == "^(owntracks\\.jane\\.van|owntracks\\.jane\\.van\\.cmd)$")
    let write = jane?["write"]?.text ?? ""
    #expect(write.hasPrefix("^(owntracks\\.jane\\.van|owntracks\\.jane\\.van\\.event|"))
    let bob = made["topic_permissions"]?[0]
    #expect(bob?["read"] == "^(owntracks\\.bob\\.x\\.bus|owntracks\\.bob\\.x\\.bus\\.cmd)$")
    let queues = made["permissions"]?[1]?["configure"]
    #expect(queues == "^mqtt-subscription-(jane-van).*qos[01]$")
  }

  @Test func rabbitComparesFiltersAsTheyAreSubscribedTo() {
    #expect(RabbitDefinitions.routingKey("a/+/c/#") == "a.*.c.#")
    #expect(RabbitDefinitions.escaped("a.*(b)") == "a\\.\\*\\(b\\)")
    let made = RabbitDefinitions.json(FleetScene.boards("user,device,friends\njane,van,yes\n")) { $0 }
    let read = made["topic_permissions"]?[0]?["read"]?.text ?? ""
    #expect(read.contains("|owntracks\\.\\*\\.\\*|"))
  }
}
