import ArgumentParser
import Glibc
import Model
import OwnTracks

/// The command line for people. It decides nothing: it asks the daemon, or reads and writes files.
@main
struct Homeward: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "homeward",
    abstract: "Talk to the tracker on this board.",
    discussion: """
      Where is it, and does the broker hear of it?   homeward status
      Publish now, with a remark:                    homeward publish --poi "lunch"
      Why did it (not) publish?                      homeward why
      Something does not work:                       sudo homeward doctor
      Other settings on yesterday's drive:           homeward replay --help

      Exit status: 0 done; 1 the daemon refused or something failed; 2 usage error
      or a bad file; 69 the daemon cannot be reached; 78 the configuration is wrong.
      """,
    version: CommonOptions.version,
    subcommands: [
      StatusCommand.self, WhereCommand.self, PublishCommand.self, SOSCommand.self, ModeCommand.self,
      TagCommand.self,
      RegionCommand.self,
      BeaconsCommand.self, QueueCommand.self, WhyCommand.self, SetupCommand.self, ConfigCommand.self,
      SettingsCommand.self,
      ReloadCommand.self,
      ConnectCommand.self, DisconnectCommand.self, ReconnectCommand.self, ParkCommand.self,
      WithdrawCommand.self,
      CardCommand.self, ShareCommand.self, FriendsCommand.self, FriendCommand.self, HistoryCommand.self,
      ExportCommand.self,
      ReplayCommand.self, RecordCommand.self, DoctorCommand.self, HealthCommand.self, UpdateCommand.self,
      WipeCommand.self, WebCommand.self, FleetCommand.self, UnbatchCommand.self, EnergyCommand.self,
    ])

  /// The parser's own exit status for wrong words is 64; ours is 2, as everywhere in this program.
  static func main() {
    // A reader that goes away (`homeward replay … | head`) ends us quietly, not with a signal's name.
    signal(SIGPIPE, SIG_DFL)
    let words = Self.negativeNumbersLast(Array(CommandLine.arguments.dropFirst()))
    do {
      var command = try parseAsRoot(words)
      try command.run()
      try Terminal.finish()
    } catch let failure as Failure {
      if words.contains("--json"), words.first != "replay" {
        Terminal.say(.object([.init("ok", false), .init("error", .string(failure.text))]), sortingKeys: true)
      }
      warn(failure.text)
      Glibc.exit(failure.status.rawValue)
    } catch {
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      warn(fullMessage(for: error))
      if let meant = meant(by: words) { warn("Did you mean: \(meant)") }
      Glibc.exit(ExitStatus.usage.rawValue)
    }
  }

  /// `homeward region add` for `region ad`: where a word is no command, but nearly one. The parser guesses options alone.
  static func meant(by words: [String]) -> String? {
    var commands = configuration.subcommands
    var path = "homeward"
    for word in words {
      let names = commands.map { $0.configuration.commandName ?? "" }
      if let index = names.firstIndex(of: word) {
        commands = commands[index].configuration.subcommands
        path += " " + word
        continue
      }
      return UnknownKey.nearest(to: word, among: names).map { path + " " + $0 }
    }
    return nil
  }

  /// `homeward mode -1`: the parser would take a negative number for an option. Behind `--` it does not.
  static func negativeNumbersLast(_ words: [String]) -> [String] {
    guard !words.contains("--") else { return words }
    func isNumber(_ index: Int) -> Bool {
      guard words[index].hasPrefix("-"), DecimalText.number(words[index]) != nil else { return false }
      return index > 0 && !words[index - 1].hasPrefix("-")
    }
    let numbers = words.indices.filter(isNumber)
    guard !numbers.isEmpty else { return words }
    return words.indices.filter { !numbers.contains($0) }.map { words[$0] } + ["--"]
      + numbers.map { words[$0] }
  }
}
