import TestSupport
import Testing

@testable import Radio

/// What a crowd of foreign iBeacons costs the scanner and the fixes that come in between: figures for people.
@Suite(.serialized) struct BeaconCrowdCostTests {
  @Test func aCrowdOfTwentyThousand() throws {
    let desk = try BeaconDesk()
    let before = residentBytes()
    // In work of this thread: waiting for a processor that others have is no delay of the scanner's.
    let waits = try desk.fixesInACrowd(of: 20_000).sorted()
    print("measure: a crowd of 20,000 beacons: memory grew by \((residentBytes() - before) / 1024) kB")
    print("measure: a crowd of 20,000 beacons: a fix waited \(waits[waits.count / 2]) s of processor time")
    print("measure: a crowd of 20,000 beacons: the last but one waited \(waits[waits.count - 2]) s")
    #expect(desk.scanner.status.counters.reports > 5000)
  }
}
