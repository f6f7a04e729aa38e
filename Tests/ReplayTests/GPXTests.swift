import Testing

@testable import Replay

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

  @Test func aPointWithoutATimeIsPassedOverAndTold() throws {
    let track = try track(point("<ele>1</ele>"))
    #expect(track.entries.isEmpty)
    #expect(track.faults.summary == "1 line passed over, the first: line 1: a point without a <time>")
  }

  @Test func whatIsNoTrackIsRefusedWithItsLine() throws {
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
}
