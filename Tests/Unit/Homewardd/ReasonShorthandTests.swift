import OwnTracks
import TestSupport
import Testing
import Timebase

@testable import Answers
@testable import Core
@testable import homewardd

/// What a moving board notes each second is kept short, and told in full.
struct ReasonShorthandTests {
  static let everyday: [Reason] = [
    .moved(metres: 13.62, needed: 0), .movedAndWaited(metres: 101.5, seconds: 61), .stopped(metres: 0.1),
    .intervalElapsed(seconds: 1), .turned(degrees: 31.25, metres: 90), .speedChanged(before: 49.9, now: 81.3),
  ]

  private func entry(_ number: UInt64, _ reason: Reason) -> Journal.Entry {
    Journal.Entry(number: number, reason: reason, isPublished: true, time: 1_790_000_000.25 + Double(number))
  }

  @Test(arguments: everyday) func itSaysTheSame(_ reason: Reason) throws {
    let entry = entry(7, reason)
    let text = try #require(ReasonShorthand.text(entry))
    #expect(text.count < 60)
    let told = try #require(ReasonShorthand.entry(text[...], number: 7))
    func said(_ entry: Journal.Entry) -> String { Answer.reason(entry, number: 7).answer.description }
    #expect(said(told) == said(entry))
  }

  @Test func irregularEntriesHaveNoShorthand() {
    var several = entry(1, .moved(metres: 1, needed: 0))
    several.count = 2
    var undated = entry(1, .moved(metres: 1, needed: 0))
    undated.time = nil
    var withheld = entry(1, .moved(metres: 1, needed: 0))
    withheld.isPublished = false
    for entry in [
      several, undated, withheld, entry(1, .asked), entry(1, .crossed(region: "x", .enter, metres: 1)),
    ] {
      #expect(ReasonShorthand.text(entry) == nil)
    }
  }

  @Test func damagedShorthandIsRejected() throws {
    let text = try #require(ReasonShorthand.text(entry(1, .intervalElapsed(seconds: 1))))
    for end in 0..<text.count { #expect(ReasonShorthand.entry(text[..<end], number: 1) == nil) }
    for index in 1..<text.count {
      var other = text
      other[index] = UInt8(ascii: "x")
      #expect(ReasonShorthand.entry(other[...], number: 1) == nil)
    }
    // Another kind has another count of numbers.
    for letter in "mwtvz".utf8 { #expect(ReasonShorthand.entry([letter] + text[1...], number: 1) == nil) }
  }

  /// Those that are seen were written, so that no number is given twice.
  @Test func aKilledProcessLosesFifteenAtMostAndNoneThatWasSeen() throws {
    let scene = try DaemonScene()
    func log() -> ReasonLog { ReasonLog(directory: scene.directory.path, log: scene.log) }
    func kept() throws -> [Int] {
      let answer = try JSON.parse(log().answer(WhyRequest()) ?? [])
      return answer["reasons"]?.elements?.compactMap { $0["number"]?.int } ?? []
    }
    let killed = log()
    for number in 1...40 { killed.note([entry(UInt64(number), .intervalElapsed(seconds: 1))]) }
    #expect(try kept() == Array(1...32))
    _ = killed.answer(WhyRequest())
    #expect(try kept() == Array(1...40))
    killed.note([entry(41, .intervalElapsed(seconds: 1)), entry(42, .asked)])
    #expect(try kept() == Array(1...42))
    killed.note([entry(43, .intervalElapsed(seconds: 1))])
    killed.close()
    #expect(try kept() == Array(1...43))
  }

  /// Two hundred and fifty lines are a file.
  @Test func shorthandsAcrossFilesAreAnsweredInOrder() throws {
    let scene = try DaemonScene()
    let log = ReasonLog(directory: scene.directory.path, log: scene.log)
    for number in 1...1700 { log.note([entry(UInt64(number), .intervalElapsed(seconds: 1))]) }
    var why = WhyRequest()
    why.last = 1000
    let answer = try JSON.parse(log.answer(why) ?? [], limit: 64 << 20)
    #expect(answer["reasons"]?.elements?.compactMap { $0["number"]?.int } == Array(701...1700))
    #expect(answer["reasons"]?.elements?.last?["word"]?.text == Reason.intervalElapsed(seconds: 1).word)
  }
}
