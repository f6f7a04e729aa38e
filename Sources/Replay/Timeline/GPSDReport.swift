import Model
import OwnTracks
import Timebase

/// gpsd's own JSON reports (3.22 to 3.26) as values. Whatever is missing, of the wrong kind or not a
/// number becomes nil; whether the rest is usable is not decided here.
enum GPSDReport {
  /// The part of a sky view that is added to the fixes after it.
  struct Sky: Hashable, Sendable {
    /// Horizontal dilution of precision, above 0; nil: not told.
    var hdop: Double?
    /// In the fix; nil: neither counted by gpsd nor listed.
    var satellitesUsed: Int?
  }

  /// A TPV. `hdop` is that of the latest sky view.
  static func reading(fromTPV report: JSON, hdop: Double?) -> Reading {
    var reading = Reading()
    reading.mode = report["mode"]?.int ?? 0
    (reading.time, reading.isDateImpossible) = time(report["time"])
    reading.latitude = report["lat"]?.double
    reading.longitude = report["lon"]?.double
    // Before 3.20 `alt` was the height above mean sea level; since then `altMSL` says so.
    reading.altitude = report["altMSL"]?.double ?? report["alt"]?.double
    reading.eph = report["eph"]?.double
    reading.epx = report["epx"]?.double
    reading.epy = report["epy"]?.double
    reading.epv = report["epv"]?.double
    reading.hdop = hdop
    reading.speed = report["speed"]?.double
    reading.eps = report["eps"]?.double
    reading.track = report["track"]?.double
    reading.isReckoned = report["status"]?.int == 5
    reading.isSimulated = report["status"]?.int == 8
    // gpsd has no such members: the tracker's own recordings do.
    if report["dateImpossible"]?.flag == true { reading.isDateImpossible = true }
    reading.isVoid = reading.mode < 2 && report["void"]?.flag == true
    return reading
  }

  /// A SKY. Newer gpsd counts the used satellites itself; older ones mark each.
  static func sky(_ report: JSON) -> Sky {
    let marked = report["satellites"]?.elements?.count { $0["used"]?.flag == true }
    let hdop = report["hdop"]?.double
    return Sky(hdop: hdop.flatMap { $0 > 0 ? $0 : nil }, satellitesUsed: report["uSat"]?.int ?? marked)
  }

  /// A GST: metres within which a place of the receiver's is in 19 of 20 cases; nil: it does not say.
  static func error(_ report: JSON) -> Double? {
    guard let north = report["lat"]?.double, let east = report["lon"]?.double else { return nil }
    return Reading.error(north: north, east: east)
  }

  private static func time(_ value: JSON?) -> (time: WallTime?, isImpossible: Bool) {
    // gpsd before 2.91 wrote Unix seconds, and old recordings still hold them.
    guard let text = value?.text else { return (value?.double.map { WallTime(seconds: $0) }, false) }
    return switch ISO8601.recorded(text) {
    case .time(let time): (time, false)
    case .impossible: (nil, true)
    case .unreadable: (nil, false)
    }
  }
}
