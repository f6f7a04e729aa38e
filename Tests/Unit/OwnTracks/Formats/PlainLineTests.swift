import OwnTracks
import Testing

struct PlainLineTests {
  @Test func controlCharactersAreEscaped() {
    #expect("a\nb\u{1B}[2Jc\u{85}d\u{7F}e\u{2028}".plainLine == #"a\nb\u{1b}[2Jc\u{85}d\u{7f}e\u{2028}"#)
  }

  @Test(arguments: [
    "\u{07}", "\u{9B}", "\u{7F}", "\u{061C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}", "\u{2066}",
    "\u{2069}", "\u{2029}",
  ])
  func nothingTurnsTheDirectionOrRings(_ character: Unicode.Scalar) throws {
    let text = "a" + String(character) + "b"
    let hex = String(character.value, radix: 16)
    #expect(text.plainLine == "a\\u{\(hex)}b")
    let json = JSON.string(text).description.plainJSON
    #expect(json.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) })
    #expect(try JSON.parse(Array(json.utf8)) == .string(text))
  }

  @Test func linesOfOursStayLines() {
    #expect("a\nb\u{1B}".plainText == "a\nb\\u{1b}")
  }

  @Test func plainTextIsUnchanged() {
    #expect("Köln \u{1F600} \\n".plainLine == "Köln \u{1F600} \\n")
  }

  @Test func aWaypointsNameDoesNotBreakItsProblem() throws {
    let decoded = Waypoints.decode(try JSON.parse(#"{"_type":"waypoint","desc":"a\nb"}"#))
    #expect(decoded.problems.map(\.description) == [#"waypoints[0] "a\nb": tst is missing"#])
  }
}
