import Model
import OwnTracks
import Testing

// behaviour: The configuration file
/// What people type and write though it is not what the key takes.
struct TypedValueTests {
  private func set(_ key: String, _ text: String) throws -> JSON? {
    try JSON.parse(try ConfigurationFile.setting(key, to: text, in: []))[key]
  }

  @Test func switchesAreTypedAsPeopleSayThem() throws {
    for text in ["yes", "on", "true", "1", "Yes", "ON"] { #expect(try set("tls", text) == true) }
    for text in ["no", "off", "false", "0", "No", "OFF"] { #expect(try set("tls", text) == false) }
    #expect(throws: ConfigurationFile.Problem.self) { try set("tls", "maybe") }
    // No such word is a word for all keys.
    #expect(try set("deviceId", "on") == "on")
  }

  private func refusal(_ key: String, _ text: String) -> String {
    do {
      _ = try set(key, text)
      return "taken"
    } catch {
      return "\(error)"
    }
  }

  @Test func refusalsNameEveryWordThatMayBeTyped() {
    let switches = #"tls is "maybe", expected true or false, or yes, no, on, off"#
    #expect(refusal("tls", "maybe").hasSuffix(switches))
    let modes = "expected a whole number from -1 to 2, or quiet, manual, significant, move"
    #expect(refusal("monitoring", "fast").hasSuffix(modes))
    // In a file only what the apps write counts.
    let file = bytes(#"{"host":"h","monitoring":"fast","tls":"maybe"}"#)
    let written = ConfigurationFile.decode(file).problems.map(\.expected)
    #expect(written == ["a whole number from -1 to 2", "true or false"])
    let words = [("monitoring", "fast"), ("tls", "maybe")]
    let typed = ConfigurationFile.decode(file, overrides: words).problems
    #expect(typed.count == 2 && typed.allSatisfy { $0.expected.contains(", or ") })
  }

  @Test func regionsAreNoValueOfAKey() {
    #expect(refusal("waypoints", "[]").hasSuffix("; regions are changed in the file, or by homeward region"))
    #expect(!refusal("waypoint", "[]").contains("region"))
  }

  @Test func modesAreTypedByName() throws {
    #expect(try set("monitoring", "move") == 2 && set("monitoring", "-1") == -1)
    #expect(try set("monitoring", "Quiet") == -1)
    #expect(throws: ConfigurationFile.Problem.self) { try set("monitoring", "fast") }
  }

  @Test(arguments: [
    ("mqtt://broker.example", #"the bare name "broker.example", with 1883 as port, and tls false"#),
    ("mqtts://broker.example:8884/", #"the bare name "broker.example", with 8884 as port, and tls true"#),
    ("http://broker.example", #"the bare name "broker.example""#),
    ("broker.example:mqtt", "a port from 1 to 65535 after the colon"),
    ("[2001:db8::7]:0", "a port from 1 to 65535 after the colon"),
    ("broker.example/mqtt", #"the bare name "broker.example""#),
    ("://", #"the bare name "broker.example""#),
    ("a, mqtt://b", #"as element 2 ("mqtt://b") the bare name "b", with 1883 as port, and tls false"#),
    ("a:65536 b", #"as element 1 ("a:65536") a port from 1 to 65535 after the colon"#),
    ("a,,b", "as element 2 a name or an address; nothing stands there"),
    ("a, b,", "as element 3 a name or an address; nothing stands there"),
    ("a, ‘b’", #"as element 2 ("‘b’") the bare name "b", without quotes of its own"#),
    (" ", "a name or an address; nothing stands there"),
  ])
  func aHostIsABareName(_ host: String, _ expected: String) {
    let file = bytes("{\"host\":\"\(host)\"}")
    #expect(
      ConfigurationFile.decode(file).problems.map(\.description)
        == ["line 1: host is \"\(host)\", expected \(expected)"])
    #expect(ConfigurationFile.decode(file, overrides: [("port", "0")]).problems.isEmpty)
  }

  @Test func websocketsAreNamed() {
    let problem = ConfigurationFile.decode(bytes(#"{"host":"wss://b.example:9001/mqtt"}"#)).problems.first
    #expect(problem?.expected.contains("websockets are not supported") == true)
  }

  @Test func aPasswordInAHostIsNotRepeated() {
    let problems = ConfigurationFile.decode(bytes(#"{"host":"mqtt://jane:s3cret@b.example"}"#)).problems
    #expect(problems.count == 1 && !"\(problems)".contains("s3cret"))
  }

  @Test func aPasswordInAListIsNotRepeated() {
    let problems = ConfigurationFile.decode(bytes(#"{"host":"a, jane:s3cret@b.example"}"#)).problems
    let words = #"expected as element 2 the bare name "b.example""#
    #expect(problems.map(\.description) == ["line 1: host is (hidden), \(words)"])
  }

  @Test(arguments: [
    "broker", "b.example", "192.0.2.7", "2001:db8::7", "::1", "bücher.example", "b.example:8884",
    "[::1]:8884",
    "a.example, b.example:8884", "a b,c",
  ])
  func namesAndAddressesAreHosts(_ host: String) {
    #expect(ConfigurationFile.decode(bytes("{\"host\":\"\(host)\"}")).problems.isEmpty)
  }
}
