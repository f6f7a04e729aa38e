import Model
import OwnTracks
import Timebase

/// The track points of a GPX file. Speed and course are taken where a file has them (GPX 1.0).
struct GPXRecording {
  /// Metres; what a point without `<hdop>` is taken for.
  static let usualAccuracy = 10.0

  private var track = Track()
  private var pace = Pace()
  private var point: Reading?
  private var text = ""
  /// Elements that are open, outermost first.
  private var open: [String] = []

  static func track(_ bytes: [UInt8], _ path: String) throws(ReplayError) -> Track {
    var recording = GPXRecording()
    var scanner = XMLScanner(bytes)
    do throws(XMLScanner.Fault) {
      while let piece = try scanner.next() { try recording.take(piece, scanner.line) }
      guard recording.open.isEmpty else {
        throw XMLScanner.Fault(text: "ends before </\(recording.open.reversed().joined(separator: "></"))>")
      }
    } catch {
      throw ReplayError(file: path, line: scanner.line, text: "\(error.text), expected a GPX track")
    }
    return recording.track
  }

  private mutating func take(_ piece: XMLScanner.Piece, _ line: Int) throws(XMLScanner.Fault) {
    switch piece {
    case .text(let more): text += more
    case .open(let name, let attributes):
      guard !open.isEmpty || name == "gpx" else { throw XMLScanner.Fault(text: "begins with <\(name)>") }
      open.append(name)
      text = ""
      if name == "trkpt" { beginPoint(attributes) }
    case .close(let name):
      guard open.popLast() == name else { throw XMLScanner.Fault(text: "</\(name)> closes nothing") }
      close(name, line)
    }
  }

  private mutating func beginPoint(_ attributes: [String: String]) {
    var reading = Reading()
    reading.mode = 2
    reading.latitude = attributes["lat"].flatMap(DecimalText.number)
    reading.longitude = attributes["lon"].flatMap(DecimalText.number)
    point = reading
  }

  private mutating func close(_ name: String, _ line: Int) {
    let text = text.trimmed
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
