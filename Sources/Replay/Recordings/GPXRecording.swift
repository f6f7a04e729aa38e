import Model
import OwnTracks
import Timebase

/// The track points of a GPX file. Speed and course are taken where a file has them: as GPX 1.0 has it, in the point
/// itself, or deeper, in the extensions of GPX 1.1, whose units are anybody's: what the point itself says counts first.
struct GPXRecording {
  /// Metres; what a point without `<hdop>` is taken for.
  static let usualAccuracy = 10.0
  /// Bytes of a value's text. A number or a time has fewer; descriptions may be as long as they like.
  private static let longestValue = 100

  private var track = Track()
  private var pace = Pace()
  private var point: Point?
  /// Elements that are open.
  private var depth = 0
  private var text = ""
  private var hasBegun = false

  private struct Point {
    var reading = Reading()
    /// Values given by elements of the point itself, which count before those of its extensions.
    var own: Set<String> = []
    var depth: Int
    /// Error in its time or place.
    var fault: String?
  }

  static func track(_ bytes: [UInt8], _ path: String) throws(ReplayError) -> Track {
    var recording = GPXRecording()
    do {
      try XMLReader.read(bytes) { piece, line in recording.take(piece, line) }
    } catch {
      throw ReplayError(file: path, line: error.line, text: "\(error.text), expected a GPX track")
    }
    return recording.track
  }

  /// Error in the piece, or nil.
  private mutating func take(_ piece: XMLReader.Piece, _ line: Int) -> String? {
    switch piece {
    case .text(let more): if text.utf8.count <= Self.longestValue { text += more }
    case .open(let name, let attributes):
      guard hasBegun || name == "gpx" else { return "begins with <\(name)>" }
      hasBegun = true
      depth += 1
      text = ""
      if name == "trkpt" { beginPoint(attributes) }
    case .close(let name):
      close(name, line)
      depth -= 1
    }
    return nil
  }

  private mutating func beginPoint(_ attributes: [String: String]) {
    var point = Point(depth: depth)
    point.reading.mode = 2
    point.reading.latitude = attributes["lat"].flatMap(Self.number)
    point.reading.longitude = attributes["lon"].flatMap(Self.number)
    if point.reading.coordinate == nil {
      let (lat, lon) = (attributes["lat"] ?? "", attributes["lon"] ?? "")
      point.fault = "lat=\"\(lat.prefix(40))\" lon=\"\(lon.prefix(40))\" is no place on the Earth in degrees"
    }
    self.point = point
  }

  private mutating func close(_ name: String, _ line: Int) {
    guard var point else { return }
    if name == "trkpt" { return finish(point, line) }
    let isOwn = depth == point.depth + 1
    guard isOwn || !point.own.contains(name) else { return }
    if isOwn { point.own.insert(name) }
    let text = text.utf8.count <= Self.longestValue ? text.trimmed : ""
    switch name {
    case "ele":
      point.reading.altitude = Self.number(text)
      point.reading.mode = point.reading.altitude == nil ? 2 : 3
    case "time":
      point.fault = point.reading.coordinate == nil ? point.fault : nil
      switch ISO8601.recorded(text) {
      case .time(let time): point.reading.time = time
      case .impossible:
        point.fault = point.fault ?? "the time \(text) is impossible: there is no such day or hour"
      case .unreadable:
        point.fault = point.fault ?? "the time \"\(text)\" is not understood, expected 2026-07-01T08:00:00Z"
      }
    case "hdop": point.reading.hdop = Self.number(text)
    case "speed": point.reading.speed = Self.number(text)
    case "course": point.reading.track = Self.number(text)
    default: break
    }
    self.point = point
  }

  private mutating func finish(_ point: Point, _ line: Int) {
    self.point = nil
    var reading = point.reading
    if let fault = point.fault ?? (reading.time == nil ? "a point without a <time>" : nil) {
      return track.faults.note(line, fault)
    }
    if reading.hdop == nil { reading.eph = Self.usualAccuracy }
    track.entries += pace.entries(reading, line: line)
  }

  /// A decimal as XML Schema has it: blanks around it, a plus, and no digit before or behind the point, are allowed.
  private static func number(_ text: String) -> Double? {
    var text = text.trimmed[...]
    if text.hasPrefix("+") {
      text = text.dropFirst()
      guard text.first?.isNumber == true || text.first == "." else { return nil }
    }
    if text.hasSuffix("."), text.count > 1 { text = text.dropLast() }
    return DecimalText.number(String(text))
  }
}
