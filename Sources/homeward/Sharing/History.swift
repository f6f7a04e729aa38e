import ArgumentParser
import Model
import OwnTracks

/// Which part of the history.
struct HistorySpan: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Not before: a local time such as 14:00, yesterday or \"2026-05-31 14:00\", one with a zone, or Unix seconds.",
      valueName: "time"))
  var from: String?
  @Option(help: ArgumentHelp("Not after; a day counts whole.", valueName: "time"))
  var to: String?
  @Option(help: ArgumentHelp("Only the newest, such as 24h, 90min or 7d.", valueName: "span"))
  var last: String?

  func validate() throws { _ = try words() }

  /// What the daemon is asked.
  func words(at present: TimeWords = .present) throws -> [String] {
    if let last {
      guard from == nil, to == nil else { throw ValidationError("--last goes without --from and --to") }
      guard let span = TimeWords.span(last) else {
        throw ValidationError("--last is \"\(last)\"; expected \(TimeWords.spanExpectation)")
      }
      return ["--from", DecimalText.plain(present.now - span)]
    }
    return try Self.word("--from", from, present, .beginning) + Self.word("--to", to, present, .end)
  }

  private static func word(
    _ name: String, _ text: String?, _ present: TimeWords, _ edge: TimeWords.Edge
  ) throws -> [String] {
    guard let text else { return [] }
    guard let moment = present.moment(text, edge) else {
      throw ValidationError("\(name) is \"\(text)\"; expected \(TimeWords.expectation)")
    }
    return [name, DecimalText.plain(moment)]
  }
}

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show or clear the places that were published from here.",
    discussion: """
      Times are shown, and read where they name no zone, in the zone of this machine.

      Example: homeward history --last 24h
      """,
    subcommands: [Show.self, Clear.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the published places, the newest at the bottom.",
      discussion: "Example: homeward history --from yesterday --to 14:00")

    @OptionGroup var span: HistorySpan
    @OptionGroup var options: CommonOptions

    func run() throws {
      let points = try Pages(socket: options.socket).all(["history"] + span.words(), "history")
      printAnswer(["ok": true, "history": .array(points)], options) { answer in
        var table = Table()
        for point in answer["history"]?.elements ?? [] { table.add(PointText.row(point)) }
        return table.text.isEmpty ? "Nothing is kept." : table.text
      }
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear", abstract: "Throw the history away.",
      discussion: "What waits for the broker stays. Example: homeward history clear")

    @OptionGroup var options: CommonOptions

    func run() throws { try perform(["history", "clear"], options) }
  }
}

/// A place and when, for people.
enum PointText {
  static func row(_ point: JSON) -> [String] {
    [
      point["tst"]?.double.map(Readable.time) ?? "-", point["t"]?.text ?? " ",
      Readable.value(point["lat"]), Readable.value(point["lon"]),
      point["vel"]?.int.map { "\($0) km/h" } ?? "",
      ["poi", "tag"].compactMap { point[$0]?.text }.joined(separator: ", "),
    ]
  }
}
