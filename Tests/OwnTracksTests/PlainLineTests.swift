import OwnTracks
import Testing

struct PlainLineTests {
  @Test func whatMovesACursorIsShownAndDoesNot() {
    #expect("a\nb\u{1B}[2Jc\u{85}d\u{7F}e\u{2028}".plainLine == #"a\nb\u{1b}[2Jc\u{85}d\u{7f}e\u{2028}"#)
  }

  @Test func whatIsPlainStaysAsItIs() {
    #expect("Köln \u{1F600} \\n".plainLine == "Köln \u{1F600} \\n")
  }

  @Test func aWaypointsNameDoesNotBreakItsProblem() throws {
    let decoded = Waypoints.decode(try JSON.parse(#"{"_type":"waypoint","desc":"a\nb"}"#))
    #expect(decoded.problems.map(\.description) == [#"waypoints[0] "a\nb": tst is missing"#])
  }
}
