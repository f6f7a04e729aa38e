import Model
import Timebase

/// Cost of the connection to the server, as far as it is known.
struct DataAccount {
  private(set) var volume: DataVolume
  /// Of this run, as it was told last.
  private var told = 0
  /// Seconds east of Greenwich.
  private var zone = 0

  init(_ stored: DataVolume) { volume = stored }

  /// `bytes`: of this run. False: no more than before.
  mutating func carried(_ bytes: Int, zone: Int, wall: WallTime?) -> Bool {
    assert(bytes >= told, "\(bytes) bytes after \(told)")
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

  /// Adds what the store has, which could not be read before.
  mutating func merge(_ earlier: DataVolume) { volume.merge(earlier) }

  /// The store has all of it: an earlier tracker of this process has written it there.
  mutating func goOn(from earlier: DataAccount) { (told, zone) = (earlier.told, earlier.zone) }

  private func day(_ wall: WallTime?) -> CalendarDay? {
    wall.map { CalendarDay(of: Int($0.seconds.rounded(.down)) + zone) }
  }
}
