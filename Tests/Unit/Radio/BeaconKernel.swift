import Model
import Timebase

@testable import Radio

/// A kernel and its adapters as `BeaconRadio` sees them, in time that the test makes.
final class BeaconKernel {
  struct Adapter {
    var address: UInt64
    var isPowered = true
    var isLowEnergy = true
    var isBlocked = false
    var isHung = false
    /// As seen of kernel 6.12 after a block.
    var missesFirstReset = false
    /// Repaired by rfkill.
    var hangsUntilReset = false
    var connections = 0
    /// Octet 37 of the supported commands.
    var extendedBits: UInt8 = 0x60
    /// HCI status by opcode.
    var refusals: [UInt16: UInt8] = [:]
    var monitors: Set<UInt16> = []
    var isRawScanning = false
    /// What the kernel scans with for a monitor.
    var isObedient: Bool {
      [HCI.setExtendedScanParameters, HCI.setExtendedScanEnable].allSatisfy { refusals[$0] == nil }
    }
    var isHeard: Bool { isPowered && !isHung && (!monitors.isEmpty && isObedient || isRawScanning) }
  }

  var radio = BeaconRadio(mayUseRaw: true)
  var now = Instant.zero + .seconds(1000)
  var adapters: [UInt16: Adapter] = [0: Adapter(address: 0x0011_2233_4455)]
  var isTrusted = true
  var hasMonitors = true
  /// Somebody searches: the kernel starts no scan of its own meanwhile.
  var isSearching = false
  /// Management status by command.
  var managementRefusals: [BluetoothManagement.Command: UInt8] = [:]
  var isMute = false
  /// Why rfkill may not be used; nil: it may.
  var blockFailure: String? = "/dev/rfkill: Permission denied"
  private(set) var orders: [BeaconRadio.Order] = []
  private var nextMonitor: UInt16 = 1
  private var rawIndex: UInt16?

