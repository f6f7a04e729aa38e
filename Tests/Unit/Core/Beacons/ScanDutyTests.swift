import Model
import Testing
import Timebase

@testable import Core

/// When a rest of the radio is worth it, to the second.
struct ScanDutyTests {
  private static let beacon = BeaconIdentity(uuid: Scene.uuid)!

  private static func instant(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000) + .seconds(seconds)
  }

  /// Metres from which it takes so many seconds at 70 m/s to the 700 m that any beacon may reach.
  private static func situation(secondsOff: Double, setting: Int = -1, sharesAir: Bool = false)
    -> ScanDuty.Situation
  {
    .init(
      setting: setting, wanted: [beacon], sharesAir: sharesAir, nearest: 700 + 70 * secondsOff,
      measured: instant(0))
  }

  @Test func aRestOfLessThanFifteenSecondsIsNotBegun() {
    var near = ScanDuty()
    #expect(near.decide(Self.situation(secondsOff: 15), at: Self.instant(0))?.duty == 100)
    #expect(near.restsUntil == nil)
    var far = ScanDuty()
    #expect(far.decide(Self.situation(secondsOff: 15.5), at: Self.instant(0))?.duty == 1)
    #expect(far.restsUntil == Self.instant(15.5))
  }

  @Test func oneThatHasBegunGoesOnToItsEnd() {
    var duty = ScanDuty()
    _ = duty.decide(Self.situation(secondsOff: 100), at: Self.instant(0))
    #expect(duty.decide(Self.situation(secondsOff: 100), at: Self.instant(99)) == nil)
    #expect(duty.restsUntil == Self.instant(100))
    #expect(duty.decide(Self.situation(secondsOff: 100), at: Self.instant(100))?.duty == 100)
    #expect(duty.restsUntil == nil)
  }

  @Test func configuredDutyCycleIsNoRest() {
    var duty = ScanDuty()
    #expect(duty.decide(Self.situation(secondsOff: 100, setting: 0), at: Self.instant(0)) == nil)
    #expect(duty.decide(Self.situation(secondsOff: 100, setting: 40), at: Self.instant(0))?.duty == 40)
    #expect(duty.restsUntil == nil)
    #expect(duty.decide(Self.situation(secondsOff: 100), at: Self.instant(0))?.duty == 1)
    #expect(duty.decide(Self.situation(secondsOff: 100, setting: 0), at: Self.instant(0))?.duty == 0)
    #expect(duty.restsUntil == nil)
  }

  @Test func aSharedAntennaLeavesMostOfTheTimeToWiFi() {
    var duty = ScanDuty()
    #expect(duty.decide(Self.situation(secondsOff: 0, sharesAir: true), at: Self.instant(0))?.duty == 30)
  }
}
