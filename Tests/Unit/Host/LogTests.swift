import Glibc
import TestSupport
import Testing
import Timebase

@testable import Host

@Suite struct LogTests {
  let ends = Ends()
  let start = Instant(nanoseconds: 1_000_000_000_000)

  func log(_ level: Log.Level = .info) -> Log {
    Log(level: level, descriptor: ends.near, journalStream: nil)
  }

  @Test func aLineHasItsLevelInWords() {
    log().write(.warning, "gpsd is silent", at: start)
    #expect(ends.read() == "warning: gpsd is silent\n")
  }

  @Test func intoTheJournalGoesThePriorityMark() {
    var status = stat()
    fstat(ends.near, &status)
    let log = Log(descriptor: ends.near, journalStream: "\(status.st_dev):\(status.st_ino)")
    log.write(.error, "no broker", at: start)
    #expect(ends.read() == "<3>no broker\n")
  }

  @Test func anotherPlaceThanTheJournalGetsWords() {
    let log = Log(descriptor: ends.near, journalStream: "1:1")
    log.write(.error, "no broker", at: start)
    #expect(ends.read() == "error: no broker\n")
  }

  @Test func linesBelowTheLevelAreNotWritten() {
    let log = log(.warning)
    log.write(.info, "a", at: start)
    log.write(.warning, "b", at: start)
    #expect(ends.read() == "warning: b\n")
  }

  @Test func controlCharactersAreEscaped() {
    log().write(.info, "a\nb\u{1B}[2Jc\u{85}d\u{7F}é", at: start)
    #expect(ends.read() == "info: a\\nb\\u{1b}[2Jc\\u{85}d\\u{7f}é\n")
  }

  @Test func aLongLineIsCut() {
    log().write(.info, String(repeating: "x", count: 100_000), at: start)
    let line = ends.read()
    #expect(line.utf8.count < 2100)
    #expect(line.hasSuffix("…\n"))
  }

  @Test func aRepeatWithinAMinuteIsNotWritten() {
    let log = log()
    log.write(.info, "a", at: start)
    log.write(.info, "a", at: start + .seconds(59))
    #expect(ends.read() == "info: a\n")
  }

  @Test func linesThatAlternateAreRepeatsToo() {
    let log = log()
    for second in 0..<10 {
      log.write(.info, "a", at: start + .seconds(second))
      log.write(.info, "b", at: start + .seconds(second))
    }
    #expect(ends.read() == "info: a\ninfo: b\n")
  }

  @Test func repeatCountIsWrittenAfterTheMinute() {
    let log = log()
    for second in 0..<3 { log.write(.info, "a", at: start + .seconds(second)) }
    _ = ends.read()
    log.write(.info, "b", at: start + .seconds(60))
    #expect(ends.read() == "info: a (2 more of these)\ninfo: b\n")
  }

  @Test func onlyEightLinesAreRemembered() {
    let log = log()
    for number in 0..<9 { log.write(.info, "\(number)", at: start) }
    _ = ends.read()
    log.write(.info, "0", at: start)
    #expect(ends.read() == "info: 0\n")
  }

  @Test func flushWritesTheRepeatCount() {
    let log = log()
    for _ in 0..<3 { log.write(.info, "a", at: start) }
    log.flush()
    #expect(ends.read() == "info: a\ninfo: a (2 more of these)\n")
  }

  @Test func aReaderThatStopsDoesNotStopTheWriter() {
    let log = log()
    // Blocking writes: without care the first that does not fit would hang here.
    for number in 0..<2000 { log.write(.info, "\(number) " + String(repeating: "x", count: 500), at: start) }
    while !ends.read().isEmpty {}
    log.write(.info, "again", at: start)
    let text = ends.read()
    #expect(text.hasPrefix("warning: ") && text.contains("lines of this log were lost"))
    #expect(text.hasSuffix("info: again\n"))
  }
}
