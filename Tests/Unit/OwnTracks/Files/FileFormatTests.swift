import Model
import OwnTracks
import Testing
import Timebase

/// Files that others write for us, and those that others read.
struct FileFormatTests {
  // MARK: What the owner calls a friend

  private func card(_ text: String) throws -> FriendCard { try FriendFile.parse(bytes(text)) }

  private func refusal(_ text: String) -> String {
    do {
      _ = try card(text)
      return "taken"
    } catch {
      return "\(error)"
    }
  }

  @Test func aFriendHasANameOrAFace() throws {
    #expect(
      try card(#"{"name":"Jane","face":"QUJD+/=","x":1}"#) == FriendCard(name: "Jane", face: "QUJD+/="))
    #expect(try card(#"{"name":"Jane","face":null}"#) == FriendCard(name: "Jane"))
    #expect(try card(#"{"name":"","face":"azAZ09"}"#) == FriendCard(face: "azAZ09"))
    #expect(FriendFile.limit == 65_536 && "\(FriendFile.unreadable("no\nfile"))" == #"no\nfile"#)
  }

  @Test(arguments: [
    ("[1]", "expected an object with name and face"), ("{", "no JSON: line 1, column "),
    ("{}", "neither name nor face, expected one of them at least"),
    (#"{"name":"","face":null}"#, "neither name nor face, expected one of them at least"),
    (#"{"name":5}"#, "name is 5, expected a text"), (#"{"face":[]}"#, "face is [], expected a text"),
    (#"{"face":"QU-D"}"#, "face is no base64, expected a PNG or JPEG as base64"),
  ])
  func invalidFriendFileIsRefusedWithReason(_ text: String, _ words: String) {
    #expect(refusal(text).hasPrefix(words), "\(refusal(text))")
  }

  @Test func nameAndFaceHaveTheLimitsOfACard() throws {
    let (name, face) = (String(repeating: "n", count: 256), String(repeating: "A", count: 32_768))
    #expect(try card(#"{"name":"\#(name)","face":"\#(face)"}"#) == FriendCard(name: name, face: face))
    #expect(refusal(#"{"name":"\#(name)m"}"#) == "name has 257 bytes, expected 256 at most")
    #expect(refusal(#"{"face":"\#(face)A"}"#) == "face has 32769 bytes, expected 32768 at most")
  }

  // MARK: GPX

  @Test func aTrackHasSixDecimalsAndPerhapsAnAltitude() {
    let points = [512.346, nil].map { altitude in
      HistoryPoint(
        number: 1,
        report: location { report in
          let place = Coordinate(latitude: 48.1234567, longitude: -11.5)!
          report.fix = Fix(time: WallTime(seconds: 5), coordinate: place, accuracy: 5, altitude: altitude)
        })
    }
    #expect(
      GPXTrack.text(of: points) == """
        <?xml version="1.0" encoding="UTF-8" standalone="no" ?>
        <gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="homeward">
        <trk>
        <trkseg>
        <trkpt lat="48.123457" lon="-11.500000"><ele>512.35</ele><time>2023-11-14T22:13:20Z</time></trkpt>
        <trkpt lat="48.123457" lon="-11.500000"><time>2023-11-14T22:13:20Z</time></trkpt>
        </trkseg>
        </trk>
        </gpx>

        """)
    #expect(GPXTrack.text(of: []) == GPXTrack.head + GPXTrack.foot)
  }

  // MARK: Dead letters

  @Test func aLettersTopicFitsIntoMQTT() throws {
    func message(_ count: Int) throws -> Message {
      let topic = String(repeating: "x", count: count)
      let line = DeadLetter.line(topic: topic, payload: bytes(#"{"a":1}"#), reason: "no", time: nil)
      return try DeadLetter.message(line, opening: nil)
    }
    #expect(try message(65_535).topic.utf8.count == 65_535)
    #expect(throws: DeadLetter.Unusable.self) { try message(65_536) }
  }

  @Test func aLetterIsAsOldAsItsMessageElseAsItsRefusal() throws {
    func time(_ payload: String, refused: Double?) throws -> Int {
      let time = refused.map { WallTime(seconds: $0) }
      let line = DeadLetter.line(topic: "a", payload: bytes(payload), reason: "no", time: time)
      return try DeadLetter.message(line, opening: nil).time
    }
    #expect(try time(#"{"tst":7}"#, refused: 9) == 7 && time(#"{"tst":"x"}"#, refused: 9) == 9)
    #expect(try time(#"{"a":1}"#, refused: nil) == 0 && time(#"{"tst":-7}"#, refused: nil) == 0)
  }

  // MARK: GeoJSON

  private func found(_ geometry: String, _ properties: String = #"{"name":"Yard"}"#) throws -> GeoJSON.Found {
    let text = #"{"type":"Feature","properties":\#(properties),"geometry":\#(geometry)}"#
    return try #require(GeoJSON.waypoints(in: JSON.parse(text), created: 7))
  }

  @Test func eachGeometryBecomesAWaypoint() throws {
    #expect(
      try found(
        #"{"type":"Point","coordinates":[11,48,500]}"#,
        #"{"name":"Gate","radius":0.5,"rid":"r","share":false,"private":true,"colour":"red"}"#
      ).waypoints.map(\.description) == [
        #"{"_type":"waypoint","desc":"Gate","lat":48,"lon":11,"private":true,"rad":0.5,"rid":"r","#
          + #""share":false,"tst":7}"#
      ])
    let ring = "[[11,48],[12,48],[12,49],[11,48]]"
    let area = #"{"_type":"waypoint","desc":"Yard","polygon":\#(ring),"tst":7}"#
    for geometry in [
      #"{"type":"Polygon","coordinates":[\#(ring)]}"#, #"{"type":"MultiPolygon","coordinates":[[\#(ring)]]}"#,
    ] {
      #expect(try found(geometry).waypoints.map(\.description) == [area])
    }
  }

  @Test(arguments: [
    (#"{"type":"Polygon","coordinates":[]}"#, "its polygon has no corners"),
    (#"{"type":"Polygon","coordinates":[[],[]]}"#, "it has a hole, and a region cannot have one"),
    (#"{"type":"MultiPolygon","coordinates":[]}"#, "it has several parts: give each a feature of its own"),
    (
      #"{"type":"MultiPolygon","coordinates":[[[]],[[]]]}"#,
      "it has several parts: give each a feature of its own"
    ),
    ("{}", "its geometry is nothing: expected Polygon, or Point with a radius"),
    (#"{"type":"Point"}"#, "a point needs its radius in metres in properties.radius"),
  ])
  func aGeometryThatIsNoRegionIsNamed(_ geometry: String, _ words: String) throws {
    let found = try found(geometry)
    #expect(found.waypoints.isEmpty && found.problems == ["features[0] \"Yard\": " + words])
  }

  @Test func aPointNeedsARadiusAboveZero() throws {
    let point = #"{"type":"Point","coordinates":[11,48]}"#
    #expect(try found(point, #"{"name":"A","radius":0}"#).problems.count == 1)
    #expect(try found(point, #"{"name":"A","radius":"five"}"#).problems.count == 1)
  }
}
