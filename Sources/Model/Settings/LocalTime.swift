/// A time of day as the people around the board read it off the wall, made from Unix time and a time zone.
///
/// It never goes back with the end of summer time: in the hour that comes twice it stands still the second time, so
/// that nothing of that hour happens again.
public struct LocalTime {
  /// As far back as zones put their clocks at most, seconds.
  private static let longestFold = 3 * 3600

  /// Seconds east of Greenwich at a Unix time.
  private let offset: (Int) -> Int

  /// `offset`: seconds east of Greenwich at a Unix time.
  public init(offset: @escaping (Int) -> Int) { self.offset = offset }

  /// Local time, seconds since 1970.
  public func seconds(at unix: Int) -> Int {
    let local = unix + offset(unix)
    let before = unix - Self.longestFold
    guard offset(before) > offset(unix) else { return local }
    let turned = firstChange(between: before, and: unix)
    return max(local, turned - 1 + offset(turned - 1))
  }

  /// Local time, minutes since 1970.
  public func minute(at unix: Int) -> Int { Self.minute(of: seconds(at: unix)) }

  /// When, in Unix seconds, one of these minutes of the day comes next, or the clocks are changed before that.
  public func next(of edges: [Int], after unix: Int) -> Int? {
    let local = seconds(at: unix)
    guard let edge = DailyPeriod.next(of: edges, after: Self.minute(of: local)) else { return nil }
    // In an hour that comes twice it stands still: then the clock without that says how long it takes.
    let due = unix + max(1, edge * 60 - (unix + offset(unix)))
    return offset(due) == offset(unix) ? due : firstChange(between: unix, and: due)
  }

  /// The first second with the later offset; there is one change between the two.
  private func firstChange(between early: Int, and late: Int) -> Int {
    var (before, after) = (early, late)
    let old = offset(early)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if offset(middle) == old { before = middle } else { after = middle }
    }
    return after
  }

  private static func minute(of seconds: Int) -> Int {
    seconds >= 0 ? seconds / 60 : (seconds - 59) / 60
  }
}
