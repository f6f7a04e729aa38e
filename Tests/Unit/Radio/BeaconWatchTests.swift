import Model
import Testing
import Timebase

@testable import Radio

/// Faults of a radio, and how soon it hears again.
@Suite struct BeaconWatchTests {
  let kernel = BeaconKernel()

  static func isStep(_ order: BeaconRadio.Order) -> Bool {
    switch order {
    case .manage(.removeMonitor, _, _), .manage(.setPowered, _, [0]): true
    default: false
    }
  }

  @Test func anAdapterThatIsMissingAtTheStartIsUsedWhenItComes() {
    kernel.adapters = [:]
    kernel.start()
    #expect(kernel.radio.cause == "there is no Bluetooth adapter")
    kernel.plug(0, .init(address: 5))
    #expect(kernel.radio.isHearing == true)
  }

  // behaviour: A radio that falls silent
  @Test func anAdapterIsFoundAgainByItsAddress() {
    kernel.start()
    kernel.unplug(0)
    #expect(kernel.radio.isHearing == false)
    kernel.adapters[0] = .init(address: 9)
    kernel.plug(3, .init(address: 0x0011_2233_4455))
    #expect(kernel.radio.adapter?.index == 3)
    #expect(kernel.radio.isHearing == true)
  }

  @Test func anAdapterUnpluggedWhileAQuestionIsOnItsWayIsForgotten() {
    kernel.isMute = true
    kernel.start()
    kernel.isMute = false
    kernel.pass(.seconds(20))
    #expect(kernel.radio.isHearing == true)
    kernel.isMute = true
    kernel.start(duty: 0)
    kernel.unplug(0)
    #expect(kernel.radio.adapter == nil)
  }

  @Test func anAdapterThatIsSwitchedOffIsOnAgainSoon() {
    kernel.start()
    kernel.setPowered(false)
    #expect(kernel.radio.isHearing == false)
    kernel.pass(.seconds(4))
    #expect(kernel.adapters[0]?.isPowered == false)
    kernel.pass(.seconds(2))
    #expect(kernel.radio.isHearing == true)
    #expect(kernel.adapters[0]?.isHeard == true)
  }

