import Testing
import Timebase

@testable import homewardd

// behaviour: Life and memory
/// What others can make the journal say.
struct LineBudgetTests {
  private let start = Instant.zero

  @Test func othersGetSixLinesAMinute() {
    var budget = LineBudget()
    let lines = (0..<1000).compactMap {
      budget.take("line \($0)", of: .others, at: start + .milliseconds($0))
    }
    #expect(lines == (0..<6).map { "line \($0)" })
  }

  @Test func whatMattersMoreHasLinesLeft() {
    var budget = LineBudget()
    for _ in 0..<1000 { _ = budget.take("rubbish", of: .others, at: start) }
    let connection = (0..<10).compactMap { _ in budget.take("broker lost", of: .connection, at: start) }
    let settings = (0..<10).compactMap { _ in budget.take("tid changed", of: .settings, at: start) }
    #expect(connection.count == 2 && settings.count == 2)
  }

  @Test func neverMoreThanTenInAnyMinute() {
    var budget = LineBudget()
    var said: [Instant] = []
    for tenth in 0..<3000 {
      let now = start + .milliseconds(tenth * 100)
      for cause in LineBudget.Cause.allCases where budget.take("x", of: cause, at: now) != nil {
        said.append(now)
      }
    }
    for first in said { #expect(said.count { $0 >= first && $0 - first < .minutes(1) } <= 10) }
    #expect(said.count >= 45)
  }

  @Test func theNextLineCountsThoseThatWereNot() {
    var budget = LineBudget()
    for _ in 0..<20 { _ = budget.take("rubbish", of: .others, at: start) }
    let line = budget.take("rubbish", of: .others, at: start + .minutes(1))
    #expect(line == "rubbish (and 14 lines from outside not written)")
    #expect(budget.take("rubbish", of: .others, at: start + .minutes(1)) == "rubbish")
  }
}
