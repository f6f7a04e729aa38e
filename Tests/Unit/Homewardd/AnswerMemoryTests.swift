import Loop
import Testing
import Timebase

@testable import homewardd

/// When the memory of long answers is given back.
struct AnswerMemoryTests {
  @Test func aBurstOfQuestionsGivesBackOnce() throws {
    let loop = try EventLoop()
    var given = 0
    let memory = AnswerMemory(loop: loop) { given += 1 }
    #expect(memory.due == nil)
    memory.asked()
    let due = try #require(memory.due)
    #expect(due - loop.now.instant <= .seconds(60))
    // Who goes on asking puts nothing off.
    loop.runOnce(within: .milliseconds(5))
    memory.asked()
    #expect(memory.due == due && given == 0)
  }
}
