import Model
import Testing
import Timebase

@testable import Core

/// What the radio hears and how hard it listens, call by call.
struct BeaconStationTests {
  private let rules = TrackerRules(
    Scene.configuration {
      $0.beacons.lossTimeout = 30
      $0.beacons.reentryGuard = 0
    })

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// One region, the radio hears from the beginning and listens all the time.
  private func station(_ deadlines: inout Deadlines, _ presence: Presence = .outside) -> BeaconStation {
    var station = BeaconStation()
    let known = Scene.beaconRegion(inside: presence)
    _ = station.put(
      known.region, presence, isSame: false, rules: rules.beacons, deadlines: &deadlines, at: at(0))
    station.scannerChanged(ScannerState(isHearing: true), deadlines: &deadlines, at: at(0))
    _ = plan(&station, &deadlines, at: 0)
    return station
  }

  private func plan(
    _ station: inout BeaconStation, _ deadlines: inout Deadlines, _ fix: Fix? = nil, at seconds: Double
  ) -> ScanPlan? {
    station.planned(
      setting: -1, network: .unknown, position: fix, measured: fix == nil ? nil : at(seconds),
      deadlines: &deadlines, at: at(seconds))
  }

  @Test func theFirstPlanIsInDoubtFromTheBeginning() {
    var (station, deadlines) = (BeaconStation(), Deadlines())
    #expect(station.isPlanInDoubt)
    #expect(plan(&station, &deadlines, at: 0) == nil && !station.isPlanInDoubt && station.plan == .off)
  }

  @Test func aRegionThatComesAndGoesChangesThePlan() {
    var deadlines = Deadlines()
    var station = station(&deadlines)
    #expect(station.plan.duty == 100 && !station.isPlanInDoubt)
    station.remove(rid: "Main", deadlines: &deadlines, at: at(1))
    #expect(station.isPlanInDoubt)
    #expect(plan(&station, &deadlines, at: 1) == .off)
  }

  @Test func aBeaconThatIsHeardIsAnEnterAndItsSilenceALeave() {
    var deadlines = Deadlines()
    var station = station(&deadlines)
    let heard = station.hear(
      Scene.sighting(), rules: rules.beacons, deadlines: &deadlines, at: at(1))
    #expect(heard.crossings.map(\.crossing) == [.enter] && heard.isInside)
    station.crossed(heard, deadlines: &deadlines, at: at(1))
    #expect(deadlines[.beaconSilence] == at(31))
    #expect(station.expire(rules: rules.beacons, deadlines: &deadlines, at: at(30))?.isNothing == nil)
    let lost = station.expire(rules: rules.beacons, deadlines: &deadlines, at: at(31))
    #expect(lost?.crossings.map(\.crossing) == [.leave] && deadlines[.beaconSilence] == nil)
  }

  /// A beacon that is heard more often than thought is missed sooner. Any other packet only puts the
  /// deadline off, which is looked at again when it comes.
  @Test func aPacketMovesTheDeadlineOnlyWhereItComesSooner() {
    var rules = rules.beacons
    rules.lossTimeout = nil
    var deadlines = Deadlines()
    var station = station(&deadlines)
    let heard = station.hear(Scene.sighting(), rules: rules, deadlines: &deadlines, at: at(1))
    station.crossed(heard, deadlines: &deadlines, at: at(1))
    #expect(deadlines[.beaconSilence] == at(61))
    for seconds in [1.5, 2] {
      _ = station.hear(Scene.sighting(), rules: rules, deadlines: &deadlines, at: at(seconds))
      #expect(deadlines[.beaconSilence] == at(31.5))
    }
  }

  @Test func aWakeUpTwoSecondsLateIsNotOverslept() {
    var deadlines = Deadlines()
    var station = station(&deadlines)
    let heard = station.hear(Scene.sighting(), rules: rules.beacons, deadlines: &deadlines, at: at(1))
    station.crossed(heard, deadlines: &deadlines, at: at(1))
    let late = station.expire(rules: rules.beacons, deadlines: &deadlines, at: at(33))
    #expect(late?.crossings.map(\.crossing) == [.leave])
  }

