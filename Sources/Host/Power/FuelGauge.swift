import CLinux
import Glibc
import Model
import OwnTracks

/// Reads a battery gauge chip over the board's I2C bus. Blocks: for a second if the bus hangs.
enum FuelGauge {
  /// A reading from a chip.
  struct Reading: Hashable, Sendable {
    /// 0 to 100, with fractions.
    var percent: Double
    /// Nil: this chip cannot know.
    var state: Battery.State?
  }

  /// In plain words, with place and remedy.
  struct Trouble: Error, Hashable, Sendable, CustomStringConvertible {
    var description: String
  }

  /// A register's 16 bits, the high byte first.
  typealias Registers = (UInt8) throws(Trouble) -> UInt16

  static func read(_ source: BatterySource, _ table: VoltageTable) throws(Trouble) -> Reading? {
    switch source {
    case .max17040(let place): try onBus(place) { read throws(Trouble) in try max17040(read) }
    case .ina219(let place, let isReversed):
      try onBus(place) { read throws(Trouble) in try ina219(read, table, isReversed: isReversed) }
    case .auto, .file, .command: nil
    }
  }

  /// The voltage measured by an INA219.
  static func volts(at place: BatterySource.I2CPlace) throws(Trouble) -> Double {
    try onBus(place) { read throws(Trouble) in try volts(read) }
  }

  // MARK: Chips

  /// SOC, register 4: 1/256 percent. It goes a little over 100 at times.
  static func max17040(_ read: Registers) throws(Trouble) -> Reading {
    let percent = Double(try read(0x04)) / 256
    guard percent <= 110 else {
      throw Trouble(description: "it says \(Int(percent)) %, expected 110 at most: is this a MAX17040?")
    }
    return Reading(percent: min(100, percent))
  }

  /// Register 2: the voltage, 4 mV in its upper 13 bits. Register 1: that of the shunt, 10 µV, whose sign
  /// is that of the current.
  static func ina219(_ read: Registers, _ table: VoltageTable, isReversed: Bool) throws(Trouble) -> Reading {
    let volts = try volts(read)
    let shunt = Int(Int16(bitPattern: try read(0x01))) * (isReversed ? -1 : 1)
    let percent = table.percent(at: volts)
    let state: Battery.State =
      switch shunt {
      // Below 0.1 mV, 1 mA in the usual shunt, it is noise.
      case 10...: .charging
      case ...(-10): .unplugged
      default: percent >= 99 ? .full : .unknown
      }
    return Reading(percent: percent, state: state)
  }

  private static func volts(_ read: Registers) throws(Trouble) -> Double {
    let volts = Double(try read(0x02) >> 3) * 0.004
    guard volts > 0.5 else {
      throw Trouble(description: "it measures \(volts) V: is the battery connected?")
    }
    return volts
  }

  // MARK: The bus

  private static func onBus<Result>(
    _ place: BatterySource.I2CPlace, _ body: (Registers) throws(Trouble) -> Result
  ) throws(Trouble) -> Result {
    let descriptor = open(place.device, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw cannotOpen(place, errno) }
    defer { close(descriptor) }
    do {
      return try body { register throws(Trouble) in
        var value: UInt16 = 0
        let failure = clinux_smbus_word(descriptor, Int32(place.address), register, &value)
        guard failure == 0 else { throw cannotRead(failure) }
        return value.byteSwapped
      }
    } catch {
      throw Trouble(description: "\(place): \(error)")
    }
  }

  private static func cannotOpen(_ place: BatterySource.I2CPlace, _ code: Int32) -> Trouble {
    let why = String(cString: strerror(code))
    let remedy =
      code == ENOENT
      ? "switch the bus on (raspi-config, or dtparam=i2c_arm=on), and let the service see it (man homeward.otrc)"
      : "let the service have it: see batterySource in man homeward.otrc"
    return Trouble(description: "\(place.device): cannot be opened: \(why); \(remedy)")
  }

  private static func cannotRead(_ code: Int32) -> Trouble {
    switch code {
    case ENXIO, ENODEV, EREMOTEIO, EIO, ETIMEDOUT:
      Trouble(description: "nothing answers there; look with: i2cdetect -y BUS")
    case EBUSY: Trouble(description: "a driver of the kernel has it: set batterySource to auto")
    default: Trouble(description: String(cString: strerror(code)))
    }
  }
}
