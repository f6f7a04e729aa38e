import ArgumentParser
import OwnTracks

struct FleetStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List the boards of a fleet: who is there, and how they are.",
    discussion: """
      Reads what the broker keeps on .../status of each board, with mosquitto_sub: what follows
      -- are its options, such as -h and --cafile. A board is overdue when the interval that it
      has told of itself (statusInterval) is over, with a quarter more and ten seconds. Exit
      status 1 where a board is overdue or has vanished, or somebody calls for help there (SOS);
      2 where no line of a file could be read.

      From a broker that keeps nothing for wildcards, or from a database, it takes --from: a
      line of JSON for each board, with topic and the message's own keys, or the message in
      payload.

      Example: homeward fleet status -- -h broker.example.org -p 8883 --cafile ca.pem
               homeward fleet status out --from lines.json
      """)

  @Argument(help: "The fleet's folder: boards that were never heard are listed, too.") var out: String?
  @Option(help: ArgumentHelp("Lines of JSON in place of a broker; - is standard input.", valueName: "file"))
  var from: String?
  @Option(help: ArgumentHelp("What to subscribe to.", valueName: "filter")) var topic = "owntracks/+/+/status"
  @Option(help: ArgumentHelp("Seconds that the broker is listened to.", valueName: "number")) var wait = 5
  @Flag(help: "Print JSON for programs instead of text for people.") var json = false
  @Argument(parsing: .postTerminator, help: "Options for mosquitto_sub.") var options: [String] = []

  func validate() throws {
    guard (1...3600).contains(wait) else { throw ValidationError("--wait: from 1 to 3600 seconds") }
    guard from == nil || options.isEmpty else {
      throw ValidationError("--from: a file, or options for a broker after --, not both")
    }
  }

  func run() throws {
    let known = try out.map { try FleetFolder($0).kept.map(\.board.topics.base) } ?? []
    let source = from.map { $0 == "-" ? "standard input" : $0 } ?? "the broker"
    let bytes = try from.map { try FileText.read($0, atMost: Self.limit) } ?? heard()
    let (words, isLegible) = Self.words(in: bytes, of: source)
    // Boards that nobody could read are not boards that were never heard.
    guard isLegible else {
      throw Failure(
        from == nil ? .failed : .usage,
        "\(source): no line could be read, expected lines of JSON, each \(Self.line)")
    }
    let now = Int(TimeWords.present.now)
    let boards = FleetStanding.all(words, known: known, at: now)
    let isWell = boards.allSatisfy { !$0.state.isMissing && !$0.callsForHelp }
    if json {
      Terminal.say([
        "ok": .boolean(isWell), "tst": .integer(Int64(now)), "boards": .array(boards.map(\.answer)),
      ])
    } else {
      var table = Table()
      table.add(FleetStanding.titles)
      for board in boards { table.add(board.row) }
      if !boards.isEmpty { Terminal.say(table.text) }
      Terminal.say(FleetStanding.summary(boards))
    }
    guard isWell else { throw ExitCode(ExitStatus.failed.rawValue) }
  }

  private static let line = "an object with topic and a board's status"

  /// A line that is no status is named and left out: one board's is not to hide the others. `isLegible`: not all of them
  /// are such lines.
  static func words(in bytes: [UInt8], of source: String) -> (words: [FleetWord], isLegible: Bool) {
    var words: [FleetWord] = []
    var (read, unread) = (0, 0)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated()
    where !line.allSatisfy({ $0 <= 32 }) {
      do {
        if let word = try FleetWord(line: Array(line)) { words.append(word) }
        read += 1
      } catch {
        warn("\(source): line \(index + 1): \(error.text.plainLine), expected \(Self.line)")
        unread += 1
      }
    }
    return (words, read > 0 || unread == 0)
  }

  /// Bytes. Two kilobytes a board.
  private static let limit = 256 << 20

  private func heard() throws -> [UInt8] {
    let words = ["-t", topic, "-W", "\(wait)", "--retained-only", "-F", "%J"]
    let program = OtherProgram(name: "mosquitto_sub", package: "mosquitto-clients")
    let started = try program.start(options + words, joinsErrors: false)
    let ended = OtherProgram.end(started, atMost: Self.limit)
    // 27: the time is over, as it always is.
    guard ended.status == 0 || ended.status == 27 else {
      throw Failure(
        .unreachable,
        "mosquitto_sub ended with status \(ended.status): its own words say why, its options follow --")
    }
    return ended.output
  }
}
