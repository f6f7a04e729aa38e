import OwnTracks
import Timebase

/// gpsd's JSON reports, one a line, as `gpspipe -w` writes them.
enum GPSDRecording {
  static func track(_ bytes: [UInt8]) -> Track {
    var track = Track()
    var pace = Pace()
    var hdop: Double?
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where line.contains(where: { $0 > 32 }) {
      guard let report = try? JSON.parse(Array(line)), report.members != nil else {
        track.faults.note(index + 1, "not a JSON object")
        continue
      }
      switch report["class"]?.text {
      case "SKY": hdop = GPSDReport.sky(report).hdop ?? hdop
      case "TPV":
        let reading = GPSDReport.reading(fromTPV: report, hdop: hdop)
        track.entries += pace.entries(reading, line: index + 1)
      default: break
      }
    }
    return track
  }
}
