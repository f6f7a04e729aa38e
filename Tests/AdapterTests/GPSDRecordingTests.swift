import Glibc
import Model
import Testing
import Timebase

@testable import Adapters

/// Everything that a real gpsd said about recordings of real receivers (`receivers.py --raw FILE`),
/// through framing and decoding: HOMEWARD_GPSD_LINES names the file.
@Suite(.enabled(if: getenv("HOMEWARD_GPSD_LINES") != nil, "no recording named"))
struct GPSDRecordingTests {
  /// Per recording, as gpsd's reports come: a "#name" line stands before each.
  private func play(_ each: (String, Reading) -> Void) throws -> (positions: Int, malformed: Int) {
    let name = String(cString: try #require(getenv("HOMEWARD_GPSD_LINES")))
    let file = try #require(fopen(name, "r"))
    defer { fclose(file) }
    let lines = GPSDLines()
    var reports = GPSDReports(device: "")
    var (recording, positions, malformed, millisecond) = ("", 0, 0, 0)
    while case let count = fread(lines.space, 1, min(lines.free, 1000), file), count > 0 {
      lines.accept(count) { line, length in
        millisecond += 100
        if line[0] == 35 {
          malformed += reports.malformed
          (recording, reports) = (String(cString: line + 1), GPSDReports(device: ""))
        } else if let reading = reports.take(line, length, at: .zero + .milliseconds(millisecond)) {
          positions += reading.mode >= 2 ? 1 : 0
          each(recording, reading)
        }
      }
    }
    return (positions, malformed + reports.malformed + lines.overlong)
  }

  @Test func everyLineOfARealGpsdIsUnderstood() throws {
    let played = try play { _, _ in }
    #expect(played.positions > 0)
    #expect(played.malformed == 0)
  }

  @Test func noPlaceIsOffTheEarth() throws {
    _ = try play { recording, reading in
      guard let latitude = reading.latitude, let longitude = reading.longitude else { return }
      #expect(Coordinate(latitude: latitude, longitude: longitude) != nil, "\(recording)")
    }
  }
}
