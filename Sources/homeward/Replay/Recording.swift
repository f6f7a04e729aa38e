import Glibc
import OwnTracks
import Timebase

/// What a file holds, one entry after the other, whatever its form.
struct Recording {
  private enum Form {
    case timeline(TimelineReader)
    /// Decoded already.
    case points([TimelineEntry])
  }

  private let path: String
  private var form: Form
  private var lines: [ArraySlice<UInt8>] = []
  private var position = 0
  /// What was wrong with parts of it, for people, once it has been played.
  let summary: String?

  init(_ path: String, numberBase: BeaconNumberBase) throws {
    self.path = path
    let bytes = try FileText.read(path, atMost: FileText.recordingLimit)
    let ending = path == "-" ? "jsonl" : Folder.ending(of: path).lowercased()
    switch ending {
    case "jsonl":
      form = .timeline(TimelineReader(file: path, numberBase: numberBase))
      lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      summary = nil
    case "nmea", "log", "json", "gpx":
      let track = try Self.track(ending, bytes, path)
      guard !track.entries.isEmpty else {
        throw ReplayError(file: path, line: nil, text: "not one position with a time in it")
      }
      form = .points(track.entries)
      summary = track.faults.summary
    default:
      throw Failure(.usage, "\(path): unknown kind, expected .jsonl, .nmea, .log, .json, .gpx or -")
    }
  }

  private static func track(_ ending: String, _ bytes: [UInt8], _ path: String) throws -> Track {
    switch ending {
    case "json": GPSDRecording.track(bytes)
    case "gpx": try GPXRecording.track(bytes, path)
    default: NMEARecording.track(bytes)
    }
  }

  mutating func next() throws(ReplayError) -> TimelineEntry? {
    switch form {
    case .points(let entries):
      guard position < entries.count else { return nil }
      position += 1
      return entries[position - 1]
    case .timeline(var reader):
      defer { form = .timeline(reader) }
      while position < lines.count {
        position += 1
        if let entry = try reader.entry(lines[position - 1]) { return entry }
      }
      return nil
    }
  }

  /// The connection before the first line about it: the opposite of what that line says, and up where
  /// there is none. A line at 0 sets it from the start.
  var isBrokerUpBefore: Bool {
    let key = Array("\"broker\"".utf8)
    for line in lines where Self.contains(line, key) {
      guard let json = try? JSON.parse(Array(line)), let word = json["broker"]?.text else { continue }
      let isAtStart = json["at"]?.double == 0
      return isAtStart ? false : word == "down"
    }
    return true
  }

  private static func contains(_ line: ArraySlice<UInt8>, _ key: [UInt8]) -> Bool {
    guard line.count >= key.count else { return false }
    return (line.startIndex...(line.endIndex - key.count)).contains { line[$0...].starts(with: key) }
  }
}

/// Positions in the order of a recording.
struct Track {
  var entries: [TimelineEntry] = []
  var faults = Faults()

  /// Parts that could not be used: counted, and the first of them named.
  struct Faults {
    private var count = 0
    private var first = ""

    mutating func note(_ line: Int, _ text: String) {
      if count == 0 { first = "line \(line): \(text)".plainLine }
      count += 1
    }

    var summary: String? {
      count == 0 ? nil : "\(count) line\(count == 1 ? "" : "s") passed over, the first: \(first)"
    }
  }
}
