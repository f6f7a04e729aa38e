import Testing
import Timebase

@testable import Radio

/// Recovery, bursts and demand, call by call.
@Suite struct RadioWatchdogTests {
  var watchdog = RadioWatchdog()
  let adapter = AdapterChoiceTests.adapter(0, 5)
  let now = Instant.zero + .seconds(1000)

  private mutating func escalate(mayCycle: Bool = true, hasOther: Bool = true) -> RadioWatchdog.Remedy {
    watchdog.escalate(from: .restartScan, mayCycle: mayCycle, hasOtherMethod: hasOther, at: now)
  }

  @Test mutating func eachStepGoesFurther() {
    #expect(escalate() == .proceed)
    #expect(watchdog.pending.restart == .scan)
    #expect(watchdog.pending.mustAnswer)
    #expect(escalate() == .proceed)
    #expect(watchdog.pending.powerCycle == .forFault)
    #expect(!watchdog.pending.mustAnswer)
    #expect(escalate() == .otherMethod)
    #expect(escalate() == .giveUp(nil))
    #expect(escalate() == .wait)
  }

  @Test mutating func impossibleRemedyGivesUp() {
    _ = escalate()
    #expect(escalate(mayCycle: false) == .giveUp(nil))
    #expect(escalate(hasOther: false) == .giveUp(nil))
  }

  @Test mutating func thatRfkillFailedIsReportedWithIt() {
    #expect(watchdog.blocked("denied", cause: "deaf") == .escalate(.otherMethod, "deaf"))
    _ = (escalate(), escalate(), escalate())
    #expect(escalate() == .giveUp("denied"))
  }

  @Test mutating func anAdapterThatRefusesToSwitchOffIsBlocked() {
    #expect(watchdog.switchedOff(false, adapter, at: now) == .ask(.block))
    #expect(watchdog.switchedOff(true, adapter, at: now) == .wait(.seconds(1)))
    #expect(watchdog.pending.restart == .scan)
  }

  @Test mutating func theFirstFailureAfterABlockIsForgiven() {
    #expect(watchdog.blocked(nil, cause: nil) == .proceed)
    let failed = BluetoothManagement.Status.noResources
    #expect(
      watchdog.switchedOn(.powerOn, failed, of: "hci0", isBlocked: false) == .failed(.seconds(1)))
    let again = watchdog.switchedOn(.powerOn, failed, of: "hci0", isBlocked: false)
    #expect(again == .failed(BeaconRadio.retry, "hci0: switch on: the kernel has no room for it"))
  }

  @Test mutating func othersConnectionsStopThePowerCycle() {
    _ = (escalate(), escalate())
    let outcome = watchdog.connected(true, adapter)
    #expect(outcome == .wait(BeaconRadio.retry, "hci0 does not hear, but others are connected by it"))
    #expect(watchdog.pending.powerCycle == .none)
    #expect(watchdog.pending.mustAnswer)
    #expect(watchdog.connected(false, adapter) == .ask(.powerOff))
  }

  @Test mutating func powerOnWaitsFiveSecondsAndIsLimited() {
    let off = now
    func ask(_ watchdog: inout RadioWatchdog, after span: Span) -> BeaconRadio.Outcome {
      watchdog.switchOn("hci0", isTrusted: true, offSince: off, at: off + span)
    }
    #expect(ask(&watchdog, after: .seconds(2)) == .wait(.seconds(3)))
    for _ in 0..<RecoveryEscalation.limit { #expect(ask(&watchdog, after: .seconds(5)) == .ask(.powerOn)) }
    let refused = ask(&watchdog, after: .seconds(5))
    #expect(refused == .wait(BeaconRadio.retry, "hci0 is switched off again and again"))
  }

  @Test func aWishForAnotherAdapterOutlivesAFailedPowerCycle() {
    var pending = PendingRecovery()
    pending.restartScan()
    pending.forgetScan()
    #expect(pending.isEmpty)
    pending.replaceAdapter()
    pending.restartScan()
    pending.forgetScan()
    #expect(pending.restart == .adapter)
  }

  // Bursts

  @Test func aSmallDutyIsMadeOfBurstsAndPauses() throws {
    let spans = try #require(DutyCycle.Spans(duty: 10))
    // The monitor listens half of its time: a fifth of it makes ten percent.
    #expect(spans.listening == .seconds(3))
    #expect(spans.resting == .seconds(12))
    var cycle = DutyCycle.steady
    cycle.listen(spans, at: now)
    #expect(cycle.pauseIfDue(spans, at: now + .seconds(2)) == false)
    #expect(cycle.pauseIfDue(spans, at: now + .seconds(3)) == true)
    #expect(cycle.isPausing(at: now + .seconds(14)) == true)
    #expect(cycle.isPausing(at: now + .seconds(15)) == false)
    #expect(cycle == .steady)
  }

  @Test func withoutSpansItListensAllTheTime() {
    #expect(DutyCycle.Spans(duty: DutyCycle.monitorDuty) == nil)
    var cycle = DutyCycle.burst(until: now + .seconds(3))
    cycle.listen(nil, at: now)
    #expect(cycle == .steady)
  }
}
