import ArgumentParser
import Glibc
import OwnTracks

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the tracker's state.",
    discussion: """
      The connection's colour: green connected, amber a new attempt is planned, red a
      person has to fix something, blue idle or switched off (port 0).

      Example: homeward status -w
      """)

  @Flag(name: [.customShort("w"), .long], help: "Refresh every second until Ctrl-C.")
  var watch = false
  @OptionGroup var options: CommonOptions

  func run() throws {
    repeat {
      let answer = try DaemonConnection(path: options.socket).ask(["status"])
      if watch, Terminal.isLive, !options.json { Terminal.goToTop() }
      if options.json {
        Terminal.say(answer)
      } else {
        Terminal.show(StatusText(DaemonConnection.status(in: answer), isColoured: Terminal.isColoured).text)
      }
      Terminal.flush()
      if watch { sleep(1) }
    } while watch
  }
}
