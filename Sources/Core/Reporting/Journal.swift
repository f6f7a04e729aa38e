/// The last hundred reasons, the newest last. The same withheld reason again only counts up: at one
/// fix a second "too near" would otherwise push out everything of interest within two minutes. So does
/// ranging, which may publish every second.
public struct Journal: Sendable {
  /// What happened, and how often in a row.
  public struct Entry: Hashable, Sendable {
    /// With the numbers of the last occurrence.
    public var reason: Reason
    /// False: it was withheld.
    public var isPublished: Bool
    /// Wall time of the last occurrence, Unix seconds; nil while no clock could be trusted.
    public var time: Double?
    /// 1 and more; what was published counts up only where it is ranging.
    public var count: Int
  }

  /// A hundred are what `homeward why` promises; 100 entries cost about 10 kB.
  public static let limit = 100
  private var ring: [Entry] = []
  /// Of `ring` once it is full and goes round.
  private var oldest = 0

  /// Empty: it does not outlive the process.
  public init() {}

  /// Oldest first, at most `limit`.
  public var entries: [Entry] { Array(ring[oldest...] + ring[..<oldest]) }

  mutating func note(_ reason: Reason, isPublished: Bool, time: Double?) {
    let isRanging = if case .ranged = reason { true } else { false }
    if !isPublished || isRanging, let index = index(of: reason, isRanging: isRanging) {
      ring[index].reason = reason
      ring[index].time = time
      ring[index].count += 1
      return
    }
    let entry = Entry(reason: reason, isPublished: isPublished, time: time, count: 1)
    if ring.count < Self.limit {
      ring.append(entry)
    } else {
      ring[oldest] = entry
      oldest = (oldest + 1) % Self.limit
    }
  }

  /// The entry that only has to count up. Withheld reasons are gathered between two published ones.
  private func index(of reason: Reason, isRanging: Bool) -> Int? {
    for age in 1..<(ring.count + 1) {
      let index = (oldest + ring.count - age) % ring.count
      let entry = ring[index]
      if entry.isPublished, !isRanging { return nil }
      if entry.reason.isSameMatter(as: reason) { return index }
    }
    return nil
  }
}
