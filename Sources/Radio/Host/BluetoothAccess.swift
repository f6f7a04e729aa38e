import CBlueZ
import Glibc
import Host

/// The parts of Bluetooth that take rights to open. Make it before any worker: a thread that exists already
/// would keep the rights that it gives up.
public struct BluetoothAccess {
  /// A management socket, and whether the kernel obeys it.
  struct Management {
    let descriptor: Int32
    let isTrusted: Bool
  }

  /// A socket that hears the adapter itself can be opened, whenever it is wanted.
  let mayUseRaw: Bool
  /// Nil: no rights to open it with, or no Bluetooth.
  let management: Management?

  /// Opens what it may and gives up the rights that scanning as `settings` have it will not need.
  public init(settings: BeaconScanner.Settings) {
    let held = cbluez_capabilities()
    mayUseRaw = held & cbluez_net_raw.rawValue != 0
    guard held & cbluez_net_admin.rawValue != 0, case .success(let opened) = Self.openManagement() else {
      management = nil
      return
    }
    management = opened
    // Raw scanning stays possible, should the kernel know no monitors or refuse one.
    let isRawPossible = mayUseRaw && settings.forRadio.method != .monitor
    Capabilities.giveUp(except: isRawPossible ? cbluez_net_raw : nil)
  }

  struct Failure: Error {
    /// Why there is no Bluetooth here.
    let text: String
  }

  /// Whether the kernel would obey a socket that is opened now.
  static var isTrusted: Bool { cbluez_capabilities() & cbluez_net_admin.rawValue != 0 }

  static func openManagement() -> Result<Management, Failure> {
    let isTrusted = isTrusted
    let descriptor = cbluez_open_management()
    guard descriptor >= 0 else {
      let text =
        errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT
        ? "this kernel has no Bluetooth" : "Bluetooth: \(String(cString: strerror(errno)))"
      return .failure(Failure(text: text))
    }
    return .success(Management(descriptor: descriptor, isTrusted: isTrusted))
  }
}
