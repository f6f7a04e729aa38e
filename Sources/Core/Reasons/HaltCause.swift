/// Why the board asks to be switched off.
public enum HaltCause: Hashable, Sendable {
  /// The ignition has been off for this long, seconds.
  case parked(seconds: Double)
  /// The vehicle's battery, volts.
  case batteryLow(volts: Double)
}
