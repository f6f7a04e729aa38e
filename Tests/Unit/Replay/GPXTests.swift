import Model
import Testing

@testable import Replay

// behaviour: replay
/// GPX tracks as devices and sites write them.
struct GPXTests {
  private func track(_ text: String) throws(ReplayError) -> Track {
    try GPXRecording.track(Array(text.utf8), "drive.gpx")
  }

  private func sentence(_ text: String) -> String? {
    do throws(ReplayError) {
      _ = try track(text)
      return nil
    } catch {
      return error.sentence
    }
  }

  private func point(_ inner: String) -> String {
    "<gpx><trk><trkseg><trkpt lat=\"48.1\" lon='11.5'>\(inner)</trkpt></trkseg></trk></gpx>"
  }

  @Test func aPointIsAReading() throws {
    let inner =
      "<ele> 519.5 </ele><time>2024-06-15T10:15:00Z</time><hdop>0.9</hdop><speed>3</speed><course>90</course>"
    let entries = try track(point(inner)).entries
    guard entries.count == 2, case .reading(let reading) = entries[1].what else {
      Issue.record("\(entries)")
      return
    }
    #expect(reading.latitude == 48.1 && reading.longitude == 11.5 && reading.altitude == 519.5)
    #expect(reading.time?.seconds == 1_718_446_500 && reading.mode == 3)
    #expect(reading.hdop == 0.9 && reading.speed == 3 && reading.track == 90)
  }

