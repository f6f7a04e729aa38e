import Testing
import Timebase

@testable import Radio

/// The kernel takes a monitor; whether the adapter obeys is another question.
@Suite struct BeaconTrialTests {
  let kernel = BeaconKernel()

  @Test(
    arguments: [HCI.setExtendedScanParameters, HCI.setExtendedScanEnable] as [UInt16],
    [0x01, 0x0C] as [UInt8])
  func anAdapterThatRefusesTheKernelsScanIsScannedRaw(_ opcode: UInt16, _ status: UInt8) {
    kernel.adapters[0]?.refusals = [HCI.setExtendedScanParameters: 0x01]
    kernel.adapters[0]?.refusals[opcode] = status
    kernel.start()
    #expect(kernel.radio.method == .legacy)
    #expect(kernel.adapters[0]?.monitors == [])
    #expect(kernel.radio.reason?.contains("refused the kernel's scan") == true)
  }

  @Test func withoutTheRightToScanRawItSaysSoAndNeverThatItHears() {
    kernel.radio.rawGivenUp()
    kernel.adapters[0]?.refusals[HCI.setExtendedScanParameters] = 0x0C
    kernel.start()
    for _ in 0..<300 {
      #expect(kernel.radio.isHearing == false)
      kernel.pass(.seconds(1))
    }
    #expect(kernel.radio.cause?.contains("HCI status 0xc; raw scanning: CAP_NET_RAW is missing") == true)
  }

  @Test func anAdapterThatObeysIsKnownAtOnceAndLookedAtNoLonger() {
    kernel.start()
    #expect(kernel.radio.isObeyed)
    #expect(kernel.radio.isHearing == true)
    #expect(kernel.radio.setup.raw.isOpen == false)
    // Nor is it asked again.
    kernel.forget()
    kernel.start(duty: 0)
    kernel.start()
    #expect(kernel.count { $0 == .openRaw(0, hears: false) } == 0)
  }

  @Test func trialDuringDiscoveryWaitsForFirstReport() {
    kernel.isSearching = true
    kernel.start()
    kernel.pass(.seconds(3))
    #expect(kernel.radio.isHearing == true)
    #expect(!kernel.radio.isObeyed)
    kernel.pass(.seconds(3), every: .seconds(1))
    #expect(kernel.radio.isObeyed)
    #expect(kernel.radio.setup.raw.isOpen == false)
  }

  @Test func theEndOfAnEarlierScanMayBeRefused() {
    kernel.isSearching = true
    kernel.start()
    [UInt8]().withUnsafeBytes {
      kernel.radio.answered(HCI.setExtendedScanEnable, status: 0x0C, $0, at: kernel.now)
    }
    kernel.serve()
    #expect(kernel.radio.method == .monitor)
  }

  @Test func aRefusalThatComesLaterCountsToo() {
    kernel.isSearching = true
    kernel.start()
    kernel.pass(.seconds(10))
    [UInt8]().withUnsafeBytes {
      kernel.radio.answered(HCI.setExtendedScanParameters, status: 0x01, $0, at: kernel.now)
    }
    kernel.serve()
    #expect(kernel.radio.method?.isRaw == true)
  }

  @Test func aBurstOfTheMonitorsEndsWithTheMonitor() throws {
    kernel.isSearching = true
    kernel.start(duty: 10)
    kernel.pass(.seconds(2))
    [UInt8]().withUnsafeBytes {
      kernel.radio.answered(HCI.setExtendedScanParameters, status: 0x01, $0, at: kernel.now)
    }
    kernel.serve()
    #expect(kernel.radio.method?.isRaw == true)
    // A deadline that stays in the past would wake the process again and again.
    let later = kernel.now + .seconds(30)
    kernel.radio.timerFired(at: later)
    #expect(try #require(kernel.radio.deadline) > later)
  }
}
