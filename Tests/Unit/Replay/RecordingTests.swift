import Model
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

  @Test func whatAnEndingMeans() {
    #expect(Recording.Kind(ending: "jsonl") == .timeline)
    #expect(Recording.Kind(ending: "log") == .receiver)
    #expect(Recording.Kind(ending: "json") == .reports)
    #expect(Recording.Kind(ending: "gpx") == .gpx)
    #expect(Recording.Kind(ending: "txt") == nil)
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
        == "1 line skipped, the first: line 3: not a JSON object")
  }

  /// As the daemon does: a dilution of half a minute ago says nothing about the position at hand.
  @Test func anOldSkySaysNothing() throws {
    func position(_ second: Int) -> String {
      #"{"class":"TPV","mode":3,"time":"2024-06-15T10:15:\#(second).000Z","lat":48.1,"lon":11.5}"#
    }
    let lines = [position(10), #"{"class":"SKY","hdop":1.5}"#, position(15), position(40)]
    #expect(try readings(lines).map(\.hdop) == [nil, 1.5, nil])
  }

  /// Of two receivers the first with a fix is used, until it has been without one for a while.
  @Test func ofTwoReceiversOneIsUsed() throws {
    func position(_ device: String, _ second: Int, mode: Int = 3) -> String {
      #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"2024-06-15T10:15:\#(second).000Z","#
        + #""lat":48.1,"lon":11.\#(device.utf8.last ?? 0)}"#
    }
    let lines = [
      position("a", 10), position("b", 10), position("a", 11), position("b", 14), position("b", 18),
    ]
    #expect(try readings(lines).map(\.longitude) == [11.97, 11.97, 11.98])
  }

  private func readings(_ lines: [String]) throws -> [Reading] {
    try happenings(lines.joined(separator: "\n"), "json").compactMap {
      if case .reading(let reading) = $0.what { reading } else { nil }
    }
  }

  @Test func aFileWithoutAPositionIsRefused() {
    #expect {
      _ = try recording("{}\n", "json")
    } throws: {
      ($0 as? ReplayError)?.sentence == "drive.json: not one position with a time in it"
    }
  }
}
