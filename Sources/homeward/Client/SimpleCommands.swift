import ArgumentParser
import Glibc
import Model
import OwnTracks

struct PublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish", abstract: "Publish the newest position now, in any mode.",
    discussion: """
      The location carries the trigger "u". Fails until there is a position.

      Example: homeward publish --poi "parked here" --image photo.jpg
      """)

  @Option(help: ArgumentHelp("A remark that this one location carries.", valueName: "text"))
  var poi: String?
  @Option(help: ArgumentHelp("A picture that goes with the remark, 64 kB at most.", valueName: "file"))
  var image: String?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if image != nil, poi == nil { throw ValidationError("--image goes with --poi") }
  }

  func run() throws {
    var words = ["publish"] + (poi.map { ["--poi", $0] } ?? [])
    if let image { words += ["--image", try Picture.read(image), "--imagename", Picture.name(image)] }
    // No two places share a second; a remark that finds none free waits for one.
    for _ in 0..<Self.patience {
      do {
        return try perform(words, options)
      } catch let failure as Failure where failure.text.contains("try again in a second") {
        usleep(1_000_000)
      }
    }
    try perform(words, options)
  }

  /// Seconds.
  private static let patience = 5
}

struct SOSCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sos", abstract: "Call for help, until somebody acknowledges it.",
    discussion: """
      An alarm and a location at once, in any mode and place, and again each minute until it is acknowledged: here, or by
      the command acknowledgeSos.

      Example: homeward sos
               homeward sos --acknowledge
      """)

  @Flag(help: "End it: somebody cares.")
  var acknowledge = false
  @OptionGroup var options: CommonOptions

  func run() throws {
    try perform(["sos"] + (acknowledge ? ["--acknowledge"] : []), options)
  }
}

struct ModeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mode", abstract: "Show or set the monitoring mode.",
    discussion: """
      quiet (-1)        says nothing by itself, not even of regions
      manual (0)        regions, and what you publish yourself
      significant (1)   also 500 m and 5 min after the last location
      move (2)          also every 100 m or 5 min, whichever comes first

      Example: homeward mode move
      """)

  @Argument(help: "quiet, manual, significant, move, or the number.")
  var name: String?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if let name, MonitoringMode(text: name) == nil {
      throw ValidationError("\(name): expected quiet, manual, significant, move, or -1, 0, 1, 2")
    }
  }

  func run() throws {
    guard let name else {
      let status = try DaemonConnection(path: options.socket).status()
      let mode = status.mode?.answer ?? .null
      let label = status.label?.answer ?? mode
      return printAnswer(["ok": true, "mode": mode, "label": label], options) { _ in
        Readable.value(label).plainLine
      }
    }
    try perform(["mode", name], options)
  }
}

struct TagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Put a tag on every location from now on.",
    discussion: """
      Example: homeward tag "Spain 2026"
               homeward tag --clear
      """)

  @Argument(help: "The tag.")
  var text: String?
  @Flag(help: "Take the tag off.")
  var clear = false
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if (text == nil) != clear { throw ValidationError("expected either a text or --clear") }
  }

  func run() throws {
    try perform(["tag", text ?? "--clear"], options)
  }
}

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Make the daemon read its configuration file again.",
    discussion: """
      All or nothing: a file with a mistake changes nothing, and the answer names the mistake.
      Keys that count from the next start alone are named, too.

      Example: homeward reload
      """)

  @OptionGroup var options: CommonOptions

  func run() throws {
    // A note about what is not as the file has it is a line of its own.
    let answer = try DaemonConnection(path: options.socket).ask(["reload"])
    printAnswer(answer, options) { OutcomeRecord(answer: $0)?.text?.plainText ?? "done" }
  }
}

struct ParkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "park", abstract: "Switch the board off until it wakes for a check-in.",
    discussion: """
      As after a long parking: once everything is delivered, or two minutes later. It wakes after parkedWake, which has
      to be set. The ignition keeps it on.

      Example: homeward park
      """)

  @OptionGroup var options: CommonOptions

  func run() throws {
    try perform(["park"], options)
  }
}

struct WithdrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Remove this board from Home Assistant.",
    discussion: """
      For a tracker that is to be removed, which uninstalling does by itself. With the next start all of it is published
      again, unless discovery is off.

      Example: homeward withdraw
      """)

  @OptionGroup var options: CommonOptions

  func run() throws {
    try perform(["withdraw"], options)
  }
}
