/// The first barometer that the kernel's IIO subsystem has. Read when asked, never by itself: a reading
/// makes the chip measure, which takes some milliseconds and some microampere.
public struct Barometer {
  /// What the earth's surface and a bit of it below and above can have; anything else is a chip that
  /// is not ready.
  private static let plausible = 10.0...200.0

  private let root: String

  /// `root`: where the devices are, /sys/bus/iio/devices on every board.
  public init(root: String = "/sys/bus/iio/devices") { self.root = root }

  /// Kilopascal; nil without a barometer that answers.
  public func pressure() -> Double? {
    for name in Sysfs.names(in: root) where name.hasPrefix("iio:device") {
      if let value = reading("\(root)/\(name)"), Self.plausible.contains(value) { return value }
    }
    return nil
  }

  /// Either the driver does the sum (`input`), or it gives a count with offset and scale.
  private func reading(_ device: String) -> Double? {
    if let value = Sysfs.number("\(device)/in_pressure_input") { return value }
    guard let raw = Sysfs.number("\(device)/in_pressure_raw"),
      let scale = Sysfs.number("\(device)/in_pressure_scale")
    else { return nil }
    let offset = Sysfs.number("\(device)/in_pressure_offset") ?? 0
    return (raw + offset) * scale
  }
}
