import ArgumentParser
import OwnTracks

/// Which part of the history.
struct HistorySpan: ParsableArguments {
  @Option(
    help: ArgumentHelp("Not before, as 2026-05-31, 2026-05-31T14:00:00Z or Unix seconds.", valueName: "time"))
  var from: String?
  @Option(help: ArgumentHelp("Not after.", valueName: "time"))
  var to: String?

  var words: [String] {
    (from.map { ["--from", $0] } ?? []) + (to.map { ["--to", $0] } ?? [])
  }
}

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show or clear the places that were published from here.",
    discussion: """
      Times are in UTC unless they say otherwise.

      Example: homeward history --from 2026-05-31
      """,
    subcommands: [Show.self, Clear.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the published places, the newest at the bottom.",
      discussion: "Example: homeward history --from 2026-05-31 --to 2026-06-01")

    @OptionGroup var span: HistorySpan
    @OptionGroup var options: CommonOptions

    func run() throws {
      let points = try Pages(socket: options.socket).all(["history"] + span.words, "history")
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
