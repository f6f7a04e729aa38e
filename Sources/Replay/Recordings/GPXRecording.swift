import Model
import OwnTracks
import Timebase

/// The track points of a GPX file. Speed and course are taken where a file has them (GPX 1.0).
struct GPXRecording {
  /// Metres; what a point without `<hdop>` is taken for.
  static let usualAccuracy = 10.0
  /// Bytes of a value's text. A number or a time has fewer; descriptions may be as long as they like.
  private static let longestValue = 100

  private var track = Track()
  private var pace = Pace()
  private var point: Reading?
  private var text = ""
  private var hasBegun = false

  static func track(_ bytes: [UInt8], _ path: String) throws(ReplayError) -> Track {
    var recording = GPXRecording()
    do {
      try XMLReader.read(bytes) { piece, line in recording.take(piece, line) }
    } catch {
      throw ReplayError(file: path, line: error.line, text: "\(error.text), expected a GPX track")
    }
    return recording.track
  }

  /// What is wrong with it; nil: nothing.
  private mutating func take(_ piece: XMLReader.Piece, _ line: Int) -> String? {
    switch piece {
    case .text(let more): if text.utf8.count <= Self.longestValue { text += more }
    case .open(let name, let attributes):
      guard hasBegun || name == "gpx" else { return "begins with <\(name)>" }
      hasBegun = true
      text = ""
      if name == "trkpt" { beginPoint(attributes) }
    case .close(let name): close(name, line)
    }
    return nil
  }

  private mutating func beginPoint(_ attributes: [String: String]) {
    var reading = Reading()
    reading.mode = 2
    reading.latitude = attributes["lat"].flatMap(DecimalText.number)
    reading.longitude = attributes["lon"].flatMap(DecimalText.number)
    point = reading
  }

  private mutating func close(_ name: String, _ line: Int) {
    let text = text.utf8.count <= Self.longestValue ? text.trimmed : ""
    switch name {
    case "ele":
      point?.altitude = DecimalText.number(text)
      point?.mode = 3
    case "time": point?.time = ISO8601.time(text)
    case "hdop": point?.hdop = DecimalText.number(text)
    case "speed": point?.speed = DecimalText.number(text)
    case "course": point?.track = DecimalText.number(text)
    case "trkpt": finishPoint(line)
    default: break
    }
  }

  private mutating func finishPoint(_ line: Int) {
    guard var reading = point else { return }
    point = nil
    guard reading.time != nil else { return track.faults.note(line, "a point without a <time>") }
    if reading.hdop == nil { reading.eph = Self.usualAccuracy }
    track.entries += pace.entries(reading, line: line)
  }
}
