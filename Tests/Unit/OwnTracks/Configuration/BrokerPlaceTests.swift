import Model
import Testing

// behaviour: Several brokers
/// The list of brokers in `host`.
@Suite struct BrokerPlaceTests {
  @Test(arguments: [
    ("a.example", ["a.example:1883"]), ("a.example:1", ["a.example:1"]),
    ("a.example, b.example:8884", ["a.example:1883", "b.example:8884"]),
    ("a b,c\td", ["a:1883", "b:1883", "c:1883", "d:1883"]), ("::1", ["::1:1883"]),
    ("[::1], [2001:db8::7]:99 192.0.2.7:65535", ["::1:1883", "2001:db8::7:99", "192.0.2.7:65535"]),
    ("", [":1883"]), (" , ", [":1883"]), (",a", ["a:1883"]),
  ])
  func aListHasBrokers(_ text: String, _ expected: [String]) {
    #expect(BrokerPlace.list(text, port: 1883).map(\.description) == expected)
  }

  @Test(arguments: [
    "", ":1", "a:", "a:0", "a:65536", "a:+1", "a:b", "[::1", "[::1]x", "[::1]:", "[]", "a/b", "u@a",
    "mqtt://a",
  ])
  func anElementThatIsNone(_ text: String) {
    #expect(BrokerPlace(text[...], port: 1883) == nil)
  }

  @Test func allOfThemAreOfflineWithoutAPort() {
    #expect(BrokerPlace.list("a:8884, b", port: 0).map(\.port) == [0, 0])
  }
}
