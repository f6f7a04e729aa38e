import Testing

@testable import Timebase

@Suite struct SystemClockTests {
  @Test func onlyASynchronisedClockIsTrusted() {
    let unsynchronised: Int32 = 0x40
    let error: Int32 = 5
    #expect(SystemClock.isTrusted(state: 0, status: 0x2001))
    #expect(!SystemClock.isTrusted(state: 0, status: 0x2001 | unsynchronised))
    #expect(!SystemClock.isTrusted(state: error, status: 0x2001))
    #expect(!SystemClock.isTrusted(state: -1, status: 0))
  }

  @Test func theInstantGoesOn() {
    let first = SystemClock.read().instant
    #expect(SystemClock.read().instant >= first)
    #expect(first > .zero)
  }
}
