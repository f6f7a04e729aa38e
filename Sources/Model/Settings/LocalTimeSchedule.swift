import Timebase

/// The times of day that settings name.
public struct LocalTimes: Hashable, Sendable {
  /// As they were written.
  public let text: String
  /// Minutes of the day.
  public let edges: [Int]

  /// Those of `timeModes` and of `backlogTimes`.
  public init(_ rules: Written<TimeModes>, _ backlog: Written<BacklogTimes> = Written("")) {
    text = backlog.text.isEmpty ? rules.text : rules.text + "\n\n" + backlog.text
    edges = (rules.value?.edges ?? []) + (backlog.value?.periods.flatMap { [$0.begin, $0.end] } ?? [])
  }
}

/// When the tracker has to be told the time of day: at the edges of `timeModes` and `backlogTimes`, where those have
/// changed, and where the clock or its zone was put somewhere else. It is asked after every wake-up and at `due`.
public struct LocalTimeSchedule {
  /// More than a clock that is put right little by little is off between two looks, seconds.
  private static let step = 1.0
  /// How often the zone is looked at: a vehicle may be told that it is in another one.
  private static let zoneSpan = Span.minutes(1)

  private struct Reported {
    var times: String
    var wall: WallTime
    var instant: Instant
    var offset: Int
  }

  private let offset: (Int) -> Int
  private let local: LocalTime
  private var reported: Reported?
  /// When one of the times comes next; nil: never.
  public private(set) var due: Instant?

  /// `offset`: seconds east of Greenwich at a Unix time.
  public init(offset: @escaping (Int) -> Int) {
    self.offset = offset
    local = LocalTime(offset: offset)
  }

  /// The minute to report now, of local time since 1970; nil: nothing new. `wall`: nil while it is not known.
  public mutating func look(_ times: LocalTimes, wall: WallTime?, at now: Instant) -> Int? {
    guard let wall else {
      reportAnew()
      return nil
    }
    guard isNews(times, wall, now) else { return nil }
    // A time that is due but for a rounding error is due.
    let unix = Int((wall.seconds + 0.000_01).rounded(.down))
    if times.edges.isEmpty {
      // Then any time will do: to know the zone costs a file and its memory.
      (reported, due) = (Reported(times: times.text, wall: wall, instant: now, offset: 0), nil)
      return unix / 60
    }
    reported = Reported(times: times.text, wall: wall, instant: now, offset: offset(unix))
    due = local.next(of: times.edges, after: unix).map {
      now + .seconds(max(0, Double($0) - wall.seconds))
    }
    return local.minute(at: unix)
  }

  /// The receiver of the earlier reports is gone: report anew.
  public mutating func reportAnew() { (reported, due) = (nil, nil) }

  private mutating func isNews(_ times: LocalTimes, _ wall: WallTime, _ now: Instant) -> Bool {
    guard var before = reported, before.times == times.text else { return true }
    // The times that are gone were told of once.
    guard let due else { return false }
    let passed = (now - before.instant).seconds
    guard now < due, abs((wall - before.wall).seconds - passed) <= Self.step else { return true }
    guard now - before.instant >= Self.zoneSpan else { return false }
    (before.wall, before.instant) = (wall, now)
    reported = before
    return offset(Int(wall.seconds.rounded(.down))) != before.offset
  }
}

extension Configuration {
  /// The times of day that it names.
  public var localTimes: LocalTimes { LocalTimes(reports.timeModes, queue.backlogTimes) }
}
