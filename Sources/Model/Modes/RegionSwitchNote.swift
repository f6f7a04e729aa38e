/// Notes on a name that looks as if it switched modes.
extension Region {
  /// `Name|in|out` switches, each side one of -1, 0, 1, 2 or nothing. Any other name with a bar in it may be meant
  /// so: the sentence says what it does instead. Nil: it does what it says, or has no bar.
  public static func switchNote(on name: String) -> String? {
    guard name.contains("|") else { return nil }
    let parts = name.split(separator: "|", omittingEmptySubsequences: false)
    let form = "expected NAME|IN|OUT, each side -1, 0, 1, 2 or nothing, without blanks"
    guard parts.count == 3 else { return "\(name) switches no mode: \(form)" }
    let wrong = parts.dropFirst().filter { part in
      !part.isEmpty && Int(part).flatMap(MonitoringMode.init(rawValue:)) == nil
    }
    guard !wrong.isEmpty else { return nil }
    let sides = wrong.map { "\"\($0)\"" }.joined(separator: " and ")
    return "\(name): \(sides) switches to no mode: \(form)"
  }
}
