import CBlueZ

/// The program that the kernel runs over every packet before the process sees it (classic BPF): it
/// drops anything but iBeacons, so that a crowd of phones and headsets never wakes the process.
///
/// Such a program cannot loop; the walk through an advertisement's structures is written out, so many of
/// them. Longer ones are handed up, and the parser looks for itself. Reading beyond the packet's end drops
/// the packet, which is right: an iBeacon would have had to be before it.
enum BeaconFilter: Hashable {
  /// Not a single packet: Bluetooth is not needed.
  case asleep
  /// No advertisement at all: the radio rests.
  case nothing
  case beacons
  /// Every advertisement: is any sender there?
  case everything

  /// An iBeacon's structure comes first or second; this leaves room for odd ones.
  static let structures = 8

  /// For the management channel: its replies and its other events pass in any case.
  var managementProgram: [cbluez_instruction] {
    guard self != .asleep else { return [.drop] }
    return [
      .loadByte(1),
      .skipUnless(equals: 0, elseBy: 3),
      .loadByte(0),
      .skipIf(equals: UInt32(BluetoothManagement.Event.deviceFound), by: 2),
      .skipIf(equals: UInt32(BluetoothManagement.Event.monitorDeviceFound), by: 3),
      .pass,
      // Where the data begin: header, (handle,) address, type, strength, flags, length.
      .setIndex(20), .jump(by: 1),
      .setIndex(22),
    ] + body
  }

  /// For raw sockets: answers to commands pass, and of the reports those with an iBeacon. An event with
  /// several reports is rare, and the parser's business.
  var rawProgram: [cbluez_instruction] {
    guard self != .asleep else { return [.drop] }
    return [
      .loadByte(1),
      .skipIf(equals: UInt32(HCI.metaEvent), by: 1),
      .pass,
      .loadByte(3),
      .skipIf(equals: UInt32(HCI.legacyReport), by: 2),
      .skipIf(equals: UInt32(HCI.extendedReport), by: 3),
      .drop,
      .setIndex(14), .jump(by: 1),
      .setIndex(29),
      .loadByte(4),
      .skipIf(equals: 1, by: 1),
      self == .nothing ? .drop : .pass,
    ] + body
  }

  private var body: [cbluez_instruction] {
    switch self {
    case .asleep, .nothing: [.drop]
    case .everything: [.pass]
    case .beacons: (0..<Self.structures).flatMap { _ in Self.structure } + [.pass]
    }
  }

  /// One structure at the index: an iBeacon passes, otherwise the index goes to the next.
  private static let structure: [cbluez_instruction] = [
    .loadByteAtIndex(1),
    .skipUnless(equals: 0xFF, elseBy: 3),
    .loadWordAtIndex(2),
    .skipUnless(equals: 0x4C00_0215, elseBy: 1),
    .pass,
    .loadByteAtIndex(0),
    // Padding: nothing follows.
    .skipUnless(equals: 0, elseBy: 1),
    .drop,
    .add(1), .addIndex, .moveToIndex,
  ]
}

// linux/filter.h: class, size and mode of an instruction make its code.
extension cbluez_instruction {
  fileprivate static func loadByte(_ offset: UInt32) -> Self { .init(0x30, offset) }
  fileprivate static func loadByteAtIndex(_ offset: UInt32) -> Self { .init(0x50, offset) }
  fileprivate static func loadWordAtIndex(_ offset: UInt32) -> Self { .init(0x40, offset) }
  fileprivate static func setIndex(_ offset: UInt32) -> Self { .init(0x01, offset) }
  fileprivate static func add(_ number: UInt32) -> Self { .init(0x04, number) }
  fileprivate static var addIndex: Self { .init(0x0C, 0) }
  fileprivate static var moveToIndex: Self { .init(0x07, 0) }
  fileprivate static func jump(by count: UInt32) -> Self { .init(0x05, count) }
  fileprivate static func skipIf(equals number: UInt32, by count: UInt8) -> Self {
    .init(code: 0x15, if_true: count, if_false: 0, operand: number)
  }
  fileprivate static func skipUnless(equals number: UInt32, elseBy count: UInt8) -> Self {
    .init(code: 0x15, if_true: 0, if_false: count, operand: number)
  }
  /// All of the packet, or nothing of it.
  fileprivate static var pass: Self { .init(0x06, 0xFFFF) }
  fileprivate static var drop: Self { .init(0x06, 0) }

  private init(_ code: UInt16, _ operand: UInt32) {
    self.init(code: code, if_true: 0, if_false: 0, operand: operand)
  }
}
