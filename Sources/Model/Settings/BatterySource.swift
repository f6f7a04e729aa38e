/// Where the battery's level comes from, as the key `batterySource` says it.
public enum BatterySource: WrittenValue {
  /// The kernel's own power supplies.
  case auto
  /// A fuel gauge MAX17040, or one of its family that counts the same way (MAX17041, 43, 44, 48, 49).
  case max17040(I2CPlace)
  /// A current and voltage meter INA219 between charger and battery. `isReversed`: it was soldered in the
  /// other way round, so that a current above 0 leaves the battery.
  case ina219(I2CPlace, isReversed: Bool)
  /// A file that another program writes.
  case file(String)
  /// A program and its arguments; what it prints.
  case command([String])

  /// A chip on a bus of the board.
  public struct I2CPlace: Hashable, Sendable, CustomStringConvertible {
    /// 0...255.
    public var bus: Int
    /// Seven bits, 0x08...0x77.
    public var address: UInt8

    /// Not checked: texts are, by `BatterySource(_:)`.
    public init(bus: Int, address: UInt8) {
      self.bus = bus
      self.address = address
    }

    /// Path of the bus.
    public var device: String { "/dev/i2c-\(bus)" }
    public var description: String { "\(device), address 0x\(String(address, radix: 16))" }
  }

  /// Nil: it is none of these.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let argument = text.drop { $0 != ":" }.dropFirst()
    switch parts[0] {
    case "auto" where parts.count == 1: self = .auto
    case "max17040":
      guard let place = Self.place(parts.dropFirst(), usually: 0x36) else { return nil }
      self = .max17040(place)
    case "ina219":
      let isReversed = parts.count > 1 && parts.last == "reversed"
      let rest = isReversed ? parts.dropFirst().dropLast() : parts.dropFirst()
      guard let place = Self.place(rest, usually: 0x40) else { return nil }
      self = .ina219(place, isReversed: isReversed)
    case "file" where argument.first == "/" && !argument.contains("\0"): self = .file(String(argument))
    case "command" where argument.first == "/" && !argument.contains("\0"):
      self = .command(argument.split(separator: " ").map(String.init))
    default: return nil
    }
  }

  private static func place(_ parts: ArraySlice<String>, usually address: UInt8) -> I2CPlace? {
    let parts = Array(parts)
    guard parts.count <= 2 else { return nil }
    var place = I2CPlace(bus: 1, address: address)
    if let bus = parts.first {
      guard let number = DecimalText.whole(bus), (0...255).contains(number) else { return nil }
      place.bus = number
    }
    if parts.count > 1 {
      let digits = parts[1].hasPrefix("0x") ? parts[1].dropFirst(2) : parts[1][...]
      // The other addresses mean something else to the bus itself.
      guard let number = UInt8(digits, radix: 16), (0x08...0x77).contains(number) else { return nil }
      place.address = number
    }
    return place
  }
}
