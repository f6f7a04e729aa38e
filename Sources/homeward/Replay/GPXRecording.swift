import Foundation
import Model
import OwnTracks
import Timebase

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The track points of a GPX file. Speed and course are taken where a file has them (GPX 1.0).
enum GPXRecording {
  /// Metres; what a point without `<hdop>` is taken for.
  static let usualAccuracy = 10.0

  static func track(_ bytes: [UInt8], _ path: String) throws -> Track {
    let parser = XMLParser(data: Data(bytes))
    let points = TrackPoints()
    parser.delegate = points
    guard parser.parse() else {
      throw ReplayError(
        file: path, line: max(1, parser.lineNumber), text: "not XML from here on, expected a GPX track")
    }
    guard points.isGPX else { throw ReplayError(file: path, line: 1, text: "expected a <gpx> element") }
    guard points.isComplete else {
      throw ReplayError(file: path, line: max(1, parser.lineNumber), text: "ends before </gpx>")
    }
    return points.track
  }

  private final class TrackPoints: NSObject, XMLParserDelegate {
    var track = Track()
    var isGPX = false
    var isComplete = false
    private var pace = Pace()
    private var point: Reading?
    private var text = ""

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      text = ""
      switch element {
      case "gpx": isGPX = true
      case "trkpt":
        var reading = Reading()
        reading.mode = 2
        reading.latitude = attributes["lat"].flatMap(Double.init)
        reading.longitude = attributes["lon"].flatMap(Double.init)
        point = reading
      default: break
      }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
      text += string
    }

    func parser(
      _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      switch element {
      case "ele":
        point?.altitude = Double(text)
        point?.mode = 3
      case "time": point?.time = ISO8601.time(text)
      case "hdop": point?.hdop = Double(text)
      case "speed": point?.speed = Double(text)
      case "course": point?.track = Double(text)
      case "trkpt": finishPoint(parser.lineNumber)
      case "gpx": isComplete = true
      default: break
      }
    }

    private func finishPoint(_ line: Int) {
      guard var reading = point else { return }
      point = nil
      guard reading.time != nil else { return track.faults.note(line, "a point without a <time>") }
      if reading.hdop == nil { reading.eph = usualAccuracy }
      track.entries += pace.entries(reading, line: line)
    }
  }
}
