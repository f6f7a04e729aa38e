import Testing

@testable import Replay

/// Recordings other than timelines: what is read of them, and what is passed over with a word.
struct RecordingTests {
  private func recording(_ text: String, _ ending: String) throws -> Recording {
    let kind = try #require(Recording.Kind(ending: ending))
    return try Recording(Array(text.utf8), kind, file: "drive.\(ending)", numberBase: .auto)
  }

  private func happenings(_ text: String, _ ending: String) throws -> [TimelineEntry] {
    var recording = try recording(text, ending)
    var all: [TimelineEntry] = []
    while let entry = try recording.next() { all.append(entry) }
    return all
  }

  /// With its checksum.
  static func nmea(_ body: String) -> String {
    let sum = body.utf8.reduce(0) { $0 ^ $1 }
    return "$\(body)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
  }

  @Test func whatAnEndingMeans() {
    #expect(Recording.Kind(ending: "jsonl") == .timeline)
    #expect(Recording.Kind(ending: "log") == .nmea)
    #expect(Recording.Kind(ending: "json") == .reports)
    #expect(Recording.Kind(ending: "gpx") == .gpx)
    #expect(Recording.Kind(ending: "txt") == nil)
  }

  @Test func sentencesOfOneTimeAreOneReading() throws {
    let lines = [
      "GPRMC,101500.00,A,4808.2200,N,01134.5000,E,10.0,90.0,150624,,,A",
      "GPGGA,101500.00,4808.2200,N,01134.5000,E,1,08,0.9,519.0,M,47.0,M,,",
      "GPRMC,101501.00,A,4808.2210,N,01134.5010,E,10.0,90.0,150624,,,A",
    ].map(Self.nmea)
    let entries = try happenings(lines.joined(separator: "\r\n"), "nmea")
    #expect(entries.map(\.line) == [1, 1, 3])
    guard case .clock(let clock) = entries[0].what, case .reading(let first) = entries[1].what else {
      Issue.record("\(entries)")
      return
    }
    #expect(clock == 1_718_446_500)
    #expect(abs((first.latitude ?? 0) - 48.137) < 1e-9 && first.longitude == 11.575)
    #expect(first.altitude == 519 && first.hdop == 0.9 && first.mode == 3)
    #expect(first.speed == 10.0 * 1852 / 3600 && first.track == 90)
    #expect(entries[2].at == .seconds(1))
  }

  @Test func aWrongChecksumIsPassedOverAndToldWithItsLine() throws {
    let good = Self.nmea("GPRMC,101500.00,A,4808.2200,N,01134.5000,E,10.0,90.0,150624,,,A")
    let recording = try recording(good + "\n" + good.dropLast(2) + "00\n$GPGGA,\n", "nmea")
    let summary = try #require(recording.summary)
    #expect(summary.hasPrefix("2 lines passed over, the first: line 2: the checksum is 00, expected "))
  }

  @Test func theDateOfASentenceIsOneOfTheCalendar() throws {
    func day(_ date: String) throws -> Double? {
      let line = Self.nmea("GPRMC,000000,A,4808.2200,N,01134.5000,E,,,\(date),,,A")
      guard let entry = try? happenings(line, "nmea").first, case .clock(let clock) = entry.what else {
        return nil
      }
      return clock / 86_400
    }
    #expect(try day("010100") == 10_957)
    #expect(try day("290224") == 19_782)
    #expect(try day("311299") == 10_956)
    #expect(try day("010180") == 3652)
    #expect(try day("320124") == nil)
    #expect(try day("011324") == nil)
    #expect(try day("000124") == nil)
  }

  @Test func aReportWithoutAnErrorEstimateFallsBackOnTheSky() throws {
    let lines = [
      #"{"class":"SKY","hdop":1.5}"#,
      #"{"class":"TPV","mode":3,"time":"2024-06-15T10:15:00.000Z","lat":48.1,"lon":11.5}"#,
      "not JSON",
    ]
    let entries = try happenings(lines.joined(separator: "\n"), "json")
    guard entries.count == 2, case .reading(let reading) = entries[1].what else {
      Issue.record("\(entries)")
      return
    }
    #expect(reading.hdop == 1.5 && entries[1].line == 2)
    #expect(
      try recording(lines.joined(separator: "\n"), "json").summary
        == "1 line passed over, the first: line 3: not a JSON object")
  }

  @Test func aFileWithoutAPositionIsRefused() {
    #expect {
      _ = try recording("{}\n", "json")
    } throws: {
      ($0 as? ReplayError)?.sentence == "drive.json: not one position with a time in it"
    }
  }
}
