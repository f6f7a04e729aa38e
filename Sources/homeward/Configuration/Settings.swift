import ArgumentParser
import Model
import OwnTracks

struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show and change the settings of the running tracker.",
    discussion: """
      What is set here lies over the configuration file, as what a setConfiguration
      command sets, until the file itself says something new. Of the connection it is on
      trial: the old settings come back where the server is not reached within 120 s.

      Example: homeward settings set locatorInterval=60 ping=0
      """,
    subcommands: [Show.self, Set.self, Clear.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show every setting in force, and whether it comes from the file.",
      discussion: """
        Of a secret only whether it is set. monitoring is the mode that is on.

        Example: homeward settings show
        """)

    @OptionGroup var options: CommonOptions

    func run() throws {
      let answer = SettingsTable.described(
        try DaemonConnection(path: options.socket).ask(["settings", "show"]))
      printAnswer(answer, options) { SettingsCommand.text(SettingList(answer: $0) ?? SettingList()) }
    }
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change settings, all of them or none.",
      discussion: """
        A value is text or JSON; null is the key's default. Keys that homeward config keys
        lists as local are set in the file alone. - asks for it, as secrets need:
        password=-

        Example: homeward settings set host=broker.example.net port=8883
        """)

    @Argument(help: ArgumentHelp("A key and its new value.", valueName: "key=value")) var settings: [String]
    @OptionGroup var options: CommonOptions

    func run() throws {
      let words = try settings.map { word in
        guard let equals = word.firstIndex(of: "=") else { return word }
        let (key, value) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
        if value == "null" { return word }
        let typed = try ConfigSet.typed(value, for: key, after: "settings set \(key)=-")
        // The text typed for a secret is taken literally.
        let isSecret = ConfigurationKey.named(key)?.isSecret == true
        return "\(key)=" + (isSecret ? JSON.string(typed).description : typed)
      }
      try perform(["settings", "set"] + words, options)
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Go back to the values in the file, at once.",
      discussion: """
        Also of what commands have changed.

        Example: homeward settings clear
        """)

    @OptionGroup var options: CommonOptions

    func run() throws { try perform(["settings", "clear"], options) }
  }

  /// A line for each key: `*` where the file says it, `!` where it was changed since.
  private static func text(_ answer: SettingList) -> String {
    var table = Table()
    for sent in answer.settings ?? [] {
      guard let setting = SettingRecord(answer: sent) else { continue }
      let mark = ["remote": "!", "file": "*"][setting.from ?? ""] ?? " "
      let isSet = setting.isSet.map { $0 ? "(set)" : "" }
      let unit = SettingDescription(answer: sent)?.unit.map { " " + $0 } ?? ""
      table.add(mark, Readable.text(setting.name), isSet ?? Readable.value(setting.value) + unit)
    }
    var notes = "* in the file, ! changed since"
    if answer.trial == true {
      notes += "\non trial: the old ones come back where no server is reached with these within two minutes"
    }
    if answer.locked == true { notes += "\nlocked: nothing can be changed here" }
    return table.text + "\n" + notes
  }
}
