import ArgumentParser
import OwnTracks

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Say why the last things were, or were not, published.",
    discussion: """
      The last hundred reasons, the newest at the bottom. A plus stands before what was
      published; the same reason for silence again only counts up.

      Example: homeward why
      """)

  @OptionGroup var options: CommonOptions

  func run() throws {
    let answer = try DaemonConnection(path: options.socket).ask(["why"])
    printAnswer(answer, options, Self.text)
  }

  static func text(_ answer: JSON) -> String {
    let reasons = answer["reasons"]?.elements ?? []
    guard !reasons.isEmpty else { return "Nothing has happened yet." }
    var table = Table()
    for reason in reasons {
      let count = reason["count"]?.int ?? 1
      table.add(
        reason["time"]?.double.map(Readable.time) ?? "(no clock yet)",
        reason["published"]?.flag == true ? "+" : " ",
        Readable.value(reason["text"] ?? reason["word"]) + (count > 1 ? "  (\(count) times)" : ""))
    }
    return table.text
  }
}
