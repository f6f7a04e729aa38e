import ArgumentParser

/// One line, or what the parser has to teach, on standard error.
func warn(_ text: String) { Terminal.warn(text) }

/// Options of every subcommand.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Print JSON for programs instead of text for people.")
  var json = false

  static let version = "0.1.0"
  static let usualSocket = "/run/homeward/control"

  @Option(help: ArgumentHelp("The daemon's control socket.", valueName: "path"))
  var socket = usualSocket
}
