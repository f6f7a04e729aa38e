import Model
import OwnTracks
import Timebase

/// The entries of a file, one after the other, whatever its format.
public struct Recording {
  /// The format of a file, recognised by its extension.
  public enum Kind {
    /// The format of `homeward replay`: one event a line.
    case timeline
    /// Output of a receiver, NMEA or its own binary form: gpsd turns it into reports first.
    case receiver
    /// gpsd's JSON reports, one a line.
    case reports
    /// A track in GPX.
    case gpx

    /// Nil for an ending that no recording has.
    public init?(ending: String) {
      switch ending {
      case "jsonl": self = .timeline
      case "nmea", "log", "ubx": self = .receiver
      case "json": self = .reports
      case "gpx": self = .gpx
      default: return nil
      }
    }
  }

  private enum Form {
    case timeline(TimelineReader)
    /// Decoded already.
    case points([TimelineEntry])
  }

  private var form: Form
  private var lines: [ArraySlice<UInt8>] = []
  private var position = 0
  /// Faults in parts of it, for people, once it has been played.
  public let summary: String?
  /// A remark about the whole recording, for people.
  public let remark: String?

  /// `file` is what errors name. Of a receiver's recording the bytes are gpsd's reports already.
  public init(
    _ bytes: [UInt8], _ kind: Kind, file path: String, numberBase: BeaconNumberBase
  ) throws(ReplayError) {
    let track: Track
    switch kind {
    case .timeline:
      form = .timeline(TimelineReader(file: path, numberBase: numberBase))
      lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      (summary, remark) = (nil, nil)
      return
    case .receiver, .reports: track = GPSDRecording.track(bytes)
    case .gpx: track = try GPXRecording.track(bytes, path)
    }
    // Lines of a receiver's recording are gpsd's own, which the user has not seen.
    let isOthers = if case .receiver = kind { true } else { false }
    guard track.entries.contains(where: \.isPosition) else {
      throw track.faults.error(path, isOthers: isOthers)
    }
    form = .points(track.entries)
    summary = isOthers ? nil : track.faults.summary
    remark = track.remark
  }

  /// Nil at the end.
  public mutating func next() throws(ReplayError) -> TimelineEntry? {
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
  public var isBrokerUpBefore: Bool {
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
  var remark: String?

  /// Parts that could not be used: counted, and the first of them named.
  struct Faults {
    private var count = 0
    private var first: (line: Int, text: String)?

    mutating func note(_ line: Int, _ text: String?) {
      guard let text else { return }
      if first == nil { first = (line, text) }
      count += 1
    }

    var summary: String? {
      first.map {
        "\(count) line\(count == 1 ? "" : "s") skipped, the first: line \($0.line): \($0.text)".plainLine
      }
    }

    /// Where nothing is left.
    func error(_ file: String, isOthers: Bool) -> ReplayError {
      guard let first else {
        return ReplayError(file: file, line: nil, text: "not one position with a time in it")
      }
      let text = "not one position that can be used, the first: \(first.text)"
      return ReplayError(file: file, line: isOthers ? nil : first.line, text: text)
    }
  }
}
