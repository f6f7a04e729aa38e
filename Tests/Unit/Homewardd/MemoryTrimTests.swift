import Loop
import Testing
import Timebase

@testable import homewardd

// behaviour: Life and memory
/// When memory that was wanted once is given back.
struct MemoryTrimTests {
  @Test func aBurstGivesBackOnce() throws {
    let loop = try EventLoop()
    var given = 0
    let memory = MemoryTrim(loop: loop) { given += 1 }
    #expect(memory.due == nil)
    memory.grew()
    let due = try #require(memory.due)
    #expect(due - loop.now.instant <= .seconds(60))
    // What goes on puts nothing off.
    loop.runOnce(within: .milliseconds(5))
    memory.grew()
    #expect(memory.due == due && given == 0)
  }
}
