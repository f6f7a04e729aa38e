import Model
import Timebase

/// Own locations on their way to the history. They go with whatever is written next: with their own message where that
/// waits for the broker, and by themselves where nothing else is written for `delay`.
struct PendingHistory {
  /// The most that a power cut costs a board with nothing else to write.
  static let delay = Span.seconds(60)
  /// Points that wait while the disk takes nothing; then the oldest go: many are worth less than the memory.
  static let limit = 500

  /// Locations as they were told, oldest first: a message and its point share their memory.
  private(set) var points: [Report] = []
  /// They are to be written now, with or without company.
  var isOwed = false

  mutating func add(_ report: Report) {
    points.append(report)
    if points.count > Self.limit { points.removeFirst(points.count - Self.limit) }
  }

  /// Older ones, which the disk did not take.
  mutating func putBack(_ reports: [Report]) {
    points = reports.suffix(Self.limit - min(Self.limit, points.count)) + points
  }

  /// Empties it.
  mutating func take() -> [StoreWrite] {
    defer { self = PendingHistory() }
    return writes
  }

  var writes: [StoreWrite] {
    points.compactMap { if case .location(let location) = $0 { .history(location) } else { nil } }
  }
}

/// How many points the disk has, and when the old ones go.
struct HistoryKeeping {
  /// Points, however many days they are: some 25 MB on the card. The oldest go first.
  static let limit = 100_000
  /// Seconds between two looks at what has become too old.
  private static let pause = 3600.0

  /// Right after each write: of what goes by `days` or by a person's order the disk alone knows how much it was.
  private(set) var count: Int
  /// When the old ones were last told to go.
  private var pruned: Double?

  init(count: Int) { self.count = count }

  /// One more point; what has to go for it, if anything.
  mutating func added(_ settings: Configuration.History, wall: WallTime?) -> StoreWrite? {
    assert(count >= 0, "fewer points than none")
    count += 1
    if settings.days <= 0 {
      let kept = settings.days < 0 ? max(1, settings.positions) : 1
      guard count > kept else { return nil }
      count = kept
      return .pruneHistory(keep: kept, since: nil)
    }
    guard let wall, pruned.map({ (wall.seconds - $0).magnitude >= Self.pause }) ?? true else { return nil }
    pruned = wall.seconds
    count = min(count, Self.limit)
    return .pruneHistory(keep: Self.limit, since: wall.seconds - Double(settings.days + 1) * 86_400)
  }

  /// The disk has told how many it has. `waiting`: more that it was not given yet.
  mutating func found(_ points: Int, waiting: Int) { count = points + waiting }

  mutating func emptied() { self = HistoryKeeping(count: 0) }
}
