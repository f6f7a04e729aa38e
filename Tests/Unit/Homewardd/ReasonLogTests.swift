import Model
import OwnTracks
import TestSupport
import Testing
import Timebase

@testable import Core
@testable import homewardd

// behaviour: why
/// What `homeward why` tells outlives the process, is bounded, and its lines in the journal are few.
struct ReasonLogTests {
  private let scene: DaemonScene

  init() throws { scene = try DaemonScene() }

  private func log() -> ReasonLog { ReasonLog(directory: scene.directory.path, log: scene.log) }

  private func entry(_ number: UInt64, _ reason: Reason? = nil, count: Int = 1) -> Journal.Entry {
    let reason = reason ?? .asked
    return .init(
      number: number, reason: reason, isPublished: true, time: Double(number), last: nil, count: count)
  }

  private func numbers(_ log: ReasonLog, last: Int = 1000, after: UInt64 = 0) throws -> [Int] {
    var why = WhyRequest()
    (why.last, why.after) = (last, after)
    let answer = try JSON.parse(log.answer(why) ?? [], limit: 64 << 20)
    return answer["reasons"]?.elements?.compactMap { $0["number"]?.int } ?? []
  }

  @Test func aThousandSurviveTheProcessInTheirOrder() throws {
    var log = log()
    for number in 1...700 { log.note([entry(UInt64(number))]) }
    log.close()
    log = self.log()
    for number in 1...700 { log.note([entry(UInt64(number))]) }
    #expect(try numbers(log) == Array(401...1400))
    #expect(try numbers(log, last: 3) == [1398, 1399, 1400])
    #expect(try numbers(log, after: 1398) == [1399, 1400])
    #expect(try numbers(self.log()) == Array(401...1400))
  }

  @Test func rewrittenReasonReplacesItsEntry() throws {
    let log = log()
    log.note([entry(1, .noTime), entry(2)])
    log.note([entry(1, .noTime, count: 8)])
    let answer = try JSON.parse(log.answer(WhyRequest()) ?? [])
    #expect(answer["reasons"]?.elements?.map { $0["count"]?.int } == [8, 1])
    #expect(answer["newest"]?.int == 2)
  }

  @Test func reasonFilesStayBounded() throws {
    let log = log()
    let name = String(repeating: "x", count: 2000)
    for number in 1...3000 {
      let number = UInt64(number)
      log.note([entry(number, .regionChanged(region: name)), entry(number, .noTime, count: 9)])
      for count in 1...20 { log.note([entry(number, .noTime, count: count)]) }
    }
    let sizes = (0..<8).map { readFile("\(scene.directory.path)/reasons.\($0)").count }
    #expect(
      sizes.allSatisfy { $0 <= ReasonFiles.room + 250 * ReasonFiles.longest } && sizes[5...] == [0, 0, 0])
    #expect(try numbers(log).count == 1000)
  }

  @Test func halfALineIsNone() throws {
    log().note([entry(1), entry(2)])
    let path = "\(scene.directory.path)/reasons.0"
    writeFile(Array(readFile(path).dropLast(9)), to: path)
    #expect(try numbers(log()) == [1])
  }

  @Test func withoutADirectoryTheTrackerAnswers() {
    let log = ReasonLog(directory: "/nowhere", log: scene.log)
    log.note([entry(1)])
    #expect(log.answer(WhyRequest()) == nil)
    log.note([entry(2)])
    #expect(scene.lines().filter { $0.contains("homeward why") }.count == 1)
  }

  // MARK: The journal

  private func narrated(_ entries: [(Double, Reason, isPublished: Bool)]) -> [String] {
    var limits = LineLimits()
    return entries.compactMap { at, reason, isPublished in
      var entry = entry(1, reason)
      entry.isPublished = isPublished
      guard let cause = LineLimits.Cause(entry) else { return nil }
      return limits.ending(of: cause, at: .zero + .seconds(at)).map { ServiceLog.sentence(entry) + $0 }
    }
  }

  @Test func frequentReasonIsLoggedOnceAMinute() {
    let lines = narrated((0..<121).map { (Double($0), .intervalElapsed(seconds: 1), isPublished: true) })
    #expect(
      lines == [
        "published: 1 s without a publish",
        "published: 1 s without a publish (and 59 more since the last such line)",
        "published: 1 s without a publish (and 59 more since the last such line)",
      ])
  }

  @Test func crossingsAndChangesOfTheModeHaveOneEach() {
    let lines = narrated([
      (0, .crossed(region: "Home", .enter, metres: nil), isPublished: true),
      (1, .crossed(region: "Home", .leave, metres: nil), isPublished: true),
      (1, .modeChanged(from: .move, to: .significant, .batteryLow(level: 9)), isPublished: false),
      (2, .tooNear(metres: 1, needed: 2), isPublished: false),
    ])
    #expect(
      lines == [
        "published: entered Home", "published: left Home",
        "the mode changed from move to significant: the battery is at 9 % (downgrade)",
      ])
  }

  @Test func aThousandRegionsAreTwentyLines() {
    let lines = narrated(
      (0..<1000).map { (Double($0) / 100, .regionChanged(region: "\($0)"), isPublished: true) })
    #expect(lines.count == 20)
  }
}
