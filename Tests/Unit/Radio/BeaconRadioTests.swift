import Model
import Testing
import Timebase

@testable import Radio

/// From nothing to advertisements.
@Suite struct BeaconRadioTests {
  let kernel = BeaconKernel()

  // behaviour: How hard the radio listens
  @Test func theMonitorIsPreferred() {
    kernel.start()
    #expect(kernel.radio.method == .monitor)
    #expect(kernel.radio.isHearing == true)
  }

  @Test func withoutRightsToManageItScansByItself() {
    kernel.isTrusted = false
    kernel.start()
    #expect(kernel.radio.method == .extended)
  }

  @Test func aKernelWithoutMonitorsIsScannedRaw() {
    kernel.hasMonitors = false
    kernel.start()
    #expect(kernel.radio.method == .extended)
    #expect(kernel.radio.reason == "this kernel knows no advertisement monitors")
  }

  @Test(arguments: [0x07, 0x0C, 0x03] as [UInt8])
  func aRefusedMonitorIsNoEnd(_ status: UInt8) {
    kernel.managementRefusals[.addMonitor] = status
    kernel.start()
    #expect(kernel.radio.method == .extended)
  }

  @Test(arguments: [0x00, 0x20, 0x40] as [UInt8])
  func anAdapterOfBluetooth4IsScannedInItsWords(_ bits: UInt8) {
    kernel.hasMonitors = false
    kernel.adapters[0]?.extendedBits = bits
    kernel.start()
    #expect(kernel.radio.method == .legacy)
  }

  @Test(
    arguments: [HCI.setExtendedScanParameters, HCI.setExtendedScanEnable] as [UInt16],
    [0x01, 0x0C] as [UInt8])
  func refusedExtendedScanningBecomesLegacy(_ opcode: UInt16, _ status: UInt8) {
    // Disallowed to disable is no refusal: nothing was on.
    if opcode == HCI.setExtendedScanEnable, status == 0x0C { return }
    kernel.hasMonitors = false
    kernel.adapters[0]?.refusals[opcode] = status
    kernel.start()
    #expect(kernel.radio.method == .legacy)
  }

  @Test func rejectedDisableOfIdleScanIsNoFault() {
    kernel.hasMonitors = false
    kernel.adapters[0]?.extendedBits = 0
    kernel.start()
    // The kernel here answers 0x0C to it.
    #expect(kernel.radio.method == .legacy)
    #expect(kernel.radio.cause == nil)
  }

  @Test func enablingThatIsRefusedEverywhereIsSaid() {
    kernel.hasMonitors = false
    kernel.adapters[0]?.refusals = [HCI.setExtendedScanParameters: 0x0C, HCI.setScanParameters: 0x0C]
    kernel.start()
    #expect(kernel.radio.isHearing == false)
    #expect(kernel.radio.cause?.contains("raw legacy scanning was refused: HCI status 0xc") == true)
  }

  @Test func missingCapabilitiesAreNamed() {
    kernel.isTrusted = false
    kernel.radio.rawGivenUp()
    kernel.start()
    #expect(kernel.radio.isHearing == false)
    #expect(
      kernel.radio.cause
        == "without CAP_NET_ADMIN the kernel takes no monitor; raw scanning: CAP_NET_RAW is missing"
        + " (systemctl edit homeward, and there under [Service] the lines CapabilityBoundingSet=CAP_NET_RAW and"
        + " AmbientCapabilities=CAP_NET_RAW)")
  }

  @Test func anAdapterThatIsOffAtTheStartIsSwitchedOn() {
    kernel.adapters[0]?.isPowered = false
    kernel.adapters[0]?.isLowEnergy = false
    kernel.start()
    #expect(kernel.adapters[0]?.isPowered == true)
    #expect(kernel.adapters[0]?.isLowEnergy == true)
    #expect(kernel.radio.isHearing == true)
  }

  @Test func theConfiguredAdapterIsUsed() {
    kernel.adapters[1] = .init(address: 0xB827_EB12_3456)
    kernel.radio = BeaconRadio(settings: .init(address: BeaconAddress.number("b8:27:eb:12:34:56")))
    kernel.start()
    #expect(kernel.radio.adapter?.index == 1)
  }

  @Test func anotherAdapterThanTheConfiguredOneIsNotTouched() {
    kernel.radio = BeaconRadio(settings: .init(address: 0xB827_EB12_3456))
    kernel.start()
    #expect(kernel.radio.adapter == nil)
    #expect(
      kernel.radio.cause == "no Bluetooth adapter has the address B8:27:EB:12:34:56 (scanAdapter)")
  }

  @Test func nothingIsAskedForWhileNothingIsWanted() {
    kernel.radio.planned(.off, at: kernel.now)
    #expect(kernel.radio.take() == [])
    #expect(kernel.radio.deadline == nil)
  }

  /// What was not asked for before the end stays in the file for the next start.
  @Test(arguments: [false, true]) func theEndAsksForTheMonitorUnlessAnAnswerIsOwed(_ isOwed: Bool) {
    kernel.isSearching = isOwed
    kernel.start()
    #expect(kernel.radio.isCheckingMonitor == isOwed && !kernel.radio.removesMonitor)
    kernel.radio.stopped(at: kernel.now)
    #expect(kernel.radio.removesMonitor == !isOwed && kernel.radio.setup.monitor.handle != nil)
  }

  @Test func thePlanThatRestsTakesTheMonitorAway() {
    kernel.start()
    kernel.start(duty: 0)
    #expect(kernel.adapters[0]?.monitors == [])
    #expect(kernel.radio.deadline == nil)
    #expect(kernel.radio.isHearing == true)
  }

  // behaviour: How hard the radio listens
  @Test func nothingIsEverReset() {
    for way in [true, false] {
      kernel.hasMonitors = way
      kernel.start()
      kernel.pass(.minutes(10), every: .seconds(1))
      kernel.start(duty: 0)
    }
    #expect(kernel.count { $0 == .command(0x0C03, []) } == 0)
    #expect(kernel.count { if case .manage(.setPowered, _, _) = $0 { true } else { false } } == 0)
  }

  // behaviour: How hard the radio listens
  @Test func rawScansArePassive() {
    kernel.hasMonitors = false
    kernel.start(duty: 30)
    // Own address, policy, PHYs, passive; interval 160 and window 48 of 0.625 ms.
    #expect(kernel.count { $0 == .command(HCI.setExtendedScanParameters, [0, 0, 1, 0, 160, 0, 48, 0]) } == 1)
  }

  @Test func theMonitorOfACrashIsTakenAway() {
    kernel.adapters[0]?.monitors = [9, 12]
    kernel.radio = BeaconRadio(leftover: .init(address: 0x0011_2233_4455, handle: 12))
    kernel.start()
    #expect(kernel.adapters[0]?.monitors == [1, 9])
    #expect(kernel.count { $0 == .record(.init(address: 0x0011_2233_4455, handle: 1)) } == 1)
  }

  @Test func theMonitorOfAnotherAdapterIsLeft() {
    kernel.adapters[0]?.monitors = [12]
    kernel.radio = BeaconRadio(leftover: .init(address: 7, handle: 12))
    kernel.start()
    #expect(kernel.adapters[0]?.monitors == [1, 12])
  }
}
