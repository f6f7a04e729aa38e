import Model
import Timebase

/// A track as GPX 1.1: one segment, oldest point first, as the phone app writes it.
public enum GPXTrack {
  /// The text before the first point.
  public static let head =
    """
    <?xml version="1.0" encoding="UTF-8" standalone="no" ?>
    <gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="homeward">
    <trk>
    <trkseg>

    """
  /// The text after the last point.
  public static let foot =
    """
    </trkseg>
    </trk>
    </gpx>

    """

  /// One point and a newline; without a known altitude it has no `ele`.
  public static func point(latitude: Double, longitude: Double, altitude: Double?, time: WallTime) -> String {
    let elevation = altitude.map { "<ele>\(fixed($0, 2))</ele>" } ?? ""
    return "<trkpt lat=\"\(fixed(latitude, 6))\" lon=\"\(fixed(longitude, 6))\">\(elevation)"
      + "<time>\(ISO8601.text(time))</time></trkpt>\n"
  }

  /// The same of an answer; nil: it says no place, or no time.
  public static func point(_ point: PointRecord) -> String? {
    let place = point.place
    guard let latitude = place.latitude, let longitude = place.longitude, let time = place.time else {
      return nil
    }
    return Self.point(
      latitude: latitude, longitude: longitude, altitude: place.altitude,
      time: WallTime(seconds: Double(time)))
  }

  /// A whole file; without points it has an empty segment.
  public static func text(of points: [HistoryPoint]) -> String {
    let all = points.map { point in
      let fix = point.report.fix
      return Self.point(
        latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude, altitude: fix.altitude,
        time: point.report.time)
    }
    return head + all.joined() + foot
  }

  private static func fixed(_ number: Double, _ decimals: Int) -> String {
    var writer = JSONWriter(capacity: 24)
    writer.padded(number, decimals: decimals)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
