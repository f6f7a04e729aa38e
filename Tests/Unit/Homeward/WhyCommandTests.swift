import OwnTracks
import Testing

@testable import homeward

/// Which reasons are shown, and how.
struct WhyCommandTests {
  private static let answer: JSON = [
    "reasons": [
      [
        "number": 1, "time": 100, "last": 900, "count": 5, "published": false, "text": "too near",
        "detail": ["metres": 3],
      ],
      [
        "number": 2, "time": 200, "count": 1, "published": true, "text": "entered Home",
        "detail": ["region": "Home"],
      ],
      ["number": 3, "count": 1, "published": false, "text": "no clock", "detail": [:]],
    ]
  ]

  private func numbers(since: Double? = nil, region: String? = nil) -> [Int] {
    WhyCommand.chosen(Self.answer, since: since, region: region).compactMap { $0["number"]?.int }
  }

  @Test func sinceFilterKeepsRecurringReasons() {
    #expect(numbers() == [1, 2, 3])
    #expect(numbers(since: 300) == [1])
    #expect(numbers(since: 150) == [1, 2])
  }

  @Test func aRegionIsAskedForByItsName() { #expect(numbers(region: "Home") == [2]) }

  @Test func oneThatCountsUpSaysWhenItCameLast() {
    let reasons = ReasonRecord.all(WhyCommand.chosen(Self.answer, since: nil, region: nil))
    let lines = WhyCommand.text(reasons).split(separator: "\n")
    #expect(lines.count == 3 && lines[0].contains("(5 times, the last at "))
    #expect(lines[1].contains("+") && lines[1].hasSuffix("entered Home"))
    #expect(lines[2].hasPrefix("(no clock yet)"))
  }
}
