/// A program of the owner's that root runs for the tracker, as its file system shows it. Root does not run what others could
/// have written (`homeward-halt`, `homeward-outage`).
public struct OwnersProgram: Hashable, Sendable {
  /// Sets an alarm that switches the board on again.
  public static let wake = "/etc/homeward/wake"
  /// Restarts a modem (`onOutage`).
  public static let outage = "/etc/homeward/outage"

  /// No folder, and no device.
  public var isFile: Bool
  /// Its permissions, `0o755`.
  public var mode: UInt32
  /// Its account; 0 is root.
  public var owner: UInt32
  /// Mounted so that nothing on it is run.
  public var isNoexec: Bool

  /// As stat(2) and statvfs(3) have it.
  public init(isFile: Bool, mode: UInt32, owner: UInt32, isNoexec: Bool) {
    (self.isFile, self.mode, self.owner, self.isNoexec) = (isFile, mode, owner, isNoexec)
  }

  /// Why nobody can run it, in words; nil: somebody can.
  public var fault: String? {
    if !isFile { return "is no program" }
    if mode & 0o111 == 0 { return "may not be run" }
    return isNoexec ? "lies on a file system from which nothing is run (noexec)" : nil
  }

  /// Why root does not run it, in words; nil: root does.
  public var faultForRoot: String? {
    fault ?? (owner != 0 || mode & 0o022 != 0 ? "is not root's, or others may write it" : nil)
  }
}
