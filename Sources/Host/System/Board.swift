import Glibc

/// Facts about the board that the system states.
public enum Board {
  /// Release of the kernel, as `uname -r` prints it.
  public static let kernel: String = {
    var name = utsname()
    guard uname(&name) == 0 else { return "" }
    return withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }()

  /// As the device tree has it, such as "Raspberry Pi Zero 2 W Rev 1.0"; nil: it has none.
  public static let model: String? = Sysfs.text("/sys/firmware/devicetree/base/model").map { text in
    String(decoding: text.utf8.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// A one-way hash of the machine's id, which must not be disclosed; empty if the board has none.
  public static let number: String = {
    guard let id = Sysfs.text("/etc/machine-id"), !id.isEmpty else { return "" }
    let sum = "homeward \(id)".utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return String(sum, radix: 16)
  }()

  /// Locale for messages in the terminal's language; a daemon mostly has "C".
  public static var locale: String {
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return "C"
  }
}
