/// What many runs came to: how eventful they were, and what was lost and repeated.
public struct Sums: Sendable {
  public private(set) var runs = 0
  public private(set) var failed = 0
  public private(set) var seconds = 0.0
  public private(set) var counts = [Int](repeating: 0, count: Fault.allCases.count)
  /// Further things that a run should show: crossings, repeats and the like.
  public private(set) var others: [String: Int] = [:]

  public init() {}

  public mutating func add(_ outcome: Outcome) {
    runs += 1
    if !outcome.complaints.isEmpty { failed += 1 }
    seconds += outcome.seconds
    for (index, count) in outcome.counts.enumerated() { counts[index] += count }
    for (name, count) in [
      ("made", outcome.made), ("delivered", outcome.delivered), ("repeats", outcome.repeats),
      ("crossings", outcome.crossings), ("overflowed", outcome.dropped),
      ("lostInWindow", outcome.lostByCrash),
      ("blindStarts", outcome.blindStarts), ("boots", outcome.lives), ("obeyed", outcome.obeyed),
    ] { others[name, default: 0] += count }
  }

  /// One line, `name=count` with blanks between.
  public var line: String {
    let faults = Fault.allCases.map { "\($0)=\(counts[$0.rawValue])" }
    let rest = others.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let head = ["sums", "runs=\(runs)", "failed=\(failed)", "hours=\(Int(seconds / 3600))"]
    return (head + rest + faults).joined(separator: " ")
  }
}