  @Test func anAdapterThatIsSwitchedOffAgainAndAgainStaysOff() {
    kernel.start()
    for _ in 0..<10 {
      kernel.setPowered(false)
      kernel.pass(.seconds(20))
    }
    #expect(kernel.adapters[0]?.isPowered == false)
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [1]) } == RecoveryEscalation.limit)
  }

  @Test func aBlockedAdapterIsUsedWithinAMinuteOfItsRelease() {
    kernel.start()
    kernel.adapters[0]?.isBlocked = true
    kernel.setPowered(false)
    kernel.pass(.minutes(10))
    #expect(kernel.radio.cause?.contains("rfkill") == true)
    kernel.adapters[0]?.isBlocked = false
    kernel.pass(.seconds(61))
    #expect(kernel.radio.isHearing == true)
  }

  @Test(arguments: [0, 1] as [UInt16])
  func removedMonitorIsRecreated(_ handle: UInt16) {
    kernel.start()
    #expect(kernel.radio.setup.monitor.handle == 1)
    kernel.adapters[0]?.monitors = []
    kernel.radio.monitorRemoved(0, handle, at: kernel.now)
    kernel.serve()
    #expect(kernel.adapters[0]?.isHeard == true)
  }

  // behaviour: A radio that falls silent
  @Test func aHungAdapterIsSwitchedOffAndOn() {
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    kernel.adapters[0]?.isHung = true
    kernel.forget()
    kernel.pass(.seconds(80), every: .seconds(1))
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 1)
    #expect(kernel.radio.isHearing == false)
  }

  // behaviour: A radio that falls silent
  @Test(arguments: [false, true])
  func aHungAdapterThatCannotBeSwitchedOffIsBlockedByRfkill(_ missesFirstReset: Bool) {
    kernel.blockFailure = nil
    kernel.adapters[0]?.missesFirstReset = missesFirstReset
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    kernel.adapters[0]?.isHung = true
    kernel.adapters[0]?.hangsUntilReset = true
    kernel.pass(.seconds(90), every: .seconds(1))
    #expect(kernel.count { $0 == .block(0) } == 1)
    #expect(kernel.radio.isHearing == true)
    #expect(kernel.adapters[0]?.isHeard == true)
  }

  @Test func rfkillThatMayNotBeUsedIsSaid() {
    kernel.start()
    kernel.adapters[0]?.isHung = true
    kernel.pass(.minutes(10))
    #expect(kernel.radio.cause?.contains("/dev/rfkill: Permission denied") == true)
  }

  @Test func aHungAdapterThatRecoversIsHeardWithinAMinuteAndAHalf() {
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    kernel.adapters[0]?.isHung = true
    kernel.pass(.minutes(30), every: .seconds(1))
    #expect(kernel.radio.isHearing == false)
    kernel.adapters[0]?.isHung = false
    kernel.pass(.seconds(90), every: .seconds(1))
    #expect(kernel.radio.isHearing == true)
  }

  @Test func aHungAdapterThatIsHeardAgainIsBelievedAtOnce() {
    kernel.radio.rawGivenUp()
    kernel.start()
    kernel.adapters[0]?.isHung = true
    kernel.pass(.minutes(10), every: .seconds(1))
    #expect(kernel.radio.isHearing == false)
    kernel.adapters[0]?.isHung = false
    kernel.pass(.seconds(5), every: .seconds(1))
    #expect(kernel.radio.isHearing == true)
  }

  @Test func aHungAdapterIsNotDisturbedForever() {
    kernel.start()
    kernel.adapters[0]?.isHung = true
    kernel.pass(.minutes(10))
    #expect(kernel.count(Self.isStep) <= RecoveryEscalation.limit)
    kernel.pass(.minutes(170))
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } <= 4)
    #expect(kernel.radio.cause?.contains("nothing helped") == true)
  }

  @Test func othersKeepTheirConnections() {
    kernel.adapters[0]?.connections = 1
    kernel.start()
    kernel.adapters[0]?.isHung = true
    kernel.pass(.minutes(10))
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 0)
  }

  @Test func disabledScanRestartsWithinNinetySeconds() {
    kernel.hasMonitors = false
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    // A second time too: the first is forgotten once somebody was heard.
    for _ in 0..<2 {
      kernel.adapters[0]?.isRawScanning = false
      kernel.pass(.seconds(90), every: .seconds(1))
      #expect(kernel.adapters[0]?.isHeard == true)
    }
  }

  // behaviour: A radio that falls silent
  @Test func aQuietPlaceIsNoFault() {
    kernel.start()
    kernel.pass(.minutes(60))
    #expect(kernel.radio.isHearing == true)
    #expect(kernel.radio.cause == nil)
    #expect(kernel.count { if case .manage(.setPowered, _, _) = $0 { true } else { false } } == 0)
    #expect(kernel.count(Self.isStep) <= 7)
  }

  // behaviour: A radio that falls silent
  @Test func anAdapterThatFallsDeafHearsAgainWithinAMinuteAndAHalf() {
    for strangers in [Span.milliseconds(100), .seconds(4)] {
      let kernel = BeaconKernel()
      kernel.start()
      kernel.pass(.minutes(3), every: strangers)
      kernel.pass(.seconds(90))
      #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 1)
      #expect(kernel.radio.isHearing == true)
    }
  }

  @Test func quietPlaceCausesFewPowerCycles() {
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    kernel.pass(.minutes(60))
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 1)
    #expect(kernel.radio.isHearing == true)
    for _ in 0..<6 {
      kernel.pass(.seconds(10), every: .seconds(1))
      kernel.pass(.seconds(110))
    }
    // Of the twelve minutes only these.
    #expect((2...3).contains(kernel.count { $0 == .manage(.setPowered, 0, [0]) }))
  }

  // behaviour: A radio that falls silent
  @Test func silenceNeverPowerCyclesConnectedAdapter() {
    kernel.adapters[0]?.connections = 1
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    for _ in 0..<300 {
      kernel.pass(.seconds(1))
      #expect(kernel.radio.isHearing == true)
    }
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 0)
  }

  @Test func aScanThatANewStartRepairsIsNotSwitchedOff() {
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    kernel.pass(.seconds(76))
    kernel.pass(.minutes(3), every: .seconds(1))
    #expect(kernel.count { $0 == .manage(.removeMonitor, 0, [1, 0]) } == 1)
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 0)
  }

  @Test func aSmallDutyIsNoReasonForAPowerCycle() {
    kernel.start(duty: 5)
    kernel.pass(.minutes(30), every: .seconds(1))
    for _ in 0..<120 where !kernel.radio.watchdog.silence.isSuspected { kernel.pass(.seconds(1)) }
    // Longer than a burst.
    kernel.pass(.seconds(5))
    kernel.pass(.minutes(3), every: .seconds(1))
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 0)
    #expect(kernel.radio.isHearing == true)
  }

  @Test func strangersEndTheDoubt() {
    kernel.isFiltered = true
    kernel.start()
    kernel.pass(.minutes(10), every: .seconds(1))
    #expect(kernel.count(Self.isStep) == 0)
    #expect(kernel.radio.filter == .beacons)
  }

  @Test func emptyAdvertisementsAreAFault() {
    kernel.start()
    kernel.pass(.minutes(2), every: .seconds(1))
    kernel.forget()
    kernel.pass(.seconds(80), every: .milliseconds(200), isReadable: false)
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 1)
  }

  @Test func aMinuteHasOneTick() {
    kernel.start()
    kernel.pass(.minutes(5), every: .milliseconds(500))
    #expect(kernel.radio.deadline.map { $0 - kernel.now <= .minutes(1) } == true)
    #expect(kernel.count { _ in true } < 12)
  }

  @Test func aSmallDutyListensInBursts() {
    kernel.start(duty: 10)
    var listening = 0
    for _ in 0..<600 {
      kernel.pass(.seconds(1), every: .milliseconds(500))
      if kernel.adapters[0]?.isHeard == true { listening += 1 }
    }
    // The monitor listens half of its time: a fifth of it makes ten percent.
    #expect((90...150).contains(listening))
  }

  @Test func aDutyOfHalfAndMoreListensAllTheTime() {
    kernel.start(duty: 50)
    #expect(kernel.radio.spans == nil)
  }

  @Test func pausesAreNoSilence() {
    kernel.start(duty: 5)
    kernel.pass(.minutes(20), every: .milliseconds(500))
    #expect(kernel.radio.isHearing == true)
    #expect(kernel.radio.watchdog.escalation.taken == 0)
  }

  @Test func anotherDutyOfARawScanTakesOtherParameters() {
    kernel.hasMonitors = false
    kernel.start()
    kernel.start(duty: 20)
    #expect(kernel.count { $0 == .command(HCI.setExtendedScanParameters, [0, 0, 1, 0, 160, 0, 32, 0]) } == 1)
    #expect(kernel.adapters[0]?.isRawScanning == true)
  }

  @Test func lookingMakesARestingRadioListen() {
    kernel.radio.watched(true, at: kernel.now)
    kernel.serve()
    #expect(kernel.radio.isHearing == true)
    #expect(kernel.adapters[0]?.isHeard == true)
    kernel.radio.watched(false, at: kernel.now)
    kernel.serve()
    #expect(kernel.adapters[0]?.monitors == [])
    #expect(kernel.radio.deadline == nil)
  }

  @Test func anotherAdapterIsTakenWhenTheConfigurationSaysSo() {
    kernel.adapters[1] = .init(address: 9)
    kernel.start()
    kernel.radio.configured(.init(address: 9, method: .raw), at: kernel.now)
    kernel.serve()
    #expect(kernel.adapters[0]?.monitors == [])
    #expect(kernel.adapters[1]?.isRawScanning == true)
  }

  @Test func anAdapterNamedWhileAnotherIsSwitchedOnIsTakenAllTheSame() {
    kernel.adapters[0]?.isPowered = false
    kernel.managementRefusals[.setPowered] = BluetoothManagement.Status.busy
    kernel.start()
    kernel.isMute = true
    kernel.pass(.seconds(2))
    kernel.adapters[1] = .init(address: 9)
    kernel.radio.configured(.init(address: 9), at: kernel.now)
    [UInt8]().withUnsafeBytes {
      kernel.radio.replied(
        BluetoothManagement.Command.setPowered.rawValue, 0, status: BluetoothManagement.Status.busy, $0,
        at: kernel.now)
    }
    (kernel.isMute, kernel.managementRefusals) = (false, [:])
    kernel.setPowered(true)
    #expect(kernel.radio.adapter?.index == 1)
  }

  @Test func reportDuringAdapterQueryAvertsPowerCycle() {
    kernel.hasMonitors = false
    kernel.start()
    kernel.pass(.minutes(3), every: .seconds(1))
    // Until strangers are let through, and nobody comes; the adapter answers only after somebody is heard.
    while kernel.radio.filter != .everything { kernel.pass(.seconds(1)) }
    kernel.radio.timerFired(at: kernel.radio.deadline ?? kernel.now)
    kernel.radio.heard(isReadable: true, at: kernel.now)
    kernel.serve()
    kernel.pass(.minutes(1), every: .seconds(1))
    #expect(kernel.count { $0 == .manage(.setPowered, 0, [0]) } == 0)
  }
}
