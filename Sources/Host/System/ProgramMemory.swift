import CLinux

/// The program's own share of the board's memory.
public enum ProgramMemory {
  /// Releases memory that only the start needed: code, heap and stack. Pages that are still wanted come back when they
  /// are touched, mostly from the kernel's cache. Called after each part of the start, so that no more than one part's
  /// memory is resident at once. On the main thread.
  public static func letGoOfStart() { clinux_let_go_of_start() }
}
