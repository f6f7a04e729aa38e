import Testing

@testable import Radio

/// The raw socket, call by call.
@Suite struct RawScanTests {
  var raw = RawScan()

  private mutating func answer(_ question: BeaconRadio.Question, _ status: UInt8 = 0) -> RawScan.Outcome {
    let commands = [UInt8](repeating: 0xFF, count: 64)
    return commands.withUnsafeBytes { raw.answered(question, status: status, $0) }
  }

  private mutating func openToHear() {
    raw.opened(hears: true)
    _ = answer(.rawCommands)
  }

  @Test mutating func aScanIsSetUpStepByStep() {
    #expect(raw.next(.extended) == .open)
    raw.opened(hears: true)
    for question in [.rawCommands, .rawDisable, .rawParameters, .rawEnable] as [BeaconRadio.Question] {
      #expect(raw.next(.extended) == .ask(question))
      #expect(!raw.isOn)
      #expect(answer(question) == .proceed)
    }
    #expect(raw.next(.extended) == .nothing)
    #expect(raw.isOn)
    #expect(raw.method == .extended)
  }

  @Test mutating func anotherMethodBeginsAnew() {
    openToHear()
    _ = raw.next(.extended)
    _ = answer(.rawDisable)
    #expect(raw.next(.legacy) == .ask(.rawDisable))
  }

  @Test mutating func disallowedDisableIsNoRefusal() {
    openToHear()
    _ = raw.next(.legacy)
    #expect(answer(.rawDisable, HCI.disallowed) == .proceed)
    #expect(raw.next(.legacy) == .ask(.rawParameters))
  }

  @Test mutating func aRefusalNamesTheMethod() {
    openToHear()
    _ = raw.next(.legacy)
    let why = "raw legacy scanning was refused: HCI status 0x1"
    #expect(answer(.rawParameters, HCI.unknownCommand) == .refused(.legacy, why))
    #expect(raw.next(.legacy) == .ask(.rawDisable))
  }

  @Test mutating func anotherFailureIsNoRefusal() {
    openToHear()
    #expect(answer(.rawEnable, 0x1F) == .failed("scanning: HCI status 0x1f"))
  }

  @Test mutating func onlyAnOpenSocketIsClosed() {
    #expect(raw.close() == false)
    raw.check()
    #expect(raw.close() == false)
    raw.opened(hears: false)
    #expect(raw.isOpen)
    #expect(raw.close() == true)
    #expect(raw.socket == .closed)
  }

  @Test mutating func theAdaptersCommandsAreAskedForOnce() {
    openToHear()
    _ = raw.close()
    raw.opened(hears: true)
    #expect(raw.next(.extended) == .ask(.rawDisable))
    raw.forgetAdapter()
    #expect(raw.next(.extended) == .ask(.rawCommands))
  }

  // Does the adapter obey the kernel?

  @Test mutating func parametersAndEnableMakeItObey() {
    raw.check()
    raw.opened(hears: false)
    #expect(raw.overheard(HCI.setExtendedScanEnable, status: HCI.disallowed) == .undecided)
    #expect(raw.overheard(HCI.setExtendedScanParameters, status: HCI.success) == .undecided)
    #expect(raw.overheard(HCI.setExtendedScanEnable, status: HCI.success) == .obeys)
  }

  @Test(arguments: [
    (HCI.unknownCommand, MonitorCheck.Verdict.refuses), (HCI.disallowed, .refuses), (0x1F, .undecided),
  ])
  mutating func aRefusalOfTheParametersCounts(_ status: UInt8, _ verdict: MonitorCheck.Verdict) {
    raw.check()
    raw.opened(hears: false)
    #expect(raw.overheard(HCI.setScanParameters, status: status) == verdict)
  }

  @Test mutating func withoutASocketTheCheckIsBlind() {
    raw.check()
    #expect(raw.checkIsBlind() == true)
    #expect(raw.isChecking)
    #expect(!raw.isOpen)
    #expect(raw.checkIsBlind() == false)
  }

  @Test mutating func overheardStatusIsIgnoredWithoutCheck() {
    openToHear()
    #expect(raw.overheard(HCI.setScanParameters, status: HCI.disallowed) == .undecided)
  }
}
