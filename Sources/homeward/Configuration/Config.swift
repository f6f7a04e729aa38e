import ArgumentParser
import Glibc
import Model
import OwnTracks

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, show and change the configuration file.",
    discussion: """
      The file has the form of the OwnTracks apps' own export (.otrc), with keys for
      the board beside theirs. The daemon reads it at its start and on: homeward reload

      Example: homeward config set locatorInterval 60 && homeward reload
      """,
    subcommands: [Check.self, Show.self, ConfigSet.self, Keys.self, ConfigImport.self, ConfigRemote.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Name everything that is wrong with a file.",
      discussion: """
        Exit status 0 where the daemon would take it, 78 where it would not, or where
        certificates that it names are not there.

        Example: homeward config check /etc/homeward/homeward.otrc
        """)

    @Argument(help: "The file.") var file = ConfigurationText.usualPath
    @OptionGroup var options: CommonOptions

    func run() throws {
      let text = try ConfigurationText(file)
      let notes = text.decoded.remarks + text.nameNotes
      let problems = text.problemLines
      if options.json {
        let answer: JSON = [
          "ok": .boolean(problems.isEmpty),
          "problems": .array((text.decoded.problems + text.missingFiles).map(\.json)),
          "permissions": text.permissionProblem.map { .string($0) } ?? .null,
          "notes": .array(notes.map { .string($0) }),
          "unknown": .array(text.decoded.unknown.map { .string($0.name) }),
          "ignored": .array(text.decoded.ignored.map { .string($0) }),
        ]
        Terminal.say(answer)
      } else {
        for line in problems { Terminal.say(line) }
        for note in notes { Terminal.say("\(file): note: \(note)") }
        let ignored = text.decoded.ignored.joined(separator: ", ")
        if !ignored.isEmpty {
          Terminal.say("\(file): note: ignored, keys of the phone apps: \(ignored.plainLine)")
        }
        if problems.isEmpty { Terminal.say("\(file): good\(text.regionWords)") }
      }
      guard problems.isEmpty else { throw ExitCode(ExitStatus.configuration.rawValue) }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show every key with its value; secrets are hidden.",
      discussion: """
        An asterisk marks what the file itself says; the rest are defaults.

        Example: homeward config show
        """)

    @OptionGroup var place: ConfigurationPlace
    @OptionGroup var options: CommonOptions

    func run() throws {
      let text = try ConfigurationText(place.file)
      for line in text.problemLines { warn(line) }
      let shown = ConfigurationFile.json(text.decoded.configuration, redacting: true)
      guard !options.json else { return Terminal.say(shown, sortingKeys: true) }
      var table = Table()
      for key in ConfigurationKey.all {
        table.add(
          text.decoded.raw[key.name] == nil ? " " : "*", key.name, Readable.value(shown[key.name] ?? ""))
      }
      Terminal.say(table.text)
    }
  }

  struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List every key with what it takes and its default.",
      discussion: """
        "remote" keys can be set by a setConfiguration command and by imported files;
        "local" ones only here (tls, allowinvalidcerts and encryptionKey by imported
        files as well).

        Example: homeward config keys
        """)

    @OptionGroup var options: CommonOptions

    func run() throws {
      guard !options.json else {
        return Terminal.say(.array(ConfigurationKey.all.map(\.json)), sortingKeys: true)
      }
      var table = Table()
      table.add("key", "takes", "default", "set from")
      for key in ConfigurationKey.all {
        table.add(key.name, key.range, Readable.value(key.standard), key.isRemote ? "remote" : "local")
      }
      Terminal.say(table.text)
    }
  }
}

/// Which file.
struct ConfigurationPlace: ParsableArguments {
  @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
  var file = ConfigurationText.usualPath
}

extension ConfigurationFile.Problem {
  /// For values that a person has just typed.
  var withoutPlace: String {
    place == "override"
      ? (key + (value.isEmpty ? "" : " is \(value)") + ", expected \(expected)").plainLine : description
  }

  var json: JSON {
    ["key": .string(key), "place": .string(place), "value": .string(value), "expected": .string(expected)]
  }
}

extension ConfigurationKey {
  /// Its accepted values, in a few words.
  var range: String {
    switch value {
    case .flag: "true, false"
    case .number(_, let range, let words):
      (["\(range.lowerBound)...\(range.upperBound)"] + words.keys.sorted()).joined(separator: ", ")
    case .choice(_, let choices): choices.map { "\($0.number)" }.joined(separator: ", ")
    case .real(_, let range): "\(range.lowerBound)...\(range.upperBound)"
    case .text(_, let rule): rule.words
    case .list(_, let rule): "list of " + rule.words
    }
  }

  var standard: JSON {
    let usual = Configuration()
    return switch value {
    case .flag(let path): .boolean(usual[keyPath: path])
    case .number(let path, _, let words):
      words.first { $0.value == usual[keyPath: path] }.map { .string($0.key) }
        ?? .integer(Int64(usual[keyPath: path]))
    case .choice(let path, _): .integer(Int64(usual[keyPath: path]))
    case .real(let path, _): .real(usual[keyPath: path])
    case .text(let path, _): .string(usual[keyPath: path])
    // All of them are empty.
    case .list: []
    }
  }

  var json: JSON {
    var object: JSON = [
      "key": .string(name), "takes": .string(range), "default": standard, "remote": .boolean(isRemote),
      "secret": .boolean(isSecret), "reconnects": .boolean(isConnection),
      "restarts": .boolean(isFixed),
    ]
    for member in SettingsTable.description(of: self).members ?? [] where object[member.key] == nil {
      object.set(member.key, member.value)
    }
    return object
  }
}

extension ConfigurationKey.TextRule {
  fileprivate var words: String {
    switch self {
    case .any: "text"
    case .url: "an address such as https://host/path"
    case .placeURL: "an address with {lat} and {lon}, or nothing"
    case .tileURL: "an address with {z}, {x} and {y}, or nothing"
    case .headers: "lines of name:value"
    case .bytes(let limit): "text of at most \(limit) bytes"
    case .topicLevel(let limit): "text without / + #, at most \(limit) bytes"
    case .topic: "topic without + #"
    case .filters: "topic filters"
    case .trackerID: "0 to 2 letters or digits"
    case .oneOf(let words): words.joined(separator: ", ")
    case .path: "absolute path"
    case .batterySource: "auto, max17040, ina219, file:/..., command:/..."
    case .voltageSource: "ina219, file:/..., command:/..., or nothing"
    case .powerInput: "supply:NAME, gpio:CHIP:LINE, or nothing"
    case .voltages: "pairs of volts:percent"
    case .bluetoothAddress: "an address such as B8:27:EB:12:34:56, or nothing"
    case .networkMode: "SSID|IN|OUT"
    case .timeMode: "HH:MM-HH:MM|IN|OUT"
    case .period: "HH:MM-HH:MM"
    case .batteryStep: "STEP|LIMIT, such as beacons|30%"
    }
  }
}
