import Glibc

/// What the board says of itself.
public enum Board {
  /// Release of the kernel, as `uname -r` prints it.
  public static let kernel: String = {
    var name = utsname()
    guard uname(&name) == 0 else { return "" }
    return withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }()

  /// As the device tree has it, such as "Raspberry Pi Zero 2 W Rev 1.0"; nil: it has none.
  public static let model: String? = Sysfs.text("/proc/device-tree/model").map { text in
    String(decoding: text.utf8.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Of messages in the terminal's language; a daemon has mostly "C".
  public static var locale: String {
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return "C"
  }
}
