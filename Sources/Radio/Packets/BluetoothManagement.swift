/// The constants of the kernel's Bluetooth management protocol that are needed here (BlueZ, doc/mgmt-api.txt;
/// its header is not installed by any package), and how its packets are built: code, adapter and length, two bytes
/// each, lowest first.
enum BluetoothManagement {
  static let headerSize = 6
  /// The adapter of commands and events that concern none.
  static let noIndex: UInt16 = 0xFFFF

  enum Command: UInt16 {
    case readCommands = 0x0002
    case readExtendedIndexList = 0x003C
    case readInformation = 0x0004
    case setPowered = 0x0005
    case setLowEnergy = 0x000D
    case getConnections = 0x0015
    case addMonitor = 0x0052
    case removeMonitor = 0x0053
  }

  enum Event {
    static let complete: UInt16 = 0x0001
    static let status: UInt16 = 0x0002
    static let indexAdded: UInt16 = 0x0020
    static let indexRemoved: UInt16 = 0x0021
    static let newSettings: UInt16 = 0x0006
    static let deviceFound: UInt16 = 0x0012
    static let monitorRemoved: UInt16 = 0x002C
    static let monitorDeviceFound: UInt16 = 0x002F
  }

  /// Why a command was refused.
  enum Status {
    static let success: UInt8 = 0x00
    static let unknownCommand: UInt8 = 0x01
    static let noResources: UInt8 = 0x07
    static let busy: UInt8 = 0x0A
    static let notSupported: UInt8 = 0x0C
    static let notPowered: UInt8 = 0x0F
    static let invalidIndex: UInt8 = 0x11
    static let blocked: UInt8 = 0x12
    static let permissionDenied: UInt8 = 0x14

    static func text(_ status: UInt8) -> String {
      switch status {
      case unknownCommand: "the kernel does not know the command"
      case noResources: "the kernel has no room for it"
      case busy: "the adapter is busy"
      case notSupported: "the adapter does not support it"
      case notPowered: "the adapter is off"
      case invalidIndex: "the adapter is gone"
      case blocked: "the adapter is blocked (rfkill)"
      case permissionDenied: "permission denied (CAP_NET_ADMIN is missing)"
      default: "status 0x\(String(status, radix: 16))"
      }
    }
  }

  /// Why something was refused, for people.
  static func refusal(_ what: String, _ status: UInt8) -> String { "\(what): \(Status.text(status))" }

  /// Properties of an adapter, supported or in force.
  struct Settings: OptionSet, Hashable {
    let rawValue: UInt32
    static let powered = Settings(rawValue: 1 << 0)
    static let lowEnergy = Settings(rawValue: 1 << 9)
  }

  static func packet(_ command: Command, _ index: UInt16, _ parameters: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in [command.rawValue, index, UInt16(parameters.count)] {
      bytes += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
    }
    return bytes + parameters
  }

  /// One pattern: manufacturer's data that begins 4C 00 02 15. Only radios that filter by themselves look
  /// at it; else the kernel hands on whatever is heard.
  static var beaconPattern: [UInt8] {
    [1, 0xFF, 0, 4, 0x4C, 0x00, 0x02, 0x15] + [UInt8](repeating: 0, count: 27)
  }

  /// The advertisement of an event that carries one.
  static func advertisement(_ packet: UnsafeRawBufferPointer) -> Advertisement? {
    guard packet.count >= headerSize else { return nil }
    let start: Int
    switch packet.word16(at: 0) {
    case Event.deviceFound: start = headerSize
    // The handle of the monitor comes first.
    case Event.monitorDeviceFound: start = headerSize + 2
    default: return nil
    }
    // Address, its type, strength, flags (4), length (2), data.
    guard packet.count >= start + 14 else { return nil }
    let size = Int(packet.word16(at: start + 12))
    guard start + 14 + size <= packet.count else { return nil }
    return Advertisement(
      address: packet.address(at: start), rssi: packet[start + 7], data: packet.slice(start + 14, size))
  }
}
