import Testing

@testable import homeward

/// What two boards must not share.
struct FleetCollisionsTests {
  private static func found(_ table: String, template: String = FleetScene.template) -> FleetCollisions {
    FleetCollisions(FleetScene.boards(table, template: template))
  }

  @Test func boardsApartShareNothing() {
    let found = Self.found("user,device\njane,van\nbob,van\n")
    #expect(found.faults == [] && found.warnings == [])
  }

  @Test func equalClientIDsAndTopics() {
    let twice = Self.found("user,device\njane,van\nbob,bus\njane,van\n")
    let expected = [
      "b.csv: line 2, b.csv: line 4: equal client id jane-van: they throw each other off the broker",
      "b.csv: line 2, b.csv: line 4: equal topic owntracks/jane/van: they are one to those who look",
    ]
    #expect(twice.faults == expected)
    let set = Self.found("user,device,clientId\njane,van,x\nbob,bus,x\n")
    #expect(set.faults.count == 1 && set.faults[0].contains("equal client id x"))
    let base = Self.found("user,device,pubTopicBase\njane,van,fleet/x\nbob,bus,fleet/x\n")
    #expect(base.faults.count == 1 && base.faults[0].contains("equal topic fleet/x"))
  }

  @Test func namesThatAreOneToRabbitAreAMistake() {
    let found = Self.found("user,device\na.b,c\na,b.c\njane,van\n")
    let expected =
      "b.csv: line 2, b.csv: line 3: owntracks/a.b/c and owntracks/a/b.c are one topic to RabbitMQ, which takes a dot "
      + "for the slash: expected names without dots"
    #expect(found.faults == [expected])
    let twice = Self.found("user,device\na.b,c\na.b,c\n")
    #expect(!twice.faults.contains { $0.contains("RabbitMQ") })
  }

  @Test func aDotInANameIsAWarning() {
    let found = Self.found("user,device\na.b,c\njane,van\nbob,x.y\n")
    #expect(found.faults == [])
    let expected =
      "warning: b.csv: line 2, b.csv: line 4: a dot in owntracks/a.b/c, which RabbitMQ takes for the slash of a topic"
    #expect(found.warnings == [expected])
  }

  @Test func equalTrackerIDsOfOneUserAreAWarning() {
    let found = Self.found("user,device,tid\njane,van,A1\njane,bus,A1\nbob,bus,A1\n")
    #expect(found.faults == [])
    #expect(found.warnings.first == "warning: b.csv: line 2, b.csv: line 3: equal tid A1 of user jane")
    #expect(found.warnings.last?.contains("one user jane: at the broker each of them may do") == true)
  }

  @Test func oneUserHasOnePassword() {
    let template = #"{"_type":"configuration","host":"b.example"}"#
    let found = Self.found("user,device,password\njane,van,a\njane,bus,b\njane,car,\n", template: template)
    #expect(
      found.faults.count == 1
        && found.faults[0].hasSuffix("different passwords, and all of them log in as jane"))
    let same = Self.found("user,device,password\njane,van,a\njane,bus,a\n", template: template)
    #expect(same.faults == [])
  }

  @Test func manyPlacesAreCounted() {
    let rows = (0..<9).map { "jane\($0),van,x\n" }.joined()
    #expect(
      Self.found("user,device,clientId\n" + rows).faults[0].contains("line 5 and 5 more: equal client id"))
  }
}
