import Timebase

/// A day of the Gregorian calendar, as the people around the board have it.
public struct CalendarDay: Comparable, Hashable, Sendable {
  /// Days since 1970-01-01.
  public var number: Int

  /// As it is stored.
  public init(number: Int) { self.number = number }

  /// `seconds`: local time, since 1970.
  public init(of seconds: Int) { number = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1 }

  public static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }

  /// The month that it is in, and which day of it, from 1.
  public var date: (year: Int, month: Int, day: Int) {
    // Days since 0000-03-01: a year that begins in March has its odd day at the end.
    let days = number + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let ofEra = days - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * ofYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * march + 2) / 5 + 1)
  }

  /// Days of the month that it is in.
  public var lengthOfMonth: Int {
    let (year, month, _) = date
    switch month {
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }

  /// Whether both are of one month.
  public func isInMonth(of other: CalendarDay) -> Bool {
    (date.year, date.month) == (other.date.year, other.date.month)
  }
}

/// Cost of the connection to the server, and its limit.
public struct DataUse: Hashable, Sendable {
  /// Of today and of this month.
  public var volume: DataVolume
  /// Bytes of a month; nil: there is no budget.
  public var budget: Int?
  /// At least so far apart positions are sent, for the sake of the budget; nil: as they come.
  public var spacing: Span?

  /// Without a budget.
  public init(_ volume: DataVolume) { self.volume = volume }
}

/// The bytes that the connection to the server has cost, by the calendar of the place where the board is.
public struct DataVolume: Hashable, Sendable {
  /// The day of `today`, and of the month; nil: nothing was counted while a clock was believed.
  public var day: CalendarDay?
  /// Bytes of that day.
  public var today = 0
  /// Bytes of its month.
  public var month = 0
  /// Bytes that came while no clock was believed: they belong to the first day that is known.
  public var undated = 0

  /// Nothing was counted yet.
  public init() {}

  /// `day` nil: no clock is believed.
  public mutating func add(_ bytes: Int, on day: CalendarDay?) {
    undated += bytes
    guard let day else { return }
    if let before = self.day, before < day {
      today = 0
      if !before.isInMonth(of: day) { month = 0 }
    }
    // A clock that was ahead and is put right takes nothing back: what was counted was carried.
    self.day = day
    today += undated
    month += undated
    undated = 0
  }

  /// Adds what an earlier life of the board has counted; this one began at nothing.
  public mutating func merge(_ earlier: DataVolume) {
    undated += earlier.undated
    guard let before = earlier.day else { return }
    guard let day else {
      (self.day, today, month) = (before, earlier.today, earlier.month)
      return
    }
    if before == day { today += earlier.today }
    if before.isInMonth(of: day) { month += earlier.month }
  }
}
