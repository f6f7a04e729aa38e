import Model

/// `settings show|set|clear`. Only a line of it can be wrong in a way that depends on the settings in force.
public enum SettingsWords {
  private static let usage = "settings show, settings set KEY=VALUE ... or settings clear"

  /// Nothing is taken where one word is wrong: the error names the key, the mistake and the expected value, but no
  /// secret.
  static func parse(
    _ words: ArraySlice<String>, over configuration: Configuration
  ) throws(ControlError) -> Request {
    let rest = words.dropFirst()
    switch words.first {
    case "show": return .daemon(try rest.standingFor(.settings, usage))
    case "set": return .tracker(.settingsSet(try change(rest, over: configuration)))
    case "clear": return .tracker(try rest.standingFor(.settingsClear, "settings clear"))
    default: throw ControlError("settings: expected: \(usage)")
    }
  }

  private static func change(
    _ words: ArraySlice<String>, over old: Configuration
  ) throws(ControlError) -> SettingsChange {
    guard !words.isEmpty else { throw ControlError("too few words; expected: settings set KEY=VALUE ...") }
    var (change, new) = (SettingsChange(), old)
    var problems = Problems()
    var seen: [ConfigurationKey] = []
    for word in words {
      guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
        // It may be a secret whose key was forgotten.
        throw ControlError("not changed: a word without =; expected: settings set KEY=VALUE ...")
      }
      let name = String(word[..<equals])
      guard let key = ConfigurationFile.key(name) else {
        problems.append(ConfigurationFile.unknownKey(name, "").description)
        continue
      }
      guard !seen.contains(key) else {
        problems.append("\(key.name) is there twice, expected each key once")
        continue
      }
      seen.append(key)
      if let problem = take(key, String(word[word.index(after: equals)...]), into: &change, &new) {
        problems.append(problem)
      }
    }
    if problems.isEmpty { SettingsMessage.drop(&change, of: new, over: old, &problems, place: "") }
    guard problems.isEmpty else {
      throw ControlError("not changed: " + problems.lines.joined(separator: "; "))
    }
    return change
  }

  private static func take(
    _ key: ConfigurationKey, _ text: String, into change: inout SettingsChange, _ new: inout Configuration
  ) -> String? {
    guard key.isRemote else {
      let then = key.isFixed ? "sudo systemctl restart homeward" : "homeward reload"
      return "\(key.name) is set in the file alone: homeward config set \(key.name) VALUE, then \(then)"
    }
    return SettingsMessage.take(key, value(text, of: key), into: &change, &new, place: "")
  }

  /// Programs write JSON, people what they mean: only null, an array and a text in quotation marks are taken for JSON
  /// where a text would do as well.
  private static func value(_ text: String, of key: ConfigurationKey) -> JSON {
    if text == "null" { return .null }
    if text.first == "\"" || text.first == "[", let json = try? JSON.parse(Array(text.utf8)),
      json.text != nil || key.isList
    {
      return json
    }
    return TypedValue.json(text, for: key)
  }

  // MARK: The answer

  /// To `show`: each key in the order of the table with its `value`, or for a secret `isSet`, and `from`: `file`,
  /// `remote` (changed by a command or a person since) or `default`. What else there is to know of a key is
  /// `SettingsTable`. `standard`: the defaults, the board's own name among them. `mode` is the one that is on, however
  /// it came to be.
  public static func answer(
    _ configuration: Configuration, standard: Configuration, changed: RemoteSettings, mode: MonitoringMode?,
    isOnTrial: Bool
  ) -> [UInt8] {
    var shown = configuration
    if let mode { shown.reports.monitoring = mode }
    let names = changed.settings.map(\.name)
    let all = ConfigurationKey.all
    let locked = configuration.commands.locked
    return SettingList.text(locked: locked, trial: isOnTrial, count: all.count) { index in
      let key = all[index]
      let isChanged = names.contains(key.name) || key.value(in: shown) != key.value(in: configuration)
      let isStandard = key.value(in: shown) == key.value(in: standard)
      var setting = SettingRecord()
      setting.name = key.name
      setting.from = isChanged ? "remote" : isStandard ? "default" : "file"
      let value = ConfigurationValue.json(key, of: shown)
      if key.isSecret { setting.isSet = value != "" } else { setting.value = value }
      return setting
    }
  }
}

extension ConfigurationKey {
  fileprivate var isList: Bool {
    if case .list = value { true } else { false }
  }
}
