import ArgumentParser
import Glibc
import OwnTracks

struct WipeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wipe", abstract: "Erase all location data on this board.",
    discussion: """
      History, queue, regions, friends and refused messages are overwritten and removed from the
      store's folder. What waits for the broker is lost. The tracker ends, and stays ended until it
      is started again; where it does not run its files are wiped all the same. Old blocks of flash
      memory, the journal and what servers have are not reached: the answer says so.

      Example: sudo homeward wipe
      """)

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false
  @Flag(help: "Throw mode, tag, odometer and what commands have set away, too.")
  var settings = false
  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  /// Overwriting a full queue on a slow card takes its time.
  private static let timeout = 300

  func run() throws {
    if !yes { try confirm() }
    do {
      let daemon = DaemonConnection(path: options.socket, timeout: Self.timeout)
      let answer = try daemon.ask(["wipe"] + (settings ? ["--settings"] : []))
      printAnswer(answer, options) { OutcomeRecord(answer: $0)?.text?.plainText ?? "wiped" }
    } catch let failure as Failure where failure.isAbsent {
      try wipeFiles()
    }
  }

  private func confirm() throws {
    guard isatty(STDIN_FILENO) != 0 else {
      throw Failure(.usage, "wiping cannot be taken back: say --yes, or run it where it can ask")
    }
    let kept = settings ? "and the settings made by commands " : ""
    Terminal.say(
      "Erase history, queue, regions \(kept)for good? What waits is lost. Type yes: ", terminator: "")
    Terminal.flush()
    guard readLine() == "yes" else { throw Failure(.failed, "nothing was wiped") }
  }

  /// No daemon is running: its program is started to do it.
  private func wipeFiles() throws {
    guard let program = DaemonProgram.path else {
      throw Failure(.failed, "homewardd was not found in \(DaemonProgram.places.joined(separator: ", "))")
    }
    let words = [program, settings ? "--wipe-all" : "--wipe", "--config", place.file]
    var arguments = words.map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw Failure(.failed, "\(program) cannot be run: \(lastError())")
  }
}
