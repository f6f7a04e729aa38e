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

  @Test func modesAreTypedByName() throws {
    #expect(try set("monitoring", "move") == 2 && set("monitoring", "-1") == -1)
    #expect(try set("monitoring", "Quiet") == -1)
    #expect(throws: ConfigurationFile.Problem.self) { try set("monitoring", "fast") }
  }

  @Test(arguments: [
    ("mqtt://broker.example", #"the bare name "broker.example", with 1883 as port, and tls false"#),
    ("mqtts://broker.example:8884/", #"the bare name "broker.example", with 8884 as port, and tls true"#),
    ("http://broker.example", #"the bare name "broker.example""#),
    ("broker.example:1883", #"the bare name "broker.example", with 1883 as port"#),
    ("[2001:db8::7]:1883", #"the bare name "2001:db8::7", with 1883 as port"#),
    ("broker.example/mqtt", #"the bare name "broker.example""#),
    ("my broker", "the bare name, without blanks"), ("://", #"the bare name "broker.example""#),
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

  @Test(arguments: ["broker", "b.example", "192.0.2.7", "2001:db8::7", "::1", "bücher.example"])
  func namesAndAddressesAreHosts(_ host: String) {
    #expect(ConfigurationFile.decode(bytes("{\"host\":\"\(host)\"}")).problems.isEmpty)
  }
}