  static let plan = ScanPlan(
    wanted: [BeaconIdentity(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")].compactMap { $0 }, duty: 100)

  func start(duty: Int = 100) {
    radio.planned(ScanPlan(wanted: Self.plan.wanted, duty: duty), at: now)
    serve()
  }

  func count(_ matches: (BeaconRadio.Order) -> Bool) -> Int { orders.filter(matches).count }
  func forget() { orders = [] }

  /// Lets time go by up to `span`; `every`: how often a stranger advertises.
  func pass(_ span: Span, every: Span? = nil, isReadable: Bool = true) {
    let end = now + span
    var advert = every.map { now + $0 }
    while true {
      let next = [radio.deadline, advert].compactMap { $0 }.min() ?? end
      guard next < end else { break }
      now = max(now, next)
      if let time = advert, time <= now, let every {
        advert = time + every
        if adapters.values.contains(where: { $0.isHeard }), radio.filter == .everything || !isFiltered {
          radio.heard(isReadable: isReadable, at: now)
        }
      }
      radio.timerFired(at: now)
      serve()
    }
    now = end
  }

  /// What advertises is no iBeacon.
  var isFiltered = false

  func unplug(_ index: UInt16) {
    adapters[index] = nil
    if rawIndex == index { rawIndex = nil }
    radio.lost(index, at: now)
    serve()
  }

  func plug(_ index: UInt16, _ adapter: Adapter) {
    adapters[index] = adapter
    radio.indexAdded(at: now)
    serve()
  }

  func setPowered(_ isOn: Bool, _ index: UInt16 = 0) {
    adapters[index]?.isPowered = isOn
    if !isOn { adapters[index]?.isRawScanning = false }
    radio.settingsChanged(index, .init(rawValue: settings(index)), at: now)
    serve()
  }

  func serve() {
    while true {
      let new = radio.take()
      if new.isEmpty { return }
      orders += new
      for order in new { perform(order) }
    }
  }

  private func settings(_ index: UInt16) -> UInt32 {
    guard let adapter = adapters[index] else { return 0 }
    return (adapter.isPowered ? 1 : 0) | (adapter.isLowEnergy ? 1 << 9 : 0)
  }

  private func perform(_ order: BeaconRadio.Order) {
    switch order {
    case .openManagement: radio.managementOpened(nil, isTrusted: isTrusted, at: now)
    case .manage(let command, let index, let parameters): manage(command, index, parameters)
    case .openRaw(let index, let hears):
      rawIndex = index
      let isDown = adapters[index]?.isPowered != true
      radio.rawOpened(isDown && hears ? "down" : nil, hears: hears, at: now)
    case .closeRaw: rawIndex = nil
    case .command(let opcode, let parameters): command(opcode, parameters)
    case .block(let index):
      if let blockFailure { return radio.blocked(blockFailure, at: now) }
      adapters[index]?.isPowered = false
      if adapters[index]?.hangsUntilReset == true { adapters[index]?.isHung = false }
      radio.settingsChanged(index, .init(rawValue: settings(index)), at: now)
      radio.blocked(nil, at: now)
    case .filter, .say, .record: break
    }
  }

  private func reply(
    _ command: BluetoothManagement.Command, _ index: UInt16, _ status: UInt8, _ bytes: [UInt8] = []
  ) {
    bytes.withUnsafeBytes { radio.replied(command.rawValue, index, status: status, $0, at: now) }
  }

  private func manage(_ command: BluetoothManagement.Command, _ index: UInt16, _ parameters: [UInt8]) {
    guard !isMute else { return }
    if let status = managementRefusals[command] { return reply(command, index, status) }
    if index != BluetoothManagement.noIndex, adapters[index] == nil { return reply(command, index, 0x11) }
    let adapter = adapters[index]
    switch command {
    case .readCommands:
      reply(command, index, 0, hasMonitors ? [1, 0, 0, 0, 0x52, 0] : [1, 0, 0, 0, 0x05, 0])
    case .readExtendedIndexList:
      let list = adapters.keys.sorted().flatMap { [UInt8($0), 0, 0, 1] as [UInt8] }
      reply(command, index, 0, [UInt8(adapters.count), 0] + list)
    case .readInformation:
      let address = (0..<6).map { UInt8(truncatingIfNeeded: (adapter?.address ?? 0) >> UInt64(8 * $0)) }
      let current = bytes(settings(index))
      reply(command, index, 0, address + [12, 0, 0] + bytes(1 | 1 << 9) + current)
    case .setPowered:
      if adapter?.isBlocked == true, parameters == [1] { return reply(command, index, 0x12) }
      if adapter?.isHung == true { return reply(command, index, 0x03) }
      if parameters == [1], adapter?.missesFirstReset == true {
        adapters[index]?.missesFirstReset = false
        return reply(command, index, 0x05)
      }
      adapters[index]?.isPowered = parameters == [1]
      if parameters == [0] { adapters[index]?.isRawScanning = false }
      reply(command, index, 0, bytes(settings(index)))
    case .setLowEnergy:
      adapters[index]?.isLowEnergy = true
      reply(command, index, 0, bytes(settings(index)))
    case .getConnections: reply(command, index, 0, [UInt8(adapter?.connections ?? 0), 0])
    case .addMonitor:
      adapters[index]?.monitors.insert(nextMonitor)
      nextMonitor += 1
      reply(command, index, 0, [UInt8(nextMonitor - 1), 0])
      if !isSearching, adapter?.isHung == false { startScan(index) }
    case .removeMonitor:
      adapters[index]?.monitors.remove(UInt16(parameters[0]))
      reply(command, index, 0, parameters)
    }
  }

  private func bytes(_ word: UInt32) -> [UInt8] { (0..<4).map { UInt8(word >> UInt32(8 * $0) & 255) } }

  private func command(_ opcode: UInt16, _ parameters: [UInt8]) {
    guard let index = rawIndex, let adapter = adapters[index], !adapter.isHung else { return }
    if let status = adapter.refusals[opcode] { return answer(opcode, status) }
    switch opcode {
    case HCI.readLocalCommands:
      var commands = [UInt8](repeating: 0, count: 64)
      commands[37] = adapter.extendedBits
      answer(opcode, 0, commands)
    case HCI.setScanEnable, HCI.setExtendedScanEnable:
      let wasOn = adapter.isRawScanning
      adapters[index]?.isRawScanning = parameters[0] == 1
      answer(opcode, parameters[0] == 0 && !wasOn ? 0x0C : 0)
    default: answer(opcode, 0)
    }
  }

  /// As the kernel does for a monitor; everybody with a raw socket sees the answers.
  private func startScan(_ index: UInt16) {
    for opcode in [HCI.setExtendedScanParameters, HCI.setExtendedScanEnable] where rawIndex == index {
      let status = adapters[index]?.refusals[opcode] ?? 0
      answer(opcode, status)
      if status != 0 { return }
    }
  }

  private func answer(_ opcode: UInt16, _ status: UInt8, _ bytes: [UInt8] = []) {
    bytes.withUnsafeBytes { radio.answered(opcode, status: status, $0, at: now) }
  }
}
