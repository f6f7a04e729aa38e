/// The last hundred reasons, the newest last. The same withheld reason again only counts up: at one
/// fix a second "too near" would otherwise push out everything of interest within two minutes. So do
/// ranging, which may publish every second, and the Home Assistant discovery: a dozen messages in a row.
///
/// To keep more of them, a caller takes the new ones after each event (`takeNews`).
public struct Journal: Sendable {
  /// A reason, and how often it occurred in a row.
  public struct Entry: Hashable, Sendable {
    /// 1 is the first of this life of the process. Entries are in the order in which they began.
    public var number: UInt64
    /// With the numbers of the last occurrence.
    public var reason: Reason
    /// False: it was withheld, or it is no publish at all.
    public var isPublished: Bool
    /// The location beside an event that was published for the same reason: reading it twice is of no use.
    public var isCompanion = false
    /// Wall time of the first occurrence, Unix seconds; nil while no clock could be trusted.
    public var time: Double?
    /// Wall time of the last occurrence.
    public var last: Double?
    /// 1 and more; a published reason counts up only where it is ranging, or describes the board.
    public var count = 1
    /// `count` when `takeNews` last gave it: 0 before that.
    public fileprivate(set) var given = 0

    /// It occurred at most half as often as now, or never, when it was given.
    fileprivate var isNews: Bool { !isCompanion && count >= 2 * given }
  }

  /// A tracker without a file of them shows a hundred; 100 entries cost about 12 kB.
  public static let limit = 100
  /// Different refused commands kept between two publishes: their senders could push out everything else.
  static let refusals = 8

  private var ring: [Entry] = []
  /// Index of the oldest in `ring`, once that is full and goes round.
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

  /// New entries, and those that occurred twice as often since they were given last, oldest first; with
  /// `evenCounts` all that occurred again. Companions are left out.
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

  /// `mayRepeat`: the reason goes with an event, and is a companion if that had the same one.
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
  /// An entry that occurred once, at `time`.
  public init(number: UInt64, reason: Reason, isPublished: Bool, time: Double?) {
    self.init(number: number, reason: reason, isPublished: isPublished, time: time, last: time)
  }
}
