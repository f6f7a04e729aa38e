/// The last hundred reasons, the newest last. The same withheld reason again only counts up: at one
/// fix a second "too near" would otherwise push out everything of interest within two minutes. So does
/// ranging, which may publish every second, and what describes the board to Home Assistant: a dozen messages in a row.
///
/// Who wants to keep more of them takes what is new after each event (`takeNews`).
public struct Journal: Sendable {
  /// What happened, and how often in a row.
  public struct Entry: Hashable, Sendable {
    /// 1 is the first of this life of the process. Entries are in the order in which they began.
    public var number: UInt64
    /// With the numbers of the last occurrence.
    public var reason: Reason
    /// False: it was withheld, or it is no publish at all.
    public var isPublished: Bool
    /// The location beside an event that was told with the same words: nobody wants to read them twice.
    public var isCompanion = false
    /// Wall time of the first occurrence, Unix seconds; nil while no clock could be trusted.
    public var time: Double?
    /// The same of the last one.
    public var last: Double?
    /// 1 and more; what was published counts up only where it is ranging, or describes the board.
    public var count = 1
    /// What `takeNews` has given of it: 0 before it has given any.
    public fileprivate(set) var given = 0

    /// It has come half as often as it has now, or never, when it was given.
    fileprivate var isNews: Bool { !isCompanion && count >= 2 * given }
  }

  /// A hundred are what a tracker without a file of them tells; 100 entries cost about 12 kB.
  public static let limit = 100
  /// Refused commands that differ, between two publishes: their senders could push out everything else.
  static let refusals = 8

  private var ring: [Entry] = []
  /// Of `ring` once it is full and goes round.
  private var oldest = 0
  private var made: UInt64 = 0
  /// Whether `takeNews` would give any, but for mere counts.
  public private(set) var hasNews = false
  /// No entry before this one is news.
  private var newsFrom = UInt64.max

  /// Empty: it does not outlive the process.
  public init() {}

  /// Oldest first, at most `limit`.
  public var entries: [Entry] { Array(ring[oldest...] + ring[..<oldest]) }

  /// New entries, and those that have come twice as often since they were given last, oldest first; with
  /// `evenCounts` all that have come again. Companions are left out.
  public mutating func takeNews(evenCounts: Bool = false) -> [Entry] {
    hasNews = false
    defer { newsFrom = .max }
    let first = made - UInt64(ring.count)
    let known = evenCounts || newsFrom <= first ? 0 : Int(min(UInt64(ring.count), newsFrom - first - 1))
    var news: [Entry] = []
    for offset in known..<ring.count {
      let index = (oldest + offset) % ring.count
      guard ring[index].isNews || (evenCounts && ring[index].count > ring[index].given) else { continue }
      if !ring[index].isCompanion { news.append(ring[index]) }
      ring[index].given = ring[index].count
    }
    return news
  }

  /// `mayRepeat`: it goes with an event, and where that has said the same it is a companion.
  mutating func note(_ reason: Reason, isPublished: Bool, mayRepeat: Bool = false, time: Double?) {
    let isRanging = if case .ranged = reason { true } else { false }
    if let index = isPublished && !isRanging ? description(reason) : index(of: reason, isRanging: isRanging) {
      ring[index].reason = reason
      ring[index].last = time
      ring[index].count += 1
      if ring[index].isNews { noteNews(ring[index].number) }
      return
    }
    made += 1
    var entry = Entry(number: made, reason: reason, isPublished: isPublished, time: time)
    entry.isCompanion = mayRepeat && ring.contains { $0.isPublished && $0.reason == reason }
    if !entry.isCompanion { noteNews(made) }
    if ring.count < Self.limit {
      ring.append(entry)
    } else {
      ring[oldest] = entry
      oldest = (oldest + 1) % Self.limit
    }
  }

  private mutating func noteNews(_ number: UInt64) { (hasNews, newsFrom) = (true, min(newsFrom, number)) }

  /// The newest entry, where both describe the board.
  private func description(_ reason: Reason) -> Int? {
    guard case .introduced = reason, !ring.isEmpty else { return nil }
    let newest = (oldest + ring.count - 1) % ring.count
    guard case .introduced = ring[newest].reason else { return nil }
    return newest
  }

  /// The entry that only has to count up. Withheld reasons are gathered between two published ones.
  private func index(of reason: Reason, isRanging: Bool) -> Int? {
    if reason.isMatterOfItsOwn { return nil }
    var refusals: (count: Int, newest: Int?) = (0, nil)
    for age in 1..<(ring.count + 1) {
      let index = (oldest + ring.count - age) % ring.count
      let entry = ring[index]
      if entry.isPublished, !isRanging { return nil }
      if entry.reason.isSameMatter(as: reason) { return index }
      guard reason.isRefusal, entry.reason.isRefusal else { continue }
      refusals = (refusals.count + 1, refusals.newest ?? index)
      if refusals.count == Self.refusals { return refusals.newest }
    }
    return nil
  }
}

extension Journal.Entry {
  /// One that was told once, at `time`.
  public init(number: UInt64, reason: Reason, isPublished: Bool, time: Double?) {
    self.init(number: number, reason: reason, isPublished: isPublished, time: time, last: time)
  }
}
