import Testing
import Timebase

@testable import homewardd

// behaviour: Life and memory
/// How many lines each cause has in the journal.
struct LineLimitsTests {
  private let start = Instant.zero
  private static let outsiders: [LineLimits.Cause] = [
    .others, .malformed, .refusedCommand("dump"), .connection, .held(topic: "t"), .settings,
  ]

  private func line(_ limits: inout LineLimits, _ cause: LineLimits.Cause, seconds: Double = 0) -> String? {
    limits.ending(of: cause, at: start + .seconds(seconds)).map { "x" + $0 }
  }

  /// When lines of a cause that comes every tenth of a second are written, in seconds.
  private func written(_ cause: LineLimits.Cause, seconds: Int) -> [Double] {
    var limits = LineLimits()
    return (0..<(seconds * 10)).map { Double($0) / 10 }.filter { line(&limits, cause, seconds: $0) != nil }
  }

  @Test func othersGetSixLinesAMinute() {
    #expect(written(.others, seconds: 60) == [0, 0.1, 0.2, 0.3, 0.4, 0.5])
  }

  @Test func internalCausesHaveTheirOwnLines() {
    var limits = LineLimits()
    for _ in 0..<1000 { _ = line(&limits, .settings) }
    let causes: [LineLimits.Cause] = [.store("full"), .recording, .everyday("moved"), .event]
    let lines = causes.map { line(&limits, $0) }
    #expect(lines == ["x", "x", "x", "x"])
  }

  @Test func floodLeavesLinesForImportantCauses() {
    var limits = LineLimits()
    for _ in 0..<1000 { _ = line(&limits, .others) }
    let connection = (0..<10).compactMap { _ in line(&limits, .connection) }
    let held = (0..<10).compactMap { line(&limits, .held(topic: "\($0)")) }
    let settings = (0..<10).compactMap { _ in line(&limits, .settings) }
    #expect([connection.count, held.count, settings.count] == [2, 1, 1])
  }

  @Test func neverMoreThanTenInAnyMinute() {
    var limits = LineLimits()
    var said: [Instant] = []
    for tenth in 0..<3000 {
      let now = start + .milliseconds(tenth * 100)
      for cause in Self.outsiders where limits.ending(of: cause, at: now) != nil { said.append(now) }
    }
    for first in said { #expect(said.count { $0 >= first && $0 - first < .minutes(1) } <= 10) }
    #expect(said.count >= 45)
  }

  @Test func theNextLineCountsThoseThatWereNot() {
    var limits = LineLimits()
    for _ in 0..<20 { _ = line(&limits, .others) }
    #expect(line(&limits, .others, seconds: 60) == "x (and 14 lines from outside not written)")
    #expect(line(&limits, .others, seconds: 60) == "x")
  }

  @Test func aMatterHasItsLineOnceInItsTime() {
    #expect(written(.malformed, seconds: 30) == [0, 10, 20])
    #expect(written(.refusedCommand("dump"), seconds: 30) == [0, 10, 20])
    #expect(written(.store("full"), seconds: 601) == [0, 600])
    #expect(written(.recording, seconds: 3601) == [0, 3600])
    #expect(written(.held(topic: "t"), seconds: 3601) == [0, 3600])
    #expect(written(.everyday("moved"), seconds: 61) == [0, 60])
    #expect(written(.event, seconds: 59).count == 20)
  }

  @Test func oneMatterDoesNotSilenceAnother() {
    var limits = LineLimits()
    let causes: [LineLimits.Cause] = [.store("full"), .store("dead"), .store("full")]
    let lines = causes.map { line(&limits, $0) }
    #expect(lines == ["x", "x", nil])
  }

  @Test func aLineSumsUpItsOwnAndThoseFromOutside() {
    var limits = LineLimits()
    for _ in 0..<3 { _ = line(&limits, .malformed) }
    for _ in 0..<7 { _ = line(&limits, .others) }
    let sum = "x (and 2 more since the last such line, 2 lines from outside not written)"
    #expect(line(&limits, .malformed, seconds: 60) == sum)
    #expect(line(&limits, .malformed, seconds: 70) == "x")
  }

  @Test func aLineThatOutsidersLeftNoRoomForIsNotTakenForWritten() {
    var limits = LineLimits()
    for _ in 0..<10 { _ = line(&limits, .settings) }
    #expect(line(&limits, .held(topic: "t")) == nil)
    #expect(line(&limits, .held(topic: "t"), seconds: 60) == "x (and 1 line from outside not written)")
  }

  @Test func leastRecentlyLoggedCauseIsForgotten() {
    var limits = LineLimits()
    for number in 0...LineLimits.memory {
      _ = line(&limits, .store("\(number)"), seconds: Double(number) / 10)
    }
    #expect(line(&limits, .store("0"), seconds: 30) == "x")
    #expect(line(&limits, .store("\(LineLimits.memory)"), seconds: 30) == nil)
  }
}
