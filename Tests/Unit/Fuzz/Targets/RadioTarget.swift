import Model
import Timebase

@testable import Radio

/// Answers and events in any order, of any content: the radio's watchdog must neither trap, nor spin, nor
/// take more steps than its escalation allows.
enum RadioTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    var radio = BeaconRadio(mayUseRaw: true)
    var now = Instant.zero + .seconds(1)
    var rest = input[...]
    func byte() -> UInt8 { rest.popFirst() ?? 0 }
    let wanted = [BeaconIdentity(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")].compactMap { $0 }
    while !rest.isEmpty {
      now = now + .milliseconds(Int(byte()) * 250)
      let kind = byte()
      let argument = byte()
      let bytes = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(byte() & 31)))
      rest = rest.dropFirst(bytes.count)
      switch kind % 12 {
      case 0:
        radio.planned(ScanPlan(wanted: argument & 1 == 0 ? wanted : [], duty: Int(argument) % 101), at: now)
      case 1, 2: reply(&radio, argument, bytes, at: now)
      case 3, 4: answer(&radio, argument, bytes, at: now)
      case 5: radio.managementOpened(argument & 1 == 0 ? nil : "none", isTrusted: argument & 2 == 0, at: now)
      case 6: radio.rawOpened(argument & 1 == 0 ? nil : "none", hears: argument & 2 == 0, at: now)
      case 7: radio.indexAdded(at: now)
      case 8: radio.lost(UInt16(argument & 3), at: now)
      case 9: radio.settingsChanged(UInt16(argument & 3), .init(rawValue: UInt32(argument) << 2), at: now)
      case 10: radio.heard(isReadable: argument & 1 == 0, at: now)
      default: radio.monitorRemoved(UInt16(argument & 3), UInt16(argument >> 2), at: now)
      }
      claim(radio.take().count < 32, "more orders than a situation takes")
      settle(&radio, &now)
    }
  }

  /// The reply to what is asked, so that the radio gets on.
  private static func reply(
    _ radio: inout BeaconRadio, _ argument: UInt8, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    guard case .asking(let question, _) = radio.state, let command = question.command else {
      return
    }
    let index = argument & 0x80 == 0 ? BluetoothManagement.noIndex : UInt16(argument & 3)
    radio.replied(command.rawValue, index, status: argument >> 2 & 0x1F, bytes, at: now)
  }

  private static func answer(
    _ radio: inout BeaconRadio, _ argument: UInt8, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    let opcodes: [UInt16] = [
      HCI.readLocalVersion, HCI.readLocalCommands, HCI.setScanParameters, HCI.setScanEnable,
      HCI.setExtendedScanParameters, HCI.setExtendedScanEnable,
    ]
    radio.answered(opcodes[Int(argument) % opcodes.count], status: argument >> 4, bytes, at: now)
  }

  /// Lets what is due happen: a deadline that is past and stays past would spin forever.
  private static func settle(_ radio: inout BeaconRadio, _ now: inout Instant) {
    for _ in 0..<8 {
      guard let deadline = radio.deadline, deadline <= now else { return }
      let taken = radio.watchdog.escalation.taken
      radio.timerFired(at: now)
      claim(
        radio.watchdog.escalation.taken - taken <= RecoveryEscalation.limit,
        "more steps than escalation may take")
      _ = radio.take()
    }
    claim(false, "the radio's deadline stays in the past: \(radio.state)")
  }
}
