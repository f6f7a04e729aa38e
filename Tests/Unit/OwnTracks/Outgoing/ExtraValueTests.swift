import Model
import Testing

@testable import OwnTracks

/// Keys that the owner adds to locations.
struct ExtraValueTests {
  private static let examples: [(String, JSON)] = [
    ("57\n", .integer(57)), (" 12.5 ", .real(12.5)), ("true", .boolean(true)),
    ("two words\n", .string("two words")), (#"{"a":[1]}"#, .object([.init("a", .array([.integer(1)]))])),
    ("1, 2", .string("1, 2")), ("\u{a0}57\u{a0}", .integer(57)), (#""q""#, .string("q")),
  ]

  @Test(arguments: examples)
  func valueTypeIsInferredFromText(_ text: String, _ value: JSON) {
    #expect(ExtraValue.value(Array(text.utf8)) == value)
  }

  @Test func nothingAndTooMuchAreNone() {
    #expect(ExtraValue.value([]) == nil && ExtraValue.value([10, 32]) == nil)
    #expect(ExtraValue.value([UInt8](repeating: 65, count: 1025)) == nil)
  }

  // behaviour: What a location says
  @Test(arguments: ["lat", "_type", ".hidden", "", "a b", "tst", "\u{e9}"])
  func isNoKeyOfTheirs(_ name: String) { #expect(!ExtraValue.isAllowed(name)) }

  @Test func goesWithALocation() throws {
    let encoder = Encoder(Configuration(), hostName: "d")
    encoder.additions.extras = [("rpm", 900), ("trailer", true)]
    let message = encoder.encode(.location(location()))
    let json = try JSON.parse(message.payload)
    #expect(json["rpm"] == 900 && json["trailer"] == true && json["_type"] == "location")
  }

  @Test func aPointOfThePastHasNoneOfToday() {
    let encoder = Encoder(Configuration(), hostName: "d")
    encoder.additions.extras = [("rpm", 900)]
    let json = HistoryPoint(number: 1, report: location()).json(encoder)
    #expect(json["rpm"] == nil && json["lat"] != nil)
  }
}

/// Base64 as RFC 4648 shows it.
struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"), ("\u{0}\u{7F}~?>", "AH9+Pz4="),
  ])
  func text(_ plain: String, _ text: String) { #expect(Base64.text(of: Array(plain.utf8)) == text) }
}
