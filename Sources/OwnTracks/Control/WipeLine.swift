/// `wipe [--settings]`: the daemon itself does it, not the tracker.
public enum WipeLine {
  /// Nil: another command. True: settings and odometer go, too.
  public static func parse(_ words: [String]) throws(ControlError) -> Bool? {
    let words = words.filter { $0 != "--json" }
    guard words.first == "wipe" else { return nil }
    let line = try ControlWords(words.dropFirst(), flags: ["--settings"], usage: "wipe [--settings]")
    _ = try line.operands(0)
    return line.has("--settings")
  }
}
