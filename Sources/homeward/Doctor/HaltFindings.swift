import Model
import OwnTracks

/// The doctor's findings about a board that is switched off: what its EEPROM leaves on, and whether a clock can wake it.
struct HaltFindings {
  var board: BoardTree
  /// By the tracker.
  var isSwitchedOff: Bool
  /// By its alarm, to check in (`parkedWake`).
  var isWoken = false

  func findings() -> [Finding] { eeprom + (isSwitchedOff ? clocks : []) }

  // The boot loader

  /// None on boards without one: a Zero or a 3 keeps its supplies on, and nothing can be set.
  private var eeprom: [Finding] {
    guard let loader = BootLoader(compatible: board.compatible) else { return [] }
    guard let text = configuration else {
      return [
        Finding(
          .ok, "power", "whether its EEPROM keeps the power on after a halt cannot be read here",
          remedy: "rpi-eeprom-config shows it: with \(loader.frugal) it draws least")
      ]
    }
    guard let words = loader.waste(in: text) else { return [] }
    return [
      Finding(
        .warn, "power", "its EEPROM keeps the power on after a halt (\(words))",
        remedy: "sudo rpi-eeprom-config --edit: \(loader.frugal); \(loader.warning)")
    ]
  }

  /// The copy that the firmware has left in memory, which a module of the kernel (nvmem-rmem) shows to anybody.
  private var configuration: String? {
    let devices = "/sys/bus/nvmem/devices"
    let copy = board.names(devices).first { name in
      board.strings("\(devices)/\(name)/of_node/compatible").contains("raspberrypi,bootloader-config")
    }
    guard let copy, let bytes = board.bytes("\(devices)/\(copy)/nvmem") else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 && $0 != 0xFF }, as: UTF8.self)
  }

  // The clock

  private static let clocks = "/sys/class/rtc"

  private var clocks: [Finding] {
    // That of a board beside it, which only the owner knows.
    if let program = board.program(OwnersProgram.wake) {
      guard let unfit = ProgramFindings.unfit("power", OwnersProgram.wake, program) else { return [] }
      return [unfit] + ownClocks
    }
    return ownClocks
  }

  private var ownClocks: [Finding] {
    let names = board.names(Self.clocks)
    guard names.isEmpty else { return names.compactMap(trouble) }
    if isWoken {
      return [
        Finding(
          .warn, "power", "parkedWake is set, and nothing can wake this board: the kernel has no clock (RTC)",
          remedy:
            "a clock with an alarm, or a program in \(OwnersProgram.wake) that sets one (docs/vehicle.md)")
      ]
    }
    return [
      Finding(
        .ok, "power",
        "the kernel has no clock (RTC) that could wake it: once off, its supply or a button starts it")
    ]
  }

  /// The first that is wrong with a clock: what follows from an empty cell is not told as well.
  private func trouble(with clock: String) -> Finding? {
    let folder = "\(Self.clocks)/\(clock)"
    if !board.has("\(folder)/wakealarm") {
      return Finding(
        .warn, "power", "\(clock) cannot wake the board: it has no alarm that the kernel may set",
        remedy:
          "a clock whose alarm starts the board; wakeup-source behind its dtoverlay in config.txt, if it is one"
      )
    }
    if let volts = cell(folder), volts < lowest(folder) {
      return Finding(
        .warn, "power",
        "\(clock) has no cell, or an empty one (\(Readable.number(volts)) V): it wakes the board only while the "
          + "supply stays",
        remedy: "a rechargeable cell at its connector, and dtparam=rtc_bbat_vchg=3000000 in config.txt")
    }
    guard let time = board.text("\(folder)/since_epoch").flatMap({ Double($0) }), time >= Self.longAgo else {
      return Finding(
        .warn, "power", "\(clock) has lost its time",
        remedy: "a new cell for it; once the board's own time is right: sudo hwclock --systohc")
    }
    return nil
  }

  /// Unix seconds, the start of 2020: clocks that were without power begin in 1970, 2000 or so.
  private static let longAgo = 1_577_836_800.0

  /// Volts of what keeps the clock of a Pi 5; nil: another clock.
  private func cell(_ folder: String) -> Double? { volts("\(folder)/battery_voltage") }

  /// Volts: below what it could be charged to at least there is no cell.
  private func lowest(_ folder: String) -> Double { volts("\(folder)/charging_voltage_min") ?? 1.3 }

  /// The kernel has microvolts.
  private func volts(_ path: String) -> Double? { board.text(path).flatMap { Double($0) }.map { $0 / 1e6 } }
}
