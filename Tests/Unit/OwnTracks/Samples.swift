import Model
import OwnTracks
import Timebase

/// T0 of the acceptance scenarios.
let start = 1_700_000_000.0

func configured(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
  var configuration = Configuration()
  configuration.identity.username = "u"
  configuration.identity.deviceId = "d"
  change(&configuration)
  return configuration
}

func encoder(_ change: (inout Configuration) -> Void = { _ in }) -> Encoder {
  Encoder(configured(change), hostName: "raspberrypi")
}

/// At 48, 11, five metres, still.
func location(_ change: (inout LocationReport) -> Void = { _ in }) -> LocationReport {
  let coordinate = Coordinate(latitude: 48, longitude: 11)!
  let time = WallTime(seconds: start)
  let fix = Fix(time: time, coordinate: coordinate, accuracy: 5, altitude: 500, speed: 0)
  var report = LocationReport(fix: fix, time: time, created: nil, trigger: .automatic, mode: .significant)
  change(&report)
  return report
}

let home = Region(
  rid: "e1f891", name: "Home", coordinate: Coordinate(latitude: 48, longitude: 11)!, radius: 100,
  created: 1_700_000_100)

func payload(_ message: Message) throws -> JSON { try JSON.parse(message.payload) }

func payload(
  _ encoder: Encoder = encoder(), _ change: (inout LocationReport) -> Void = { _ in }
) throws -> JSON {
  try payload(encoder.encode(.location(location(change))))
}

func transition(
  _ region: Region = home, _ change: (inout TransitionReport) -> Void = { _ in }
) -> Report {
  var report = TransitionReport(
    region: region, crossing: .enter, coordinate: Coordinate(latitude: 48, longitude: 11.0007)!, accuracy: 5,
    time: WallTime(seconds: start + 60), created: nil)
  change(&report)
  return .transition(report)
}

func keys(_ json: JSON) -> [String] { (json.members ?? []).map(\.key) }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// What the tracker is asked with these words; throws where they are no such thing.
func tracked(_ words: [String]) throws(ControlError) -> ControlRequest {
  guard case .tracker(let request) = try Request(words: words) else {
    throw ControlError("not for the tracker: \(words)")
  }
  return request
}
