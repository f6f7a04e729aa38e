import Model

/// All that there is to know of a key but its value: made of the table of keys that the manual is held by. The daemon
/// does not say it; the command line and the page add it to what the daemon says.
public enum SettingsTable {
  /// The answer to `settings show` with the members below in each of its `settings`. What the table does not know (a
  /// newer daemon's) stays as it is, and so does an answer that says that there is none.
  ///
  /// `group`: identity, reporting, connection, rules, page or board. `type`: boolean, integer, number, text, choice or
  /// list. `unit`, `min`, `max` and `choices` (each a `value`, and a `text` where that says more) where there are any.
  /// `default`, `secret`, `expert`; `settable`: whether `settings set` takes it; `text`: one line.
  public static func described(_ answer: JSON) -> JSON {
    guard let settings = SettingList(answer: answer)?.settings else { return answer }
    let groups = ConfigurationKey.bySubject
    let described = settings.map { setting in
      guard let name = SettingRecord(answer: setting)?.name else { return setting }
      for group in groups {
        guard let key = group.keys.first(where: { $0.name == name }) else { continue }
        return .object((setting.members ?? []) + (description(of: key, in: group.name).members ?? []))
      }
      return setting
    }
    return SettingList.replacing(described, in: answer)
  }

  /// The same of one key, without a value.
  public static func description(of key: ConfigurationKey) -> JSON {
    let group = ConfigurationKey.bySubject.first { $0.keys.contains(key) }
    return description(of: key, in: group?.name ?? "")
  }

  private static func description(of key: ConfigurationKey, in group: String) -> JSON {
    var record = SettingDescription()
    (record.group, record.secret, record.settable) = (group, key.isSecret, key.isRemote)
    record.standard = key.isSecret ? "" : ConfigurationValue.json(key, of: Configuration())
    addType(of: key, to: &record)
    let note = SettingNote(of: key.name)
    (record.expert, record.text) = (note?.isExpert ?? false, note?.text ?? "")
    if let unit = note?.unit, !unit.isEmpty { record.unit = unit }
    return record.answer
  }

  private static func addType(of key: ConfigurationKey, to record: inout SettingDescription) {
    switch key.value {
    case .flag: record.type = "boolean"
    case .number where key == .monitoring:
      record.type = "choice"
      record.choices = MonitoringMode.allCases.map { choice(.integer(Int64($0.rawValue)), $0.name) }
    case .number(_, let range, let words):
      // Where words are allowed a field for numbers would not take them.
      record.type = words.isEmpty ? "integer" : "text"
      (record.least, record.most) = (range.lowerBound.answer, range.upperBound.answer)
      if !words.isEmpty { record.words = words.keys.sorted() }
    case .choice(_, let choices):
      record.type = "choice"
      record.choices = choices.map { choice(.integer(Int64($0.number)), $0.meaning) }
    case .real(_, let range):
      record.type = "number"
      (record.least, record.most) = (range.lowerBound.answer, range.upperBound.answer)
    case .text(_, .oneOf(let words)):
      record.type = "choice"
      record.choices = words.map { choice(.string($0), $0) }
    case .text: record.type = "text"
    case .list: record.type = "list"
    }
  }

  private static func choice(_ value: JSON, _ text: String) -> JSON {
    ["value": value, "text": .string(text)]
  }
}
