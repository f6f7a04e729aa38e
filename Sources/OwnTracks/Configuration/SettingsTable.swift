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
    guard let settings = answer["settings"]?.elements else { return answer }
    let groups = ConfigurationKey.bySubject
    var answer = answer
    answer.set(
      "settings",
      .array(
        settings.map { setting in
          guard let name = setting["name"]?.text else { return setting }
          for group in groups {
            guard let key = group.keys.first(where: { $0.name == name }) else { continue }
            return .object((setting.members ?? []) + members(of: key, in: group.name))
          }
          return setting
        }))
    return answer
  }

  /// The same of one key, without a value.
  public static func description(of key: ConfigurationKey) -> JSON {
    let group = ConfigurationKey.bySubject.first { $0.keys.contains(key) }
    return .object(members(of: key, in: group?.name ?? ""))
  }

  private static func members(of key: ConfigurationKey, in group: String) -> [JSON.Member] {
    var object: JSON = [
      "group": .string(group),
      "default": key.isSecret ? "" : ConfigurationValue.json(key, of: Configuration()),
      "secret": .boolean(key.isSecret), "settable": .boolean(key.isRemote),
    ]
    addType(of: key, to: &object)
    let note = SettingNote(of: key.name)
    object.set("expert", .boolean(note?.isExpert ?? false))
    if let unit = note?.unit, !unit.isEmpty { object.set("unit", .string(unit)) }
    object.set("text", .string(note?.text ?? ""))
    return object.members ?? []
  }

  private static func addType(of key: ConfigurationKey, to object: inout JSON) {
    switch key.value {
    case .flag: object.set("type", "boolean")
    case .number where key == .monitoring:
      object.set("type", "choice")
      object.set(
        "choices", .array(MonitoringMode.allCases.map { choice(.integer(Int64($0.rawValue)), $0.name) }))
    case .number(_, let range, let words):
      // Where words are allowed a field for numbers would not take them.
      object.set("type", words.isEmpty ? "integer" : "text")
      object.set("min", .integer(Int64(range.lowerBound)))
      object.set("max", .integer(Int64(range.upperBound)))
      if !words.isEmpty { object.set("words", .array(words.keys.sorted().map { .string($0) })) }
    case .choice(_, let choices):
      object.set("type", "choice")
      object.set(
        "choices",
        .array(choices.map { choice(.integer(Int64($0.number)), $0.meaning) }))
    case .real(_, let range):
      object.set("type", "number")
      object.set("min", .real(range.lowerBound))
      object.set("max", .real(range.upperBound))
    case .text(_, .oneOf(let words)):
      object.set("type", "choice")
      object.set("choices", .array(words.map { choice(.string($0), $0) }))
    case .text: object.set("type", "text")
    case .list: object.set("type", "list")
    }
  }

  private static func choice(_ value: JSON, _ text: String) -> JSON {
    ["value": value, "text": .string(text)]
  }
}
