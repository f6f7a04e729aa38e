import Model
import Testing
import Timebase

@testable import homewardd

// behaviour: Fleets
struct ReconnectCountTests {
  @Test func theFirstConnectionIsNoneAndADayBeginsAnew() {
    var count = ReconnectCount()
    let noon = WallTime(seconds: 1_700_000_000)
    #expect(count.count(at: noon) == Reconnects())
    count.connected(at: nil)
    #expect(count.count(at: nil).total == 0)
    count.connected(at: nil)
    count.connected(at: noon)
    #expect(count.count(at: noon).total == 2 && count.count(at: noon).today == 2)
    let tomorrow = noon + .seconds(86_400)
    #expect(count.count(at: tomorrow).total == 2 && count.count(at: tomorrow).today == 0)
    count.connected(at: tomorrow)
    #expect(count.count(at: tomorrow).total == 3 && count.count(at: tomorrow).today == 1)
  }
}
