import Glibc
import Model
import Testing
import Timebase

@testable import Receiver

/// Everything that a real gpsd said about recordings of real receivers (`receivers.py --raw FILE`),
/// through framing and decoding: HOMEWARD_GPSD_LINES names the file.
@Suite(.enabled(if: getenv("HOMEWARD_GPSD_LINES") != nil, "no recording named"))
struct GPSDRecordingTests {
  /// Per recording, as gpsd's reports come: a "#name" line stands before each.
  private func play(
    onLine: ([UInt8]) -> Void = { _ in }, _ each: (String, Reading) -> Void
  ) throws -> (positions: Int, malformed: Int) {
    let name = String(cString: try #require(getenv("HOMEWARD_GPSD_LINES")))
    let file = try #require(fopen(name, "r"))
    defer { fclose(file) }
    let lines = GPSDLines()
    var reports = GPSDReports(device: "")
    var (recording, positions, malformed, millisecond) = ("", 0, 0, 0)
    while case let count = fread(lines.space, 1, min(lines.free, 1000), file), count > 0 {
      lines.accept(count) { line, length in
        millisecond += 100
        onLine(UnsafeRawBufferPointer(start: line, count: length).map(\.self))
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

  /// Most positions do not pass through libgps, which would say the same of them.
  @Test func recordedPositionsParseLikeLibgps() throws {
    var (count, first): (Int, String?) = (0, nil)
    _ = try play(
      onLine: { line in
        guard let difference = GPSDPlainFormTests.difference(line) else { return }
        count += 1
        first = first ?? difference
      }, { _, _ in })
    #expect(count == 0, "\(first ?? "")")
  }

  @Test func noPlaceIsOffTheEarth() throws {
    _ = try play { recording, reading in
      guard let latitude = reading.latitude, let longitude = reading.longitude else { return }
      #expect(Coordinate(latitude: latitude, longitude: longitude) != nil, "\(recording)")
    }
  }
}
