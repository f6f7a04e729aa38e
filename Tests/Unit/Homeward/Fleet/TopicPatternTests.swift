import Testing

@testable import homeward

/// Filters of both protocols.
struct TopicPatternTests {
  @Test(arguments: [
    ("a/b", "a/b", true), ("a/b", "a/c", false), ("a/+", "a/b", true), ("a/+", "a/b/c", false),
    ("#", "a/b", true),
    ("a/#", "a", true), ("a/#", "a/b/c", true), ("a/#", "b", false), ("a/+/c", "a/b/c", true),
    ("+", "", true),
    ("a/b/c", "a/b", false),
  ])
  func mqttFilters(_ filter: String, _ topic: String, _ isCovered: Bool) {
    #expect(TopicPattern.mqtt(filter, matches: topic) == isCovered)
  }

  @Test(arguments: [
    ("owntracks.*.*", "owntracks/a/b", true), ("owntracks.*.*", "owntracks/a/b/event", false),
    ("owntracks.#", "owntracks/a/b/event", true), ("#.event", "owntracks/a/b/event", true), ("#", "x", true),
    ("*.a.#.d", "x/a/b/c/d", true), ("*.a.#.d", "x/a/d", true), ("*.a.#.d", "x/a/b", false),
    // A dot in a name is a level.
    ("owntracks.*.*", "owntracks/a.b/c", false), ("owntracks.*.*.*", "owntracks/a.b/c", true),
  ])
  func amqpKeys(_ key: String, _ topic: String, _ isCovered: Bool) {
    #expect(TopicPattern.amqp(key, matches: topic) == isCovered)
  }
}