  @Test func namesMayHaveAPrefix() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- <trkpt> of a comment -->
      <x:gpx xmlns:x="http://www.topografix.com/GPX/1/1"><x:trk><x:trkseg>
      <x:trkpt lat="48.1" lon="11.5"><x:time>2024-06-15T10:15:00Z</x:time></x:trkpt>
      </x:trkseg></x:trk></x:gpx>
      """
    let entries = try track(text).entries
    #expect(entries.map(\.line) == [4, 4])
  }

  @Test func pointWithoutTimeIsSkippedAndNamed() throws {
    let track = try track(point("<ele>1</ele>"))
    #expect(track.entries.isEmpty)
    #expect(track.faults.summary == "1 line skipped, the first: line 1: a point without a <time>")
  }

  private func reading(_ text: String) throws -> Reading {
    guard case .reading(let reading)? = try track(text).entries.last?.what else {
      Issue.record("no reading: \(try track(text).faults.summary ?? "")")
      return Reading()
    }
    return reading
  }

  /// All times of GPX are UTC, and many programs write a zone their own way.
  @Test(arguments: [
    "2024-06-15T10:15:00", "2024-06-15T12:15:00+0200", "2024-06-15T12:15:00+02", "2024-06-15T06:45:00-03:30",
    "2024-06-15 10:15:00", "2024-06-15T10:15:00.000", "2024-06-15T10:15:00Z",
  ])
  func timesAreReadAsTheyAreWritten(_ time: String) throws {
    #expect(try reading(point("<time> \(time)\n</time>")).time?.seconds == 1_718_446_500)
  }

  @Test(arguments: [
    ("2024-02-30T10:15:00Z", "the time 2024-02-30T10:15:00Z is impossible: there is no such day or hour"),
    ("2023-02-29T10:15:00Z", "the time 2023-02-29T10:15:00Z is impossible: there is no such day or hour"),
    ("2024-13-01T10:15:00", "the time 2024-13-01T10:15:00 is impossible: there is no such day or hour"),
    ("2024-12-01T24:15:00Z", "the time 2024-12-01T24:15:00Z is impossible: there is no such day or hour"),
    ("1718446500", "the time \"1718446500\" is not understood, expected 2026-07-01T08:00:00Z"),
    (
      "2024-06-15T10:15:00 CET",
      "the time \"2024-06-15T10:15:00 CET\" is not understood, expected 2026-07-01T08:00:00Z"
    ),
    ("", "the time \"\" is not understood, expected 2026-07-01T08:00:00Z"),
  ])
  func aTimeThatIsNoneIsNamed(_ time: String, _ sentence: String) throws {
    let track = try track(point("<time>\(time)</time>"))
    #expect(track.entries.isEmpty)
    #expect(track.faults.summary == "1 line skipped, the first: line 1: " + sentence)
  }

  /// xsd:decimal, and no more than that.
  @Test(arguments: [
    (" +48.5", 48.5), ("48.5\n", 48.5), ("+.5", 0.5), ("-.5", -0.5), (".5", 0.5), ("5.", 5), ("+5", 5),
    ("-0", 0),
  ])
  func aDecimalMayHaveASignAndBlanks(_ text: String, _ number: Double) throws {
    let point = point("<time>2024-06-15T10:15:00Z</time><ele>\(text)</ele>").replacing("48.1", with: text)
    #expect(try reading(point).latitude == number && reading(point).altitude == number)
  }

  @Test(arguments: ["", "+", ".", "+-5", "++5", "4 8", "north", "91", "nan", "0x10", "5..", "48,5"])
  func aPointThatIsNowhereIsNamed(_ latitude: String) throws {
    let text = point("<time>2024-06-15T10:15:00Z</time>").replacing("48.1", with: latitude)
    let track = try track(text)
    #expect(track.entries.isEmpty)
    #expect(
      track.faults.summary
        == "1 line skipped, the first: line 1: lat=\"\(latitude)\" lon=\"11.5\" is no place on the Earth in degrees"
    )
  }

  /// Elements of others may have the same name, and another unit.
  @Test(arguments: [true, false])
  func ownPointFieldsPrecedeExtensions(_ isBefore: Bool) throws {
    let own = "<time>2024-06-15T10:15:00Z</time><ele>12</ele><speed>12.0</speed>"
    let others =
      "<extensions><o:d xmlns:o=\"urn:x\"><o:speed>43.2</o:speed><o:ele>9999</o:ele><o:course>90</o:course>"
      + "<o:time>yesterday</o:time></o:d></extensions>"
    let read = try reading(point(isBefore ? others + own : own + others))
    #expect(read.speed == 12 && read.altitude == 12 && read.track == 90)
    #expect(try reading(point("<time>2024-06-15T10:15:00Z</time>" + others)).speed == 43.2)
  }

  @Test func invalidTrackIsRefusedWithItsLine() throws {
    #expect(sentence("<html>\n</html>")?.hasPrefix("drive.gpx:1: ") == true)
    #expect(sentence("<gpx>\n<trk>\n</gpx>")?.hasPrefix("drive.gpx:3: ") == true)
    #expect(sentence("<gpx>\n<trk>")?.hasPrefix("drive.gpx:2: ") == true)
    #expect(sentence("<gpx>\n<trkpt lat=1></gpx>")?.hasPrefix("drive.gpx:2: ") == true)
    for text in ["<html>\n</html>", "<gpx>\n<trk>", "<gpx><"] {
      let told = try #require(sentence(text))
      #expect(told.hasSuffix(", expected a GPX track"), "\(told)")
      #expect(!told.contains("\n"))
    }
  }
  @Test func entitiesAndCDATAAreDecoded() throws {
    let text = """
      <!DOCTYPE gpx [<!ENTITY day "2024-06-15">]>
      <gpx><trk><name>Tom &amp; Jerry &lt;3</name><trkseg><trkpt lat="&#52;8.1" lon="11.5">
      <time>&day;T10:15:00Z</time><ele><![CDATA[519]]></ele></trkpt></trkseg></trk></gpx>
      """
    guard case .reading(let reading)? = try track(text).entries.last?.what else {
      Issue.record("no reading")
      return
    }
    #expect(reading.time?.seconds == 1_718_446_500 && reading.latitude == 48.1 && reading.altitude == 519)
  }

  /// A kilobyte that stands for gigabytes, and a file of the board's that somebody else would like to read.
  @Test func entitiesCannotGrowWithoutEndOrReadOtherFiles() throws {
    var bomb = "<!DOCTYPE gpx [<!ENTITY a0 \"\(String(repeating: "x", count: 100))\">"
    for level in 1...12 {
      bomb += "<!ENTITY a\(level) \"\(String(repeating: "&a\(level - 1);", count: 10))\">"
    }
    let told = sentence(bomb + "]>\n<gpx><name>&a12;</name></gpx>")
    #expect(told?.hasPrefix("drive.gpx:2: ") == true && told?.contains("amplification") == true)
    let stranger = "<!DOCTYPE gpx [<!ENTITY it SYSTEM \"file:///etc/hostname\">]>"
    let inner = "<time>2024-06-15T10:15:00Z</time><ele>&it;</ele>"
    guard case .reading(let reading)? = try track(stranger + point(inner)).entries.last?.what else {
      Issue.record("no reading")
      return
    }
    #expect(reading.altitude == nil)
  }

  @Test func elementsWithinEachOtherHaveALimit() {
    let deep = "<gpx>\n" + String(repeating: "<a>", count: XMLReader.deepest)
    #expect(
      sentence(deep) == "drive.gpx:2: more than 100 elements within each other, expected a GPX track")
    let text = String(repeating: "<a>", count: 98) + String(repeating: "</a>", count: 98)
    #expect(sentence("<gpx>" + text + "</gpx>") == nil)
  }

  @Test func othersEncodingsAreReadAsFarAsATrackNeeds() throws {
    let inner = "<name>M\u{FC}nchen</name><time>2024-06-15T10:15:00Z</time>"
    for encoding in ["ISO-8859-1", "windows-1252"] {
      let text = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>" + point(inner)
      let latin = text.unicodeScalars.map { UInt8($0.value) }
      #expect(try GPXRecording.track(latin, "drive.gpx").entries.count == 2, "\(encoding)")
    }
    let wide = ("\u{FEFF}" + point(inner)).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try GPXRecording.track(wide, "drive.gpx").entries.count == 2)
  }

  @Test func aValueOfALongTextIsNone() throws {
    let inner = "<ele>\(String(repeating: "1", count: 101))</ele><time>2024-06-15T10:15:00Z</time>"
    guard case .reading(let reading)? = try track(point(inner)).entries.last?.what else {
      Issue.record("no reading")
      return
    }
    #expect(reading.altitude == nil)
  }
}
