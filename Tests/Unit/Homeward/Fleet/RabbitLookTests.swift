import OwnTracks
import Testing

@testable import homeward

/// What rabbitmqctl prints of a cluster that was changed in one place.
struct RabbitLookTests {
  private static let boards = FleetScene.boards("user,device\njane,van\nbob,bus\n")

  private static func parsed(_ text: String) -> JSON { (try? JSON.parse(text)) ?? .null }

  private static func queue(_ name: String, _ arguments: String, _ more: String = "") -> String {
    #"{"name":"\#(name)","type":"quorum","durable":true,"exclusive":"","members":["a","b","c"],"consumers":1,"#
      + #""arguments":[\#(arguments)],"effective_policy_definition":[]\#(more)}"#
  }

  private static let arguments =
    #"["x-delivery-limit","long",-1],["x-queue-type","longstr","quorum"],["x-single-active-consumer","bool",true]"#
  private static let cluster =
    #"{"alarms":[],"disk_nodes":["a","b","c"],"running_nodes":["a","b","c"],"partitions":{},"#
    + #""feature_flags":[{"name":"khepri_db","state":"enabled","stability":"experimental"}]}"#
  private static let environment =
    #"{"rabbitmq_mqtt":{"durable_queue_type":"quorum"},"kernel":{"net_ticktime":15},"#
    + #""rabbit":{"consumer_timeout":86400000,"quorum_membership_reconciliation_enabled":true}}"#

