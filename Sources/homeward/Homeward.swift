import ArgumentParser
import Foundation

/// The command line for people. It decides nothing: it asks the daemon, or reads and writes files.
@main
struct Homeward: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "homeward",
    abstract: "Talk to the tracker on this board.",
    discussion: """
      Where is it, and does the broker hear of it?     homeward status
      Publish a position now, with a remark:           homeward publish --poi "parked here"
      Why did it (not) publish?                        homeward why
      Something does not work:                         homeward doctor
      Try other settings on yesterday's drive:         homeward replay --set ping=5 drive.jsonl

      Exit status: 0 done; 1 the daemon refused or something failed; 2 wrong words or a bad file;
      69 the daemon cannot be reached; 78 the configuration is wrong.
      """,
    version: "0.1.0",
    subcommands: [
      StatusCommand.self, PublishCommand.self, ModeCommand.self, TagCommand.self, RegionCommand.self,
      QueueCommand.self, WhyCommand.self, ConfigCommand.self, ReloadCommand.self, ReplayCommand.self,
      DoctorCommand.self,
    ])

  /// The parser's own exit status for wrong words is 64; ours is 2, as everywhere in this program.
  static func main() {
    // A reader that goes away (`homeward replay … | head`) ends us quietly, not with a signal's name.
    signal(SIGPIPE, SIG_DFL)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      complain(failure.text)
      Foundation.exit(failure.status.rawValue)
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      complain(fullMessage(for: error))
      Foundation.exit(ExitStatus.usage.rawValue)
    }
  }
}

/// What a script finds in `$?`.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  /// EX_UNAVAILABLE.
  case unreachable = 69
  /// EX_CONFIG.
  case configuration = 78
}

/// The end of a command, in plain words for standard error.
struct Failure: Error {
  var status: ExitStatus
  var text: String

  init(_ status: ExitStatus, _ text: String) {
    self.status = status
    self.text = text
  }
}

/// One line, or what the parser has to teach, on standard error.
func complain(_ text: String) {
  FileHandle.standardError.write(Data((text + "\n").utf8))
}

/// What every subcommand understands.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Print JSON for programs instead of text for people.")
  var json = false

  @Option(help: ArgumentHelp("The daemon's control socket.", valueName: "path"))
  var socket = "/run/homeward/control"
}
