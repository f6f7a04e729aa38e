import ArgumentParser
import OwnTracks

struct ConfigRemote: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Show what remote commands have changed, or take it back.",
    discussion: """
      setConfiguration commands leave the file alone: what they change lies over it,
      each key until the file itself says something new. Secrets are hidden.

      Example: homeward config remote
               homeward config remote --clear
      """)

  @Flag(help: "Go back to the values in the file, at once.") var clear = false
  @OptionGroup var options: CommonOptions

  func run() throws {
    if clear { return try perform(["settings", "clear"], options) }
    var remote = StatusRecord.Remote()
    (remote.settings, remote.trial) = (.object([]), false)
    remote = try DaemonConnection(path: options.socket).status().remote ?? remote
    printAnswer(["ok": true, "remote": remote.answer], options) { _ in Self.text(remote) }
  }

  private static func text(_ remote: StatusRecord.Remote) -> String {
    let settings = remote.settings?.members ?? []
    guard !settings.isEmpty else { return "nothing: all is as in the file" }
    var table = Table()
    for setting in settings { table.add(setting.key, Readable.value(setting.value)) }
    let trial = "\non trial: the old ones come back where no server is reached with these within two minutes"
    return table.text + (remote.trial == true ? trial : "")
  }
}
