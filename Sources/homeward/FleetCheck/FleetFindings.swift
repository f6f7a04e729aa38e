import OwnTracks

/// Findings, a line each.
struct FleetFindings: Equatable {
  /// Something is wrong: exit status 1.
  private(set) var faults: [String] = []
  /// It works, and is seldom meant.
  private(set) var warnings: [String] = []
  /// Not looked at, and why.
  private(set) var unseen: [String] = []

  mutating func blame(_ text: String) { faults.append(text.plainLine) }
  mutating func warn(_ text: String) { warnings.append("warning: \(text)".plainLine) }
  mutating func skip(_ text: String) { unseen.append("not looked at: \(text)".plainLine) }

  mutating func add(_ other: FleetFindings) {
    faults += other.faults
    warnings += other.warnings
    unseen += other.unseen
  }

  /// `12 boards (truck-1-tracker, …)`: whom something concerns.
  static func boards(_ boards: [FleetBoard]) -> String {
    guard boards.count > 1, let first = boards.first else { return boards.first?.place ?? "no board" }
    return "\(boards.count) boards (\(first.place) is the first)"
  }
}
