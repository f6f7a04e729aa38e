import CBlueZ
import Glibc

/// The capabilities that scanning takes, and how to give them up.
public enum Capabilities {
  /// Gives up all capabilities of this thread for good, but not as root: those who start it as root want that.
  public static func giveUp() { giveUp(except: nil) }

  static func giveUp(except kept: cbluez_capability?) {
    guard geteuid() != 0 else { return }
    _ = cbluez_keep_capabilities(kept?.rawValue ?? 0)
  }
}
