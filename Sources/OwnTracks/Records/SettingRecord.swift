/// A key of the configuration in the answer to `settings show`.
public struct SettingRecord: AnswerRecord {
  /// `file`, `remote` (changed by a command or a person since) or `default`.
  public var from: String?
  /// Of the key.
  public var name: String?
  /// Nil: it is a secret.
  public var value: JSON?
  /// Of a secret: there is one.
  public var isSet: Bool?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("from", &from)
    keys("name", &name)
    keys("value", &value)
    keys("isSet", &isSet)
  }
}

/// The answer to `settings show`.
public struct SettingList: AnswerRecord {
  private static let locked = "locked"
  private static let settings = "settings"
  private static let trial = "trial"

  /// The configuration lets nobody at the board change anything.
  public var locked: Bool?
  /// Each a `SettingRecord`, in the order of the table.
  public var settings: [JSON]?
  /// A part of what was changed has still to be proven by the server.
  public var trial: Bool?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys(Self.locked, &locked)
    keys(Self.settings, &settings)
    keys(Self.trial, &trial)
  }

  /// The whole answer, written key by key: a tree of all of them is large. `setting`: of each number below `count`.
  static func text(locked: Bool, trial: Bool, count: Int, _ setting: (Int) -> SettingRecord) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(12_000)
    bytes += "{\"\(Self.locked)\":\(locked),\"\(OutcomeRecord.ok)\":true,\"\(Self.settings)\":[".utf8
    for index in 0..<count {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += setting(index).answer.serialised()
    }
    bytes += "],\"\(Self.trial)\":\(trial)}".utf8
    return bytes
  }

  /// An answer with other settings in the place of its own; what else it says stays as it was sent.
  static func replacing(_ list: [JSON], in answer: JSON) -> JSON {
    var answer = answer
    answer.set(settings, .array(list))
    return answer
  }
}

/// All that there is to know of a key but its value: `SettingsTable` adds it to a `SettingRecord`.
public struct SettingDescription: AnswerRecord {
  /// identity, reporting, connection, rules, page or board.
  public var group: String?
  /// The default.
  public var standard: JSON?
  /// Its value is never told.
  public var secret: Bool?
  /// `settings set` takes it.
  public var settable: Bool?
  /// boolean, integer, number, text, choice or list.
  public var type: String?
  /// Each a `value`, and a `text` where that says more.
  public var choices: [JSON]?
  /// Of a number.
  public var least: JSON?
  /// Of a number.
  public var most: JSON?
  /// Words that may stand in the place of a number.
  public var words: [String]?
  /// Few people need it.
  public var expert: Bool?
  /// Of a number.
  public var unit: String?
  /// One line.
  public var text: String?

  /// Nothing is known.
  public init() {}

  public mutating func keys(_ keys: inout AnswerKeys) {
    keys("group", &group)
    keys("default", &standard)
    keys("secret", &secret)
    keys("settable", &settable)
    keys("type", &type)
    keys("choices", &choices)
    keys("min", &least)
    keys("max", &most)
    keys("words", &words)
    keys("expert", &expert)
    keys("unit", &unit)
    keys("text", &text)
  }
}
