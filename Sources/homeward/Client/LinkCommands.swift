import ArgumentParser
import OwnTracks

struct ConnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect", abstract: "Connect to the broker now.",
    discussion: """
      Ends what `homeward disconnect` has begun. Where the tracker waits before it tries again, it tries at once.

      Example: homeward connect
      """)

  @OptionGroup var options: CommonOptions

  func run() throws { try perform([DaemonRequest.LinkOrder.connect.rawValue], options) }
}

struct DisconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect", abstract: "Leave the broker and stay away from it.",
    discussion: """
      What is published waits on the board, and goes after `homeward connect` or `homeward reconnect`. A restart of the
      tracker or of the board connects as well: to stay offline for longer, and to queue nothing, set port to 0.

      Example: homeward disconnect
      """)

  @OptionGroup var options: CommonOptions

  func run() throws { try perform([DaemonRequest.LinkOrder.disconnect.rawValue], options) }
}

struct ReconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reconnect", abstract: "Leave the broker and connect anew.",
    discussion: """
      At most every 2 s. What is on its way is sent again. Where there is no connection, one is tried at once.

      Example: homeward reconnect
      """)

  @OptionGroup var options: CommonOptions

  func run() throws { try perform([DaemonRequest.LinkOrder.reconnect.rawValue], options) }
}
