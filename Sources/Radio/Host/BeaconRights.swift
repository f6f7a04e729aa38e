import CBlueZ
import Glibc

/// The capabilities that scanning takes, and how to be rid of them.
public enum BeaconRights {
  /// Gives up all capabilities of this thread for good. A program started as root is meant to run as root.
  public static func giveUp() { giveUp(except: nil) }

  static func giveUp(except kept: cbluez_capability?) {
    guard geteuid() != 0 else { return }
    _ = cbluez_keep_capabilities(kept?.rawValue ?? 0)
  }
}
