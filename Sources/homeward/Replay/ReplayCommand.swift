import ArgumentParser
import Glibc
import Model
import OwnTracks
import Replay

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Play a recorded day through the daemon's own decisions.",
    discussion: """
      Prints what would have been published, as fast as it can: on a terminal as a table
      with a summary, otherwise as JSON, one object a line. FILE is a timeline
      (.jsonl), what a receiver said (.nmea, .log, .ubx), gpsd's JSON reports (.json,
      as gpspipe -w writes them or in an array) or a GPX track (.gpx); - is a timeline on
      standard input. A receiver's own words go through the gpsd that is installed here,
      as they do live. A GPX point without <hdop> counts as accurate to 10 m. Times without
      a zone are UTC.

      The connection to the broker is up from the start, unless the first line about
      it says "up" later. Recordings other than timelines start with a trusted clock,
      set by their first position.

      Example: homeward replay --set monitoring=2 --set locatorInterval=60 --why drive.nmea
               homeward replay drive.nmea --set monitoring=2 --compare locatorDisplacement=500
      """)

  @Option(help: ArgumentHelp("A configuration; its waypoints are the regions.", valueName: "file"))
  var config: String?
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A setting that wins over the file; may be repeated.", valueName: "key=value"))
  var settings: [String] = []
  @Option(
    help: ArgumentHelp(
      "Set the figures of other settings beside those; may be repeated.", valueName: "key=value"))
  var compare: [String] = []
  @Option(
    help: ArgumentHelp(
      "Begin with the last line of an earlier replay, or what region list --json or region export printed.",
      valueName: "file"))
  var fromState: String?
  @Flag(help: "Also print what was withheld, and why.")
  var why = false
  @Flag(help: "Print the table and the summary, also to a file or another program.")
  var table = false
  @Flag(help: "Print JSON, also on a terminal.")
  var json = false
  @Argument(help: ArgumentHelp("What to play.", valueName: "file"))
  var file: String

  func validate() throws {
    if table, json { throw ValidationError("expected either --table or --json") }
    if why, !compare.isEmpty { throw ValidationError("--why explains one replay, --compare counts several") }
  }

  func run() throws {
    do {
      try compare.isEmpty ? show() : set(besides: compare)
    } catch let error as ReplayError {
      throw Failure(.usage, error.sentence)
    }
  }

  /// True: the reader is a person; false: a program.
  private var isForPeople: Bool { table || (!json && isatty(STDOUT_FILENO) == 1) }

  private func show() throws {
    let settings = try ReplaySettings(file: config, overrides: settings)
    let scene = try Scene(self, isForPeople ? settings.named : settings)
    let bytes = try recorded()
    if isForPeople {
      var table = ReplayTable(explains: why)
      try play(bytes, scene, ReplayOutput(say: { table.take($0, at: $1) }, warn: warn))
      return Terminal.say(table.text)
    }
    try play(bytes, scene, ReplayOutput(explains: why, write: { Terminal.say(json: $0) }, warn: warn))
    if settings.configuration.identity.username.isEmpty {
      warn("username is not set, so nothing was published: add --set username=NAME or --config FILE")
    }
  }

  private func set(besides others: [String]) throws {
    let changes = try [[]] + others.map(ReplayComparison.pairs)
    let scenes = try changes.enumerated().map { index, change in
      try Scene(self, ReplaySettings(file: config, overrides: settings + change, isQuiet: index > 0).named)
    }
    let bytes = try recorded()
    let keys = ReplayComparison.keys(changes)
    var comparison = ReplayComparison()
    for (index, scene) in scenes.enumerated() {
      var figures = ReplayFigures()
      // Faults of the recording are printed once.
      let output = ReplayOutput(say: { figures.note($0, at: $1) }, warn: { if index == 0 { warn($0) } })
      try play(bytes, scene, output)
      let column = ReplayComparison.settings(keys, of: scene.settings.configuration)
      comparison.add(.init(settings: column, figures: figures))
    }
    if isForPeople { Terminal.say(comparison.text) } else { Terminal.say(comparison.json) }
  }

  /// Settings and stored state for a recording.
  private struct Scene {
    var settings: ReplaySettings
    var state: StoredState

    init(_ command: ReplayCommand, _ settings: ReplaySettings) throws {
      self.settings = settings
      state =
        try command.fromState.map { file in
          try settings.state(in: FileText.read(file, atMost: ConfigurationFile.limit), file: file)
        } ?? StoredState()
    }
  }

  /// Of what a receiver said, what gpsd makes of it: once for all replays.
  private func recorded() throws -> [UInt8] {
    let bytes = try FileText.read(file, atMost: FileText.recordingLimit)
    return try kind() == .receiver ? ReceiverRecording.reports(of: bytes, file: file) : bytes
  }

  private func kind() throws -> Recording.Kind {
    let ending = file == "-" ? "jsonl" : Folder.ending(of: file).lowercased()
    guard let kind = Recording.Kind(ending: ending) else {
      throw Failure(.usage, "\(file): unknown kind, expected .jsonl, .nmea, .log, .ubx, .json, .gpx or -")
    }
    return kind
  }

  private func play(_ bytes: [UInt8], _ scene: Scene, _ output: ReplayOutput) throws {
    let settings = scene.settings
    var recording = try Recording(bytes, kind(), file: file, numberBase: settings.numberBase)
    let isUpBefore = recording.isBrokerUpBefore
    var player = Player(settings, file: file, state: scene.state, output: output)
    var warned: Set<String> = []
    while let entry = try recording.next() {
      if let kind = entry.unansweredKind, warned.insert(kind).inserted {
        output.warn(
          "\(file):\(entry.line): lines of the kind \(kind) are skipped: this version ignores them")
      }
      guard try player.play(entry, isUpBefore: isUpBefore) else { break }
    }
    player.finish(isUpBefore: isUpBefore)
    if let remark = recording.remark { output.warn("\(file): \(remark)") }
    if let summary = recording.summary { output.warn("\(file): \(summary)") }
  }
}

extension ReplaySettings {
  /// From `--config` and `--set`. `isQuiet`: what is passed over was told before.
  init(file: String?, overrides: [String], isQuiet: Bool = false) throws {
    let pairs = try overrides.map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw Failure(.usage, "--set \(text): expected KEY=VALUE") }
      return (parts[0], parts[1])
    }
    let bytes =
      try file.map { try FileText.read($0, atMost: ConfigurationFile.limit) }
      ?? Array(#"{"_type":"configuration"}"#.utf8)
    let decoded = ConfigurationFile.decode(
      bytes, overrides: pairs, purpose: .replay, written: file.flatMap { FileText.lastChange(of: $0) })
    if let problem = decoded.problems.first {
      let isTyped = problem.place == "override" || file == nil
      throw Failure(.usage, "\(isTyped ? "--set" : file ?? ""): \(problem.withoutPlace)")
    }
    for skipped in decoded.skipped where !isQuiet { warn("\(file ?? ""): skipped: \(skipped)") }
    self.init(decoded.configuration, waypoints: decoded.waypoints, hostName: Self.boardName)
  }

  private static var boardName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "homeward" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
