/// A period of every day, by the local time: `HH:MM-HH:MM`.
public struct DailyPeriod: Hashable, Sendable {
  /// Minutes.
  public static let day = 1440

  /// Minute of the day, the first of it.
  public let begin: Int
  /// Minute of the day, the first behind it; before `begin` where it goes over midnight.
  public let end: Int

  /// Nil: the text has not two times that differ. The end may be 24:00.
  public init?(_ text: some StringProtocol) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false)
    guard times.count == 2, let begin = Self.minute(times[0]), let end = Self.minute(times[1]),
      begin < Self.day, begin != end % Self.day
    else { return nil }
    (self.begin, self.end) = (begin, end % Self.day)
  }

  /// `minute`: of local time, of a day or since 1970.
  public func holds(at minute: Int) -> Bool {
    let minute = Self.ofDay(minute)
    return begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
  }

  /// The first of these minutes of the day that comes after `minute`, of local time since 1970; nil: there are none.
  static func next(of edges: [Int], after minute: Int) -> Int? {
    var next: Int?
    for edge in edges {
      let wait = ofDay(edge - minute)
      let coming = minute + (wait == 0 ? day : wait)
      next = next.map { min($0, coming) } ?? coming
    }
    return next
  }

  private static func minute(_ text: some StringProtocol) -> Int? {
    let digits = Array(text.utf8)
    guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
      let hour = number(digits[0], digits[1]), let minute = number(digits[3], digits[4]),
      minute < 60, hour * 60 + minute <= day
    else { return nil }
    return hour * 60 + minute
  }

  private static func number(_ tens: UInt8, _ ones: UInt8) -> Int? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard digits.contains(tens), digits.contains(ones) else { return nil }
    return Int(tens - digits.lowerBound) * 10 + Int(ones - digits.lowerBound)
  }

  private static func ofDay(_ minute: Int) -> Int { (minute % day + day) % day }
}
