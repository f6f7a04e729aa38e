import CLinux

/// What the program itself takes of the board's memory.
public enum ProgramMemory {
  /// Lets go of what only the start needed: code, heap and stack. What is still wanted comes back when it is
  /// touched, mostly from the kernel's cache. On the main thread.
  public static func letGoOfStart() { clinux_let_go_of_start() }

  /// Whole pages of the heap that nobody uses any more. On the main thread; it takes a fraction of a millisecond.
  public static func giveBack() { clinux_trim_heap() }
}
