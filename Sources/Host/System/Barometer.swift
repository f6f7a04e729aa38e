/// The first barometer that the kernel's IIO subsystem has. Read when asked, never by itself: a reading
/// makes the chip measure, which takes some milliseconds and some microampere.
public struct Barometer {
  /// Pressures, in kilopascals, possible on the earth's surface and a bit below and above it; anything else comes from
  /// a chip that is not ready.
  private static let plausible = 10.0...200.0

  private let root: String

  /// `root`: the folder of the devices, /sys/bus/iio/devices on every board.
  public init(root: String = "/sys/bus/iio/devices") { self.root = root }

  /// Kilopascals; nil without a barometer that answers.
  public func pressure() -> Double? {
    for name in Sysfs.names(in: root) where name.hasPrefix("iio:device") {
      if let value = reading("\(root)/\(name)"), Self.plausible.contains(value) { return value }
    }
    return nil
  }

  /// Either the driver gives the result (`input`), or a raw count with offset and scale.
  private func reading(_ device: String) -> Double? {
    if let value = Sysfs.number("\(device)/in_pressure_input") { return value }
    guard let raw = Sysfs.number("\(device)/in_pressure_raw"),
      let scale = Sysfs.number("\(device)/in_pressure_scale")
    else { return nil }
    let offset = Sysfs.number("\(device)/in_pressure_offset") ?? 0
    return (raw + offset) * scale
  }
}
