import Model
import OwnTracks
import Testing

@testable import Replay
@testable import homeward

// behaviour: replay
/// What a replay says to people.
struct ReplayTableTests {
  private func scene(_ settings: (inout Configuration) -> Void = { _ in }) -> ReplaySettings {
    var configuration = Configuration()
    (configuration.identity.deviceId, configuration.reports.monitoring) = ("d", .move)
    settings(&configuration)
    return ReplaySettings(configuration, waypoints: [], hostName: "h").named
  }

  /// A minute northwards at 20 m/s from the edge of a region.
  private var drive: [String] {
    let home = #"{"desc":"Home","lat":48,"lon":11,"rad":100,"tst":1,"inside":true}"#
    return [#"{"at":0,"clock":1700000000}"#, #"{"at":0,"state":{"regions":[\#(home)]}}"#]
      + (1...60).map { second in
        let latitude = 48 + Double(second) * 20 / 111_195
        return #"{"at":\#(second),"tpv":{"mode":3,"time":\#(1_700_000_000 + second),"lat":\#(latitude),"#
          + #""lon":11,"eph":5,"speed":20,"track":0}}"#
      }
  }

  private func play(_ settings: ReplaySettings, _ output: ReplayOutput) throws {
    var recording = try Recording(
      Array(drive.joined(separator: "\n").utf8), .timeline, file: "drive.jsonl", numberBase: .auto)
    var player = Player(settings, file: "drive.jsonl", state: StoredState(), output: output)
    while let entry = try recording.next(), try player.play(entry, isUpBefore: true) {}
    player.finish(isUpBefore: true)
  }

  private func table(_ settings: ReplaySettings, explains: Bool = false) throws -> [String] {
    var table = ReplayTable(explains: explains)
    try play(settings, ReplayOutput(say: { table.take($0, at: $1) }, warn: { Issue.record("\($0)") }))
    return table.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func everyMessageIsALineAndTheLastOneCountsThem() throws {
    let lines = try table(scene())
    #expect(lines.count { $0.contains("  location  ") } == 13)
    #expect(lines.count { $0.contains("  leave ") && $0.hasSuffix("  Home") } == 1)
    let summary = try #require(lines.last)
    #expect(summary.hasPrefix("13 of 60 positions published, 1 crossing, "))
    #expect(summary.hasSuffix(" in 14 messages"))
    // The time of day, as the recording's clock says it.
    #expect(lines.first?.hasPrefix(Readable.time(1_700_000_001)) == true)
  }

  @Test func repeatedlyWithheldFixesShareOneLine() throws {
    let silent = try table(scene(), explains: true).filter { $0.contains("  -  ") }
    #expect(silent.count >= 10 && silent.allSatisfy { !$0.contains(" location ") })
    #expect(silent.contains { $0.hasSuffix("80 m from the last publish is less than 100 m  (4 times)") })
    #expect(try table(scene()).allSatisfy { !$0.contains("  -  ") })
  }

  @Test func twoSettingsStandSideBySide() throws {
    var comparison = ReplayComparison()
    for metres in [100, 300] {
      let settings = scene { $0.reports.locatorDisplacement = metres }
      var figures = ReplayFigures()
      try play(settings, ReplayOutput(say: { figures.note($0, at: $1) }, warn: { Issue.record("\($0)") }))
      let column = ReplayComparison.settings(["locatorDisplacement"], of: settings.configuration)
      comparison.add(.init(settings: column, figures: figures))
    }
    let rows = comparison.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.first == ["locatorDisplacement=100", "locatorDisplacement=300"])
    #expect(rows.contains(["Positions", "60", "60"]) && rows.contains(["Published", "13", "5"]))
    #expect(rows.contains(["Crossings", "1", "1"]))
    #expect(comparison.json["replays"]?.elements?.last?["figures"]?["locations"]?.int == 5)
  }

  @Test func oneComparisonMaySetSeveralKeys() throws {
    #expect(
      try ReplayComparison.pairs("locatorInterval=30  subTopic=a b") == [
        "locatorInterval=30", "subTopic=a b",
      ])
    #expect(throws: Failure.self) { try ReplayComparison.pairs("locatorInterval") }
    #expect(ReplayComparison.keys([[], ["a=1"], ["a=2", "b=3"]]) == ["a", "b"])
  }
}
