/// The meter of the starter battery, as the key `vehicleBattery` has it.
public enum VoltageSource: WrittenValue {
  /// A voltage meter INA219, which takes up to 26 V.
  case ina219(BatterySource.I2CPlace)
  /// A file that another program writes.
  case file(String)
  /// A program and its arguments; what it prints.
  case command([String])

  /// Nil: it is none of these.
  public init?(_ text: String) {
    switch BatterySource(text) {
    case .ina219(let place, isReversed: false): self = .ina219(place)
    case .file(let path): self = .file(path)
    case .command(let words): self = .command(words)
    default: return nil
    }
  }
}
