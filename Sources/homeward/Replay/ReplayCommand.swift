import ArgumentParser
import Glibc
import Model
import OwnTracks
import Replay

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Play a recorded day through the daemon's own decisions.",
    discussion: """
      Prints what would have been published, as fast as it can. FILE is a timeline
      (.jsonl), what a receiver said (.nmea, .log, .ubx), gpsd's JSON reports (.json,
      one a line) or a GPX track (.gpx); - is a timeline on standard input. A receiver's
      own words go through the gpsd that is installed here, as they do live. A GPX point
      without <hdop> counts as accurate to 10 m.

      The connection to the broker is up from the start, unless the first line about
      it says "up" later. Recordings other than timelines start with a trusted clock,
      set by their first position.

      Example: homeward replay --set username=me --set locatorDisplacement=50 \\
                 --set monitoring=2 --why drive.nmea
      """)

  @Option(help: ArgumentHelp("A configuration; its waypoints are the regions.", valueName: "file"))
  var config: String?
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A setting that wins over the file; may be repeated.", valueName: "key=value"))
  var settings: [String] = []
  @Option(
    help: ArgumentHelp(
      "Begin with the last line of an earlier replay, or what region list --json or region export printed.",
      valueName: "file"))
  var fromState: String?
  @Flag(help: "Also print what was withheld, and why.")
  var why = false
  // Output is JSON anyway; the flag is taken so that scripts may give it everywhere.
  @Flag(help: .hidden) var json = false
  @Argument(help: ArgumentHelp("What to play.", valueName: "file"))
  var file: String

  func run() throws {
    let settings = try ReplaySettings(file: config, overrides: settings)
    do {
      try play(settings)
    } catch let error as ReplayError {
      throw Failure(.usage, error.sentence)
    }
  }

  private func play(_ settings: ReplaySettings) throws {
    let state = try fromState.map { file in
      try settings.state(in: FileText.read(file, atMost: ConfigurationFile.limit), file: file)
    }
    var recording = try recording(settings.numberBase)
    let isUpBefore = recording.isBrokerUpBefore
    var player = Player(
      settings, file: file, state: state ?? StoredState(),
      output: ReplayOutput(explains: why, write: { Terminal.say(json: $0) }, warn: warn))
    var warned: Set<String> = []
    while let entry = try recording.next() {
      if let kind = entry.unansweredKind, warned.insert(kind).inserted {
        warn(
          "\(file):\(entry.line): lines of the kind \(kind) are passed over, this version ignores them")
      }
      guard try player.play(entry, isUpBefore: isUpBefore) else { break }
    }
    player.finish(isUpBefore: isUpBefore)
    if settings.configuration.identity.username.isEmpty {
      warn("username is not set, so nothing was published: add --set username=NAME or --config FILE")
    }
    if let summary = recording.summary { warn("\(file): \(summary)") }
  }

  private func recording(_ numberBase: BeaconNumberBase) throws -> Recording {
    var bytes = try FileText.read(file, atMost: FileText.recordingLimit)
    let ending = file == "-" ? "jsonl" : Folder.ending(of: file).lowercased()
    guard let kind = Recording.Kind(ending: ending) else {
      throw Failure(.usage, "\(file): unknown kind, expected .jsonl, .nmea, .log, .ubx, .json, .gpx or -")
    }
    if kind == .receiver { bytes = try ReceiverRecording.reports(of: bytes, file: file) }
    return try Recording(bytes, kind, file: file, numberBase: numberBase)
  }
}

extension ReplaySettings {
  /// From `--config` and `--set`.
  init(file: String?, overrides: [String]) throws {
    let pairs = try overrides.map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw Failure(.usage, "--set \(text): expected KEY=VALUE") }
      return (parts[0], parts[1])
    }
    let bytes =
      try file.map { try FileText.read($0, atMost: ConfigurationFile.limit) }
      ?? Array(#"{"_type":"configuration"}"#.utf8)
    let decoded = ConfigurationFile.decode(bytes, overrides: pairs, purpose: .replay)
    if let problem = decoded.problems.first {
      let isTyped = problem.place == "override" || file == nil
      throw Failure(.usage, "\(isTyped ? "--set" : file ?? ""): \(problem.withoutPlace)")
    }
    for skipped in decoded.skipped { warn("\(file ?? ""): passed over: \(skipped)") }
    self.init(decoded.configuration, waypoints: decoded.waypoints, hostName: Self.boardName)
  }

  private static var boardName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "homeward" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
