import Loop
import Storage
import Testing
import Timebase

@testable import homewardd

/// When a store that could not be opened is tried again.
struct LateStoreTests {
  /// Seconds until each of the first tries.
  private func waits(because error: StoreError, count: Int) throws -> [Double] {
    let loop = try EventLoop()
    let began = loop.now.instant
    let late = LateStore(loop: loop, because: error) {}
    return try (0..<count).map { _ in
      let due = try #require(late.nextTry)
      late.tryLater(because: "no room yet")
      return (due - began).seconds
    }
  }

  @Test func aFullDiskIsAskedSoonAndThenOnceAMinute() throws {
    #expect(try waits(because: .full(path: "store"), count: 7) == [5, 10, 20, 40, 60, 60, 60])
  }

  @Test func anyOtherTroubleIsGivenAMinute() throws {
    let failing = StoreError.failing(path: "store", doing: "opening", cause: "input/output error")
    #expect(try waits(because: failing, count: 3) == [60, 60, 60])
  }

  @Test func beingAskedForBringsTheNextTryForward() throws {
    let loop = try EventLoop()
    let began = loop.now.instant
    let late = LateStore(loop: loop, because: .full(path: "store")) {}
    late.tryNow()
    #expect(late.nextTry == began)
  }
}
