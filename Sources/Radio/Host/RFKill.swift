import CBlueZ
import Glibc
import Host

/// rfkill: the kernel's switches for radios, which people and power savers use.
enum RFKill {
  /// `root`: /sys/class/rfkill on every board.
  static func isBlocked(_ adapter: String, root: String = "/sys/class/rfkill") -> Bool {
    Sysfs.names(in: root).contains { name in
      Sysfs.text("\(root)/\(name)/name") == adapter
        && (Sysfs.text("\(root)/\(name)/soft") == "1" || Sysfs.text("\(root)/\(name)/hard") == "1")
    }
  }

  /// Blocks exactly this adapter and releases it again. The kernel closes a blocked device whatever it answers,
  /// where `Set Powered` gives up. May take seconds. `resetRequest`: for a program that may, where this process may
  /// not. Why it was not done; nil: it was.
  static func blockOnce(
    _ adapter: String, resetRequest: AdapterResetRequest? = nil, root: String = "/sys/class/rfkill",
    device: String = "/dev/rfkill"
  ) -> String? {
    guard let name = Sysfs.names(in: root).first(where: { Sysfs.text("\(root)/\($0)/name") == adapter }),
      let index = UInt32(name.dropFirst("rfkill".count))
    else { return "\(adapter) has no switch" }
    // A person who has blocked it finds it blocked.
    guard !isBlocked(adapter, root: root) else { return "\(adapter) is blocked already" }
    let descriptor = open(device, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let why = "\(device): \(String(cString: strerror(errno)))"
      guard let resetRequest else { return why }
      return resetRequest.run(for: adapter).map { "\(why); \($0)" }
    }
    defer { close(descriptor) }
    // One after the other, and the second whatever became of the first.
    let results = [true, false].map { isBlocked in
      let event = event(index, isBlocked: isBlocked)
      return write(descriptor, event, event.count) == event.count
    }
    return results[0] && results[1] ? nil : "\(device): \(String(cString: strerror(errno)))"
  }

  /// struct rfkill_event: index, type, operation, soft, hard.
  private static func event(_ index: UInt32, isBlocked: Bool) -> [UInt8] {
    withUnsafeBytes(of: index) { Array($0) } + [
      UInt8(cbluez_rfkill_bluetooth.rawValue), UInt8(cbluez_rfkill_change.rawValue), isBlocked ? 1 : 0, 0,
    ]
  }
}
