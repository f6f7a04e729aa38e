import Model
import Timebase

/// Cost of the connection to the server, as far as it is known.
struct DataAccount {
  /// The part of a budget that may be used however early in the month.
  static let free = 0.5
  /// Seconds.
  static let spacing = (narrowest: 60.0, widest: 3600.0)

  private(set) var volume: DataVolume
  /// Of this run, as it was told last.
  private var told = 0
  /// Seconds east of Greenwich.
  private var zone = 0

  init(_ stored: DataVolume) { volume = stored }

  /// `bytes`: of this run; fewer than before, as in a recording of several runs, add nothing. False: no more than before.
  mutating func carried(_ bytes: Int, zone: Int, wall: WallTime?) -> Bool {
    let before = volume
    self.zone = zone
    volume.add(max(0, bytes - told), on: day(wall))
    told = max(told, bytes)
    return volume != before
  }

  /// As it is on this day; nil: no clock is believed.
  func shown(at wall: WallTime?) -> DataVolume? {
    guard let day = day(wall) else { return nil }
    var shown = volume
    shown.add(0, on: day)
    return shown
  }

  /// Its state for people; `budget`: MB of a month, 0: none. Nil: no clock is believed.
  func use(budget: Double, at wall: WallTime?) -> DataUse? {
    guard let shown = shown(at: wall) else { return nil }
    var use = DataUse(shown)
    use.budget = budget > 0 ? Int((budget * 1_000_000).rounded()) : nil
    use.spacing = spacing(budget: budget, at: wall)
    return use
  }

  /// How far apart positions are to be sent; nil: as they come. They are held back once half of the budget is used, for
  /// as long as more of it is used than of the month has gone by: a minute apart at first, two where a quarter of the
  /// budget is left, ten at a twentieth, and at last an hour.
  func spacing(budget: Double, at wall: WallTime?) -> Span? {
    guard budget > 0, let wall, let shown = shown(at: wall), let day = shown.day else { return nil }
    let used = Double(shown.month) / (budget * 1_000_000)
    let days = (wall.seconds + Double(zone)) / 86_400 - Double(day.number) + Double(day.date.day - 1)
    guard used > Self.free, used > days / Double(day.lengthOfMonth) else { return nil }
    let left = max(0, (1 - used) / (1 - Self.free))
    return .seconds(min(Self.spacing.widest, Self.spacing.narrowest / left))
  }

  /// Adds what the store has, which could not be read before.
  mutating func merge(_ earlier: DataVolume) { volume.merge(earlier) }

  /// The store has all of it: an earlier tracker of this process has written it there.
  mutating func goOn(from earlier: DataAccount) { (told, zone) = (earlier.told, earlier.zone) }

  private func day(_ wall: WallTime?) -> CalendarDay? {
    wall.map { CalendarDay(of: Int($0.seconds.rounded(.down)) + zone) }
  }
}