  private static var definitions: JSON {
    var made = RabbitDefinitions.json(boards) { _ in "" }
    let binding = #"{"source":"amq.topic","destination":"record","destination_type":"queue","routing_key":"#
    made.set("bindings", parsed("[\(binding)\"owntracks.#\"}]"))
    made.set("policies", parsed(#"[{"name":"look","definition":{"overflow":"drop-head"}}]"#))
    return made
  }

  private static func found(
    queues: String = queue("record", arguments), environment: String = environment, cluster: String = cluster,
    _ change: (inout JSON) -> Void = { _ in }
  ) -> FleetFindings {
    var definitions = Self.definitions
    change(&definitions)
    return RabbitLook(
      definitions: definitions, queues: parsed("[\(queues)]"), environment: parsed(environment),
      cluster: parsed(cluster), boards: boards
    ).found
  }

  private static func replaced(_ text: String, _ one: String, _ other: String) -> String {
    var parts: [Substring] = []
    var rest = text[...]
    while let place = rest.firstRange(of: one) {
      parts.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return (parts + [rest]).joined(separator: other)
  }

  @Test func theFleetsOwnFilesAreGood() { #expect(Self.found() == FleetFindings()) }

  @Test(arguments: [
    (#"["x-delivery-limit","long",-1],"#, "", "comes again 20 times"),
    (#""type":"quorum""#, #""type":"classic""#, "record is classic"),
    (#"["a","b","c"]"#, #"["a"]"#, "has 1 copy on 3 nodes"),
    (
      #"["x-queue-type","longstr","quorum"]"#, #"["x-overflow","longstr","reject-publish"]"#,
      "has reject-publish"
    ),
    (
      #""effective_policy_definition":[]"#, #""effective_policy_definition":[["overflow","reject-publish"]]"#,
      "has reject-publish"
    ),
  ])
  func aQueueThatLosesIsAMistake(_ one: String, _ other: String, _ words: String) {
    let queue = Self.replaced(Self.queue("record", Self.arguments), one, other)
    let found = Self.found(queues: queue)
    #expect(found.faults.count == 1 && found.faults[0].contains(words), "\(found)")
  }

  @Test(arguments: [
    (
      #"["x-single-active-consumer","bool",true]"#, #"["x-queue-type","longstr","quorum"]"#,
      "x-single-active-consumer"
    ),
    (#""consumers":1"#, #""consumers":0"#, "nobody takes from the queue record"),
    (
      #""effective_policy_definition":[]"#, #""effective_policy_definition":[["max-length",9]]"#,
      "has a limit"
    ),
  ])
  func aQueueThatMayLoseIsAWarning(_ one: String, _ other: String, _ words: String) {
    let queue = Self.replaced(Self.queue("record", Self.arguments), one, other)
    let found = Self.found(queues: queue)
    #expect(found.faults == [] && found.warnings.count == 1, "\(found)")
    #expect(found.warnings.first?.contains(words) == true)
  }

  @Test func noQueueForPositionsIsAMistakeAndOneThatHearsLessAWarning() {
    let none = Self.found { $0.set("bindings", []) }
    #expect(none.faults.count == 1 && none.faults[0].contains("no queue hears the boards' positions"))
    let binding = #"{"source":"amq.topic","destination":"record","destination_type":"queue","routing_key":"#
    let some = Self.found { $0.set("bindings", Self.parsed("[\(binding)\"owntracks.*.*\"}]")) }
    #expect(some.faults == [] && some.warnings.count == 1)
    #expect(some.warnings.first?.contains("does not hear owntracks/jane/van/event") == true)
    let look = Self.replaced(binding, "record", "look.map")
    let lookers = Self.found { $0.set("bindings", Self.parsed("[\(look)\"#\"}]")) }
    #expect(lookers.faults.count == 1)
  }

  @Test func sessionsOfTheOtherKindKeepBoardsOut() {
    let name = "mqtt-subscription-jane-vanqos1"
    let limit = #""effective_policy_definition":[["delivery-limit",-1]]"#
    let session = Self.replaced(
      Self.queue(name, #"["x-expires","long",600000]"#), #""effective_policy_definition":[]"#, limit)
    let record = Self.queue("record", Self.arguments)
    #expect(Self.found(queues: record + "," + session) == FleetFindings())
    let classic = Self.replaced(session, #""type":"quorum""#, #""type":"classic""#)
    let kept = Self.found(queues: record + "," + classic)
    #expect(
      kept.faults.count == 1
        && kept.faults[0].contains("sessions on one node alone: 1 (mqtt-subscription-jane"))
    let passing = Self.replaced(classic, #""exclusive":"""#, #""exclusive":true"#)
    #expect(Self.found(queues: record + "," + passing) == FleetFindings())
    let limited = Self.found(queues: record + "," + Self.queue(name, ""))
    #expect(limited.faults == [] && limited.warnings.count == 1)
  }

  @Test(arguments: [
    (#""alarms":[]"#, #""alarms":[{"node":"a"}]"#, "an alarm is on"),
    (#""running_nodes":["a","b","c"]"#, #""running_nodes":["a","c"]"#, "b is not running"),
    (#""partitions":{}"#, #""partitions":{"a":["b"]}"#, "the cluster is torn (a)"),
    (#""state":"enabled""#, #""state":"disabled""#, "kept in Mnesia"),
  ])
  func aClusterThatIsNotWholeIsAMistake(_ one: String, _ other: String, _ words: String) {
    let found = Self.found(cluster: Self.replaced(Self.cluster, one, other))
    #expect(found.faults.count == 1 && found.faults[0].contains(words), "\(found)")
  }

  @Test(arguments: [
    ("86400000", "1800000", "consumer_timeout is 1800 s"), (":15", ":60", "net_ticktime is 60 s"),
    ("true", "false", "gets no copy there later"),
  ])
  func settingsThatDelayAreWarnings(_ one: String, _ other: String, _ words: String) {
    let found = Self.found(environment: Self.replaced(Self.environment, one, other))
    #expect(found.faults == [] && found.warnings.count == 1, "\(found)")
    #expect(found.warnings.first?.contains(words) == true)
  }

  @Test func sessionsOfTheOtherKindToComeAreAMistake() {
    let found = Self.found(environment: Self.replaced(Self.environment, "quorum\"", "classic\""))
    #expect(found.faults.count == 1 && found.faults[0].contains("mqtt.durable_queue_type is classic"))
  }

  @Test func aPolicyThatRefusesIsAMistake() {
    let found = Self.found {
      $0.set("policies", Self.parsed(#"[{"name":"all","definition":{"overflow":"reject-publish"}}]"#))
    }
    #expect(found.faults.count == 1 && found.faults[0].contains("the policy all has reject-publish"))
  }

  @Test func usersThatAreMissingOrMayMoreAreMistakes() {
    let none = Self.found { $0.set("users", []) }
    #expect(none.faults.count == 1 && none.faults[0].contains("no user bob and 1 more"))
    let free = Self.found { $0.set("topic_permissions", []) }
    #expect(free.faults.count == 2 && free.faults[0].contains("the user bob has other topic_permissions"))
    let guest = Self.found { definitions in
      let users = (definitions["users"]?.elements ?? []) + [["name": "guest"]]
      definitions.set("users", .array(users))
    }
    #expect(guest.faults == [] && guest.warnings.count == 1)
    let tags = Self.found { definitions in
      var users = definitions["users"]?.elements ?? []
      users[0].set("tags", ["administrator"])
      definitions.set("users", .array(users))
    }
    #expect(tags.faults.count == 1 && tags.faults[0].contains("bob is a board and has tags"))
  }
}
