import Testing

@testable import homeward

/// Where a broker's greeting does not go with the boards' settings.
struct BrokerGrantTests {
  private static let narrow = #","friends":false,"legacyListento":false,"mqttProtocolLevel":5"#

  private static func boards(_ more: String, _ common: String = narrow) -> [FleetBoard] {
    let template = #"{"_type":"configuration","host":"b.example","auth":false"# + common + more + "}"
    return FleetScene.boards("user,device\njane,van\nbob,bus\n", template: template)
  }

  private static func found(_ change: (inout BrokerGrant) -> Void, _ more: String = "") -> FleetFindings {
    var grant = BrokerGrant()
    change(&grant)
    return GrantFindings.found(grant, boards(more))
  }

  private static func fitting(_ kind: BrokerGrant.Kind, _ more: String = "") -> FleetFindings {
    FittingSettings.found(kind, boards(more))
  }

  @Test func aGreetingWithoutLimitsIsGood() {
    #expect(Self.found { _ in } == FleetFindings())
    #expect(Self.found({ $0.sessionExpiry = 86_400 }, #","keepAliveParked":900"#) == FleetFindings())
  }

  @Test func theLowestQoSIsAMistakeAndTheNextAWarningWhereItIsExceeded() {
    #expect(Self.found { $0.maximumQoS = 0 }.faults.count == 1)
    #expect(Self.found { $0.maximumQoS = 1 } == FleetFindings())
    let two = Self.found({ $0.maximumQoS = 1 }, #","pubQos":2"#)
    #expect(two.faults == [] && two.warnings.count == 1)
    let line =
      "warning: 2 boards (b.csv: line 2 is the first): pubQos is 2, and the broker takes QoS 1 at most: set pubQos 1"
    #expect(two.warnings == [line])
  }

  @Test func aBrokerThatRetainsNothingIsAMistakeWithPubRetain() {
    #expect(Self.found { $0.retains = false }.faults.count == 1)
    let without = Self.found({ $0.retains = false }, #","pubRetain":false"#)
    #expect(without.faults == [] && without.warnings.count == 1)
  }

  @Test func aShortSessionIsAWarningWhereSessionsAreKept() {
    let short = Self.found { $0.sessionExpiry = 3600 }
    #expect(short.warnings.count == 1 && short.warnings[0].contains("for 60 min"))
    #expect(Self.found({ $0.sessionExpiry = 3600 }, #","cleanSession":true"#) == FleetFindings())
  }

  @Test func smallPacketsAreAMistakeBelowAPosition() {
    #expect(Self.found { $0.maximumPacket = 2047 }.faults.count == 1)
    let small = Self.found { $0.maximumPacket = 2048 }
    #expect(small.faults == [] && small.warnings.count == 1)
    #expect(Self.found { $0.maximumPacket = 65_536 } == FleetFindings())
  }

  @Test func fewMessagesAtATimeAndShorterPingsAreWarnings() {
    #expect(Self.found { $0.receiveMaximum = 19 }.warnings.count == 1)
    #expect(Self.found { $0.receiveMaximum = 20 } == FleetFindings())
    #expect(Self.found({ $0.keepalive = 60 }, #","keepAliveParked":900"#).warnings.count == 1)
    #expect(Self.found({ $0.keepalive = 900 }, #","keepAliveParked":900"#) == FleetFindings())
  }

  @Test func theKindFollowsFromNameAndNumbers() {
    var grant = BrokerGrant()
    #expect(grant.kind == .other)
    grant.maximumQoS = 1
    #expect(grant.kind == .other)
    grant.hasSharedSubscriptions = false
    #expect(grant.kind == .rabbit)
    grant.version = "mosquitto version 2.0.21"
    #expect(grant.kind == .mosquitto && grant.name == "mosquitto version 2.0.21")
  }

  @Test func settingsForRabbitAreWarningsThereAlone() {
    #expect(Self.fitting(.mosquitto) == FleetFindings())
    let rabbit = Self.fitting(.rabbit)
    #expect(rabbit.faults == [])
    let keys = ["pubRetain is true", "resendLost is not 0"]
    #expect(rabbit.warnings.count == 2 && zip(rabbit.warnings, keys).allSatisfy { $0.contains($1) })
    let unheard = Self.fitting(.rabbit, #","pubRetain":false,"resendLost":0"#)
    #expect(unheard.warnings.count == 1 && unheard.warnings[0].contains("holdUnheard is false"))
    let good = Self.fitting(.rabbit, #","pubRetain":false,"resendLost":0,"holdUnheard":true"#)
    #expect(good == FleetFindings())
    let common = #","friends":false,"legacyListento":true,"mqttProtocolLevel":5"#
    let more = #","pubRetain":false,"resendLost":0,"holdUnheard":true"#
    let old = FittingSettings.found(.rabbit, Self.boards(more, common))
    #expect(old.warnings.count == 1 && old.warnings[0].contains("legacyListento is true"))
  }

  @Test func levelAndFriendsAreWarningsEverywhere() {
    let common = #","friends":true,"legacyListento":false,"mqttProtocolLevel":"#
    let found = FittingSettings.found(.other, Self.boards("", common + "4"))
    #expect(found.warnings.count == 2)
    let own = common + #"5,"subTopic":"owntracks/%u/%d/cmd""#
    let narrow = FittingSettings.found(.other, Self.boards("", own))
    #expect(narrow == FleetFindings())
  }

  @Test func rabbitTakesNoDotsAndHasNamesOfItsOwn() {
    let boards = FleetScene.boards("user,device\na.b,van\nrecord,bus\n")
    let faults = FittingSettings.found(.rabbit, boards).faults
    #expect(faults.count == 2 && faults[0].contains("a dot in owntracks/a.b/van"))
    #expect(faults[1].contains("the user record is the broker's own"))
    #expect(FittingSettings.found(.mosquitto, boards).faults == [])
  }

  @Test func manySessionsAreAWarningAtRabbit() {
    let rows = (0...300).map { "truck\($0),van\n" }.joined()
    let template = #"{"_type":"configuration","host":"b.example","mqttProtocolLevel":5,"auth":false}"#
    let boards = FleetScene.boards("user,device\n" + rows, template: template)
    let isNamed = FittingSettings.found(.rabbit, boards).warnings.contains {
      $0.contains("cleanSession is false")
    }
    #expect(isNamed)
    let fewer = FittingSettings.found(.rabbit, boards.dropLast()).warnings
    #expect(!fewer.contains { $0.contains("cleanSession") })
  }
}
