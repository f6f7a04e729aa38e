import Timebase

extension BeaconRadio {
  /// A question that is not answered yet.
  enum Question: Hashable {
    case commands
    case list
    case information(AdapterChoice.Candidate)
    case lowEnergy
    case powerOn
    case addMonitor
    /// Does the adapter obey the kernel, which does not report it if not?
    case monitorScan
    case removeMonitor
    case removeLeftover
    case rawCommands
    case rawDisable
    case rawParameters
    case rawEnable
    case rawStop
    /// Before others lose their connections to a power cycle.
    case connections
    case powerOff
    /// By rfkill, which the kernel obeys without asking the adapter.
    case block
    /// Does the adapter answer at all?
    case probe

    /// How long the answer may take.
    var timeout: Span {
      switch self {
      // Switching on loads firmware on some adapters.
      case .powerOn, .powerOff, .block: .seconds(15)
      case .commands, .list, .information, .lowEnergy, .addMonitor, .removeMonitor, .removeLeftover,
        .connections:
        .seconds(5)
      case .rawCommands, .rawDisable, .rawParameters, .rawEnable, .rawStop, .probe: .seconds(2)
      // For the kernel to start the scan after it has taken the monitor.
      case .monitorScan: .seconds(1)
      }
    }

    /// Nil: it is not asked on the management channel.
    var command: BluetoothManagement.Command? {
      switch self {
      case .commands: .readCommands
      case .list: .readExtendedIndexList
      case .information: .readInformation
      case .lowEnergy: .setLowEnergy
      case .powerOn, .powerOff: .setPowered
      case .addMonitor: .addMonitor
      case .removeMonitor, .removeLeftover: .removeMonitor
      case .connections: .getConnections
      case .monitorScan, .block, .rawCommands, .rawDisable, .rawParameters, .rawEnable, .rawStop, .probe: nil
      }
    }

    /// Nil: it is not asked of the adapter itself. `method`: what the raw socket is set up for.
    func opcode(_ method: ScanMethod?) -> UInt16? {
      let isExtended = method == .extended
      return switch self {
      case .rawCommands: HCI.readLocalCommands
      case .rawParameters: isExtended ? HCI.setExtendedScanParameters : HCI.setScanParameters
      case .rawDisable, .rawEnable, .rawStop: isExtended ? HCI.setExtendedScanEnable : HCI.setScanEnable
      case .probe: HCI.readLocalVersion
      case .commands, .list, .information, .lowEnergy, .powerOn, .addMonitor, .monitorScan, .removeMonitor,
        .removeLeftover, .connections, .powerOff, .block:
        nil
      }
    }
  }

  /// An order to the scanner.
  enum Order: Hashable {
    /// Answered at once by `managementOpened`.
    case openManagement
    case manage(BluetoothManagement.Command, UInt16, [UInt8])
    /// Answered at once by `rawOpened`.
    case openRaw(UInt16, hears: Bool)
    case closeRaw
    case command(UInt16, [UInt8])
    case filter(BeaconFilter)
    /// Blocks this adapter and releases it again; answered by `blocked`, later.
    case block(UInt16)
    /// For the file that survives a crash; nil: there is no monitor any more.
    case record(MonitorRegistration.Record?)
    case say(isWarning: Bool, String)
  }

  /// How a question is asked; nil: by waiting.
  func order(for question: Question) -> Order? {
    let index = setup.adapters.current?.index ?? BluetoothManagement.noIndex
    let isExtended = setup.raw.method == .extended
    switch question {
    case .commands, .list: return manage(question, BluetoothManagement.noIndex)
    case .information(let candidate): return manage(question, candidate.index)
    case .connections: return manage(question, index)
    case .lowEnergy, .powerOn: return manage(question, index, [1])
    case .powerOff: return manage(question, index, [0])
    case .addMonitor: return manage(question, index, BluetoothManagement.beaconPattern)
    case .removeMonitor: return manage(question, index, bytes(setup.monitor.handle))
    case .removeLeftover:
      return manage(question, index, bytes(setup.monitor.leftover(on: setup.adapters.current?.address ?? 0)))
    case .rawDisable, .rawStop: return command(question, HCI.scanOff(isExtended: isExtended))
    case .rawParameters:
      return command(question, HCI.scanParameters(isExtended: isExtended, duty: demand.duty))
    case .rawEnable: return command(question, HCI.scanOn(isExtended: isExtended))
    case .rawCommands: return command(question, [])
    case .probe: return setup.raw.isOpen ? command(question, []) : .openRaw(index, hears: false)
    case .block: return .block(index)
    case .monitorScan: return nil
    }
  }

  private func manage(_ question: Question, _ index: UInt16, _ parameters: [UInt8] = []) -> Order? {
    question.command.map { .manage($0, index, parameters) }
  }

  private func command(_ question: Question, _ parameters: [UInt8]) -> Order? {
    question.opcode(setup.raw.method).map { .command($0, parameters) }
  }

  private func bytes(_ handle: UInt16?) -> [UInt8] {
    let handle = handle ?? 0
    return [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)]
  }
}