  @Test func aWakeUpThatWasOversleptGivesTheBeaconAMoment() {
    var deadlines = Deadlines()
    var station = station(&deadlines)
    let heard = station.hear(
      Scene.sighting(), rules: rules.beacons, deadlines: &deadlines, at: at(1))
    station.crossed(heard, deadlines: &deadlines, at: at(1))
    let late = station.expire(rules: rules.beacons, deadlines: &deadlines, at: at(34))
    #expect(late?.isNothing == true && deadlines[.beaconSilence] == at(37))
  }

  @Test func distanceIsPublishedOnceUntilLeave() {
    var deadlines = Deadlines()
    var station = station(&deadlines)
    let heard = station.hear(
      Scene.sighting(), rules: rules.beacons, deadlines: &deadlines, at: at(1))
    station.crossed(heard, deadlines: &deadlines, at: at(1))
    let first = station.range(Scene.sighting(), rules: rules.ranging, at: at(1))
    #expect(first?.region.rid == "Main")
    station.published(first!.estimate, of: Scene.sighting().beacon, at: at(1))
    #expect(station.range(Scene.sighting(), rules: rules.ranging, at: at(3)) == nil)
    let lost = station.expire(rules: rules.beacons, deadlines: &deadlines, at: at(31))
    station.crossed(lost!, deadlines: &deadlines, at: at(31))
    #expect(station.range(Scene.sighting(), rules: rules.ranging, at: at(32)) != nil)
  }

  /// Of a beacon in several regions one is named with its distance: one that is inside, and names most of its numbers.
  @Test(arguments: [(Presence.inside, "One"), (.outside, "Main")])
  func theRegionThatIsInsideComesFirst(presence: Presence, rid: String) {
    var deadlines = Deadlines()
    var station = station(&deadlines, .inside)
    _ = station.put(
      Scene.beaconRegion("One", major: 5).region, presence, isSame: false, rules: rules.beacons,
      deadlines: &deadlines, at: at(0))
    #expect(station.range(Scene.sighting(), rules: rules.ranging, at: at(1))?.region.rid == rid)
  }

  @Test func farFromEveryRegionItRestsUntilItCouldBeThere() {
    var deadlines = Deadlines()
    var station = station(&deadlines)
    let fix = Fix(time: WallTime(seconds: 1), coordinate: Scene.place(70_700, 0), accuracy: 0)
    _ = station.consider(fix, rules: rules.beacons, at: at(10))
    #expect(plan(&station, &deadlines, fix, at: 10)?.duty == 1)
    let rest = deadlines[.scanWake].map { ($0 - at(10)).seconds } ?? 0
    #expect((999...1001).contains(rest))
    _ = station.expire(rules: rules.beacons, deadlines: &deadlines, at: at(1012))
    #expect(station.isPlanInDoubt)
    #expect(
      station.planned(
        setting: -1, network: .unknown, position: fix, measured: at(10), deadlines: &deadlines, at: at(1012))?
        .duty == 100)
  }

  @Test func withoutRegionsAPositionMeansNothing() {
    var (station, deadlines) = (BeaconStation(), Deadlines())
    _ = plan(&station, &deadlines, at: 0)
    let fix = Fix(time: WallTime(seconds: 1), coordinate: Scene.place(0, 0), accuracy: 5)
    #expect(station.consider(fix, rules: rules.beacons, at: at(1))?.isNothing == nil)
    #expect(!station.isPlanInDoubt)
  }

  @Test func mismatchWithRegionEngineIsReported() {
    var deadlines = Deadlines()
    let station = station(&deadlines)
    var regions = RegionEngine()
    #expect(station.inconsistency(with: regions) == "Main is no region")
    regions.put(Scene.beaconRegion().region, presence: .outside)
    #expect(station.inconsistency(with: regions) == nil)
    regions.mark(rid: "Main", .inside)
    #expect(station.inconsistency(with: regions)?.contains("outside by radio") == true)
  }
}
