import CLinux

/// What the program itself takes of the board's memory.
public enum ProgramMemory {
  /// Lets go of what only the start needed: code, heap and stack. What is still wanted comes back when it is
  /// touched, mostly from the kernel's cache. After each part of the start, so that the most that is resident at once is
  /// one part's, and not all of them. On the main thread.
  public static func letGoOfStart() { clinux_let_go_of_start() }
}
