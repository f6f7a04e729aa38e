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

  @Test func fileExtensionDecidesTheKind() {
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

  // behaviour: replay
  /// As the daemon does: a dilution of half a minute ago says nothing about the position at hand.
  @Test func anOldSkySaysNothing() throws {
    func position(_ second: Int) -> String {
      #"{"class":"TPV","mode":3,"time":"2024-06-15T10:15:\#(second).000Z","lat":48.1,"lon":11.5}"#
    }
    let lines = [position(10), #"{"class":"SKY","hdop":1.5}"#, position(15), position(40)]
    #expect(try readings(lines).map(\.hdop) == [nil, 1.5, nil])
  }

  /// As the daemon does, too.
  @Test func recentGSTErrorReplacesTPVError() throws {
    func position(_ second: Int) -> String {
      #"{"class":"TPV","mode":3,"time":"2024-06-15T10:15:\#(second).000Z","lat":48.1,"lon":11.\#(second),"eph":11.4}"#
    }
    let gst = #"{"class":"GST","rms":0.9,"major":0.018,"lat":0.03,"lon":0.04,"alt":0.025}"#
    let lines = [position(10), gst, position(11), position(20), position(21)]
    #expect(try readings(lines).map(\.eph) == [11.4, 0.1, 0.1, 11.4])
  }

  // behaviour: replay
  /// Of two receivers the first with a fix is used, until it has been without one for a while.
  @Test func oneOfTwoReceiversIsUsedAtATime() throws {
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

  private func refusal(_ text: String, _ ending: String) -> String? {
    do {
      _ = try recording(text, ending)
      return nil
    } catch {
      return (error as? ReplayError)?.sentence
    }
  }

  @Test func aFileWithoutAPositionIsRefused() {
    #expect(refusal("{}\n", "json") == "drive.json: not one position with a time in it")
    #expect(refusal("<gpx></gpx>", "gpx") == "drive.gpx: not one position with a time in it")
  }

  private static let report =
    #"{"class":"TPV","mode":3,"time":"2026-07-01T08:00:00.000Z","lat":48.1,"lon":11.5,"eph":4.0}"#

  // behaviour: replay
  /// Not that there was nothing: what was there, and where.
  @Test func theFirstComplaintIsTheReason() throws {
    func spoilt(_ part: String, _ other: String) -> String { Self.report.replacing(part, with: other) }
    let complaints: [(String, String)] = [
      ("hello", "not a JSON object"),
      (
        spoilt("T08:00:00.000Z", ""),
        #"the time "2026-07-01" is not understood, expected "2026-07-01T08:00:00Z""#
      ),
      (
        spoilt("07-01", "02-31"),
        #"the time "2026-02-31T08:00:00.000Z" is impossible: there is no such day or hour"#
      ),
      (spoilt("48.1", "148.1"), "a position without a place on the Earth"),
      (spoilt(#""time":"2026-07-01T08:00:00.000Z","#, ""), "a position without a time"),
    ]
    for (line, complaint) in complaints {
      let none = "drive.json:2: not one position that can be used, the first: "
      #expect(refusal("\n" + line + "\nhello\n", "json") == none + complaint)
      let summary = try recording(Self.report + "\n" + line, "json").summary
      #expect(summary?.hasPrefix("1 line skipped, the first: line 2: ") == true, "\(line)")
      // Lines of a receiver's recording are gpsd's own, and nobody has seen them.
      #expect(refusal(line, "nmea")?.hasPrefix("drive.nmea: not one position that can be used") == true)
      #expect(try recording(Self.report + "\n" + line, "nmea").summary == nil, "\(line)")
    }
  }

  private func times(_ text: String) throws -> [Double?] {
    try readings([text]).map { $0.time?.seconds }
  }

  // behaviour: replay
  /// `gpspipe -w` with -t, -u and -Z.
  @Test(arguments: [
    "2026-07-01 08:00:00: ", "2026-07-01 08:00:00.123456: ", "2026-07-01T08:00:00.123456Z: ",
    "1782892800.123456: ",
  ])
  func aTimeBeforeEachReportIsPassedOver(_ time: String) throws {
    #expect(try times(time + Self.report) == [1_782_892_800])
    #expect(refusal(time, "json")?.hasSuffix("the first: not a JSON object") == true)
  }

  // behaviour: replay
  @Test(arguments: [("", "\n", ""), ("[", ",", "]"), ("[\n", ",\n", "\n]\n"), ("[\n", "\n,", "")])
  func reportsMayStandInAnArray(_ start: String, _ between: String, _ end: String) throws {
    let later = Self.report.replacing("08:00:00", with: "08:00:01").replacing(",\"lat", with: ",\n\"lat")
    let lines =
      start + Self.report + between + (start.isEmpty ? later.replacing("\n", with: "") : later) + end
    #expect(try times(lines) == [1_782_892_800, 1_782_892_801])
  }

  @Test func arrayElementsAreParsedSeparately() throws {
    let odd = #"{"class":"SKY","text":"a \\\" } [ {","list":[{"x":{}}]}"#
    let text = "[" + odd + ",\n" + Self.report + ",\n{\"class\":"
    #expect(try times(text) == [1_782_892_800])
    #expect(
      try recording(text, "json").summary == "1 line skipped, the first: line 3: not a whole JSON object")
  }

  /// What gpsd 3.22 says of a receiver that is void and repeats its place: a fix, without a speed.
  private func drive(_ void: (Int) -> String, words: [String] = []) -> [String] {
    (0..<20).flatMap { second -> [String] in
      let east = second < 5 ? second : second < 15 ? 4 : 500 + second
      let rest = (5..<15).contains(second) ? void(second) : "\"speed\":4.0,"
      let report =
        #"{"class":"TPV","mode":3,"time":"2026-07-01T08:00:\#(second + 10).000Z","ept":0.005,"#
        + #""lat":48.1,"lon":11.\#(1000 + east),\#(rest)"eph":4.0}"#
      return ((5..<15).contains(second) ? words : []) + [report]
    }
  }

  private func voids(_ lines: [String]) throws -> [Int] {
    try readings(lines).filter(\.isVoid).map { Int(($0.time?.seconds ?? 0) - 1_782_892_810) }
  }

  // behaviour: A place that is only repeated
  @Test func aPlaceThatIsOnlyRepeatedIsNone() throws {
    #expect(try voids(drive { _ in "" }) == Array(5..<15))
    let fixes = try readings(drive { _ in "" }).filter { $0.mode >= 2 }
    #expect(fixes.count == 10 && fixes.allSatisfy { $0.speed == 4 })
    // A parked vehicle whose receiver holds its place.
    #expect(try voids(drive { _ in #""speed":0.0,"# }).isEmpty)
    // It says that it moves, and does not: the second report says it of the first, too.
    #expect(try voids(drive { _ in #""speed":4.0,"# }) == Array(5..<15))
    #expect(try voids(drive { $0 < 7 ? #""speed":0.0,"# : "" }) == Array(6..<15))
  }

  // behaviour: A place that is only repeated
  /// `gpspipe -wr`, and a recording that a gpsd of our own has read.
  @Test func theReceiversOwnWordsDecideWhereTheyAreThere() throws {
    let place = "4806.00000,N,01130.00000,E"
    let (void, good) = ("$GPRMC,1,V,\(place),0,,010726,,,N*5C", "$GPRMC,1,A,\(place),0,,010726,,,A*5C")
    #expect(try voids(drive({ _ in #""speed":0.0,"# }, words: [void])) == Array(5..<15))
    #expect(try voids(drive({ _ in "" }, words: [good])).isEmpty)
    // gpsd reports before the sentence that says it has come.
    var late = drive { _ in #""speed":0.0,"# }
    late.insert(void, at: 6)
    #expect(try voids(late).prefix(3) == [5, 6, 7])
    // However many reports it makes of one second.
    late.insert(late[5], at: 5)
    #expect(try voids(late).prefix(4) == [5, 5, 6, 7])
    let lines = drive({ _ in #""speed":0.0,"# }, words: ["2026-07-01 08:00:00: " + void, "!AIVDM,1"])
    #expect(try recording(lines.joined(separator: "\n"), "json").summary == nil)
    #expect(try voids(lines) == Array(5..<15))
  }

  /// gpsd 3.25 takes it back within the second.
  @Test func aFixThatIsTakenBackIsNoneTheNextTime() throws {
    let lines = drive { _ in #""speed":0.0,"# }.enumerated().flatMap { index, line -> [String] in
      let gone = #"{"class":"TPV","mode":1,"time":"2026-07-01T08:00:\#(index + 10).000Z","ept":0.005}"#
      return (5..<15).contains(index) ? [line, gone] : [line]
    }
    #expect(try voids(lines) == Array(5..<15))
  }

  /// gpsd makes 3 March of 31 February, and nothing at all of month 13.
  @Test(arguments: [("310226", "2026-02-31"), ("011326", "2026-13-01"), ("000126", "2026-01-00")])
  func aDayThatThereIsNotIsNamed(_ date: String, _ day: String) throws {
    let rmc = "$GPRMC,1,A,4806.00000,N,01130.00000,E,0,,\(date),,,A*5C\n"
    let sentence =
      "drive.nmea: not one position that can be used, the first: the receiver's date \(day) is impossible: there is "
      + "no such day"
    #expect(refusal(rmc + Self.report, "nmea") == sentence)
    let later = rmc.replacing(date, with: "010726") + Self.report + "\n" + rmc
    let last = try readings([later + Self.report.replacing("08:00:00", with: "08:00:01")]).last
    #expect(last?.time == nil && last?.isDateImpossible == true)
  }

  // behaviour: replay
  /// gpsd moves a date that is older than it is itself.
  @Test func datesThatGpsdHasMovedAreNamed() throws {
    let report = Self.report.replacing("2026-07-01", with: "2035-02-13")
    func remark(_ date: String) throws -> String? {
      try recording("$GPRMC,1,A,,,,,0,,\(date),,,A*5C\n" + report, "nmea").remark
    }
    #expect(
      try remark("300615")
        == "gpsd has moved its dates by 1024 weeks: what the receiver dates 2015-06-30 is played as of 2035-02-13"
    )
    #expect(try remark("151195")?.contains("2048 weeks") == true)
    #expect(try remark("130235") == nil && remark("130234") == nil && remark("") == nil)
  }
}
