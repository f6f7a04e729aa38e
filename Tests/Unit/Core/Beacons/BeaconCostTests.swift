import Core
import Glibc
import Model
import Testing
import Timebase

/// What a sighting costs that changes nothing: a figure for people, of debug builds several times what is shipped.
@Suite struct BeaconCostTests {
  @Test func aSightingThatChangesNothing() {
    // Only the one that is heard: of the others a leave would be due meanwhile.
    let regions = (0..<20).map {
      Scene.beaconRegion("r\($0)", major: UInt16($0), inside: $0 == 5 ? .inside : .outside)
    }
    var tracker = Scene.withBeacons(regions).tracker
    var moment = Moment(instant: Instant(nanoseconds: 2_000_000_000_000), wall: nil)
    let sighting = Scene.sighting(major: 5)
    _ = tracker.handle(.sighted(sighting), at: moment)
    let count = 500
    var each = Double.infinity
    var effects = 0
    // The best of many short runs: the others are about what else the machine does.
    for _ in 0..<100 {
      let began = SystemClock.read().instant
      for _ in 0..<count {
        moment.instant = moment.instant + .milliseconds(1)
        effects += tracker.handle(.sighted(sighting), at: moment).count
      }
      each = min(each, (SystemClock.read().instant - began).seconds / Double(count) * 1e6)
    }
    print("measure: a sighting that changes nothing: \(each) µs")
    #expect(effects == 0)
  }
}
