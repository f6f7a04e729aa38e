import ArgumentParser
import OwnTracks

struct QueueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Show or empty the queue of what the broker has not confirmed.",
    discussion: """
      What was refused for good has left it: see refused.jsonl in the state directory.

      Example: homeward queue
               homeward queue clear
               homeward queue resend
      """,
    subcommands: [Show.self, Clear.self, Resend.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the queued messages.", discussion: "Example: homeward queue")

    @OptionGroup var options: CommonOptions

    func run() throws {
      let answer = try DaemonConnection(path: options.socket).ask(["queue"])
      let queue = DaemonConnection.status(in: answer).queue ?? .init()
      printAnswer(["ok": true, "queue": queue.answer], options) { _ in QueueText.text(queue) }
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear",
      abstract: "Discard all queued messages that are not in flight. This cannot be undone.",
      discussion: "At a terminal it asks first. Example: homeward queue clear")

    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
    @OptionGroup var options: CommonOptions

    func run() throws {
      try Terminal.confirm("Discard all messages that wait for the broker?", isAnswered: yes)
      try perform(["queue", "clear"], options)
    }
  }

  struct Resend: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resend",
      abstract: "Send again what was refused for good, once its cause is gone.",
      discussion: """
        Every message of refused.jsonl goes into the queue once more, in the order in which they were refused, and
        leaves that file. Lines that hold no message stay there.

        Example: homeward queue resend
        """)

    @OptionGroup var options: CommonOptions

    func run() throws {
      try perform(["queue", "resend"], options)
    }
  }
}
