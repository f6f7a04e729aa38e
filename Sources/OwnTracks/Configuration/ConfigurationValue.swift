import Model

/// The values that the keys of a configuration accept: the one place where a JSON value becomes a setting.
enum ConfigurationValue {
  /// `true`, `false`, 0, 1 and the same as text.
  static func flag(_ value: JSON) -> Bool? {
    if let flag = value.flag { return flag }
    switch value.text ?? value.int.map({ String($0) }) {
    case "true", "1": return true
    case "false", "0": return false
    default: return nil
    }
  }

  /// A whole number, also as text: some exporters quote theirs.
  static func number(_ value: JSON) -> Int? {
    value.int ?? value.text.flatMap { DecimalText.whole($0) }
  }

  static func real(_ value: JSON) -> Double? {
    value.double ?? value.text.flatMap { DecimalText.number($0) }
  }

  /// Sets the key, if the value is one for it. Null is the default.
  static func apply(_ value: JSON, _ key: ConfigurationKey, to configuration: inout Configuration) -> Bool {
    let standard = Configuration()
    switch key.value {
    case .flag(let path):
      guard let flag = value.isNull ? standard[keyPath: path] : flag(value) else { return false }
      configuration[keyPath: path] = flag
    case .number(let path, let range, let words):
      if let word = value.isNull ? standard[keyPath: path] : value.text.flatMap({ words[$0] }) {
        configuration[keyPath: path] = word
        return true
      }
      guard let number = number(value), range.contains(number) else { return false }
      configuration[keyPath: path] = number
    case .choice(let path, let choices):
      guard let number = value.isNull ? standard[keyPath: path] : number(value),
        choices.contains(where: { $0.number == number })
      else { return false }
      configuration[keyPath: path] = number
    case .real(let path, let range):
      guard let number = value.isNull ? standard[keyPath: path] : real(value), range.contains(number) else {
        return false
      }
      configuration[keyPath: path] = number
    case .text(let path, let rule):
      guard let text = value.isNull ? standard[keyPath: path] : value.text, allows(text, rule) else {
        return false
      }
      configuration[keyPath: path] = text
    case .list(let path, let rule):
      guard let entries = entries(value), offender(among: entries, rule) == Optional.none else {
        return false
      }
      configuration[keyPath: path] = entries.compactMap(\.text).joined(separator: "\n")
    }
    return true
  }

  /// The wrong part of a value that was not taken: of a list the one entry, otherwise the whole.
  static func offender(_ value: JSON, _ key: ConfigurationKey) -> JSON {
    guard case .list(_, let rule) = key.value, let entries = entries(value) else { return value }
    return offender(among: entries, rule) ?? value
  }

  private static func offender(among entries: [JSON], _ rule: ConfigurationKey.TextRule) -> JSON? {
    if let bad = entries.first(where: { !($0.text.map { allows($0, rule) } ?? false) }) { return bad }
    // A bare nil would be the JSON of that name.
    return entries.count > ModeRule.limit ? entries[ModeRule.limit] : Optional.none
  }

  /// An array; or one text, with the two characters `\n` or an end of line between two entries. Null is none.
  private static func entries(_ value: JSON) -> [JSON]? {
    if value.isNull { return [] }
    guard let text = value.text else { return value.elements }
    var (entries, entry, isEscaped) = ([JSON](), "", false)
    func end() {
      if !entry.isEmpty { entries.append(.string(entry)) }
      entry = ""
    }
    for character in text {
      switch (isEscaped, character) {
      case (true, "n"):
        entry.removeLast()
        end()
      case (_, "\n"), (_, "\r\n"): end()
      default: entry.append(character)
      }
      isEscaped = !isEscaped && character == "\\"
    }
    end()
    return entries
  }

  /// The setting as a file would hold it.
  static func json(_ key: ConfigurationKey, of configuration: Configuration) -> JSON {
    switch key.value {
    case .flag(let path): .boolean(configuration[keyPath: path])
    case .number(let path, _, let words):
      words.first { $0.value == configuration[keyPath: path] }.map { .string($0.key) }
        ?? .integer(Int64(configuration[keyPath: path]))
    case .choice(let path, _): .integer(Int64(configuration[keyPath: path]))
    case .real(let path, _): .real(configuration[keyPath: path])
    case .text(let path, _): .string(configuration[keyPath: path])
    case .list(let path, _):
      .array(configuration[keyPath: path].split(separator: "\n").map { .string(String($0)) })
    }
  }

  /// The expected value, for people.
  static func expectation(_ key: ConfigurationKey) -> String {
    switch key.value {
    case .flag: return "true or false"
    case .real(_, let range): return "a number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(_, let choices):
      return choices.map { "\($0.number) (\($0.meaning))" }.joined(separator: " or ")
    case .number(_, let range, let words):
      let text = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      return words.isEmpty
        ? text : text + ", or " + words.keys.sorted().map { "\"\($0)\"" }.joined(separator: " or ")
    case .text(_, let rule): return expectation(rule)
    case .list(_, let rule): return "a list of at most \(ModeRule.limit), each " + expectation(rule)
    }
  }

  private static func expectation(_ rule: ConfigurationKey.TextRule) -> String {
    switch rule {
    case .any: "a text"
    case .url: "an address such as https://host/path"
    case .placeURL: "an address such as https://host/path?lat={lat}&lon={lon}, or nothing"
    case .tileURL:
      "an address such as https://host/{z}/{x}/{y}.png, without a user and other {...}, or nothing"
    case .headers: #"name:value, with the two characters \n between two of them"#
    case .bytes(let limit): "a text of at most \(limit) bytes"
    case .topicLevel(let limit): "a text of at most \(limit) bytes without /, + and #, all of it printable"
    case .topic: "a topic of at most 200 bytes without + and #, all of it printable"
    case .filters:
      "printable topic filters separated by blanks, + and # only as whole levels, # only at the end"
    case .trackerID: "at most two letters or digits"
    case .oneOf(let words): "one of " + words.joined(separator: ", ")
    case .path: "a path that begins with /"
    case .batterySource:
      "auto, max17040:BUS:ADDRESS, ina219:BUS:ADDRESS, file:/PATH or command:/PATH ARGUMENTS"
    case .voltageSource:
      "ina219, ina219:BUS or ina219:BUS:ADDRESS, file:/a/path or command:/a/path with its arguments; or nothing"
    case .powerInput: "supply:NAME, gpio:CHIP:LINE or gpio:CHIP:LINE:low; or nothing"
    case .voltages: "pairs of volts and percent, both growing, such as 3.3:0 3.7:50 4.2:100"
    case .bluetoothAddress: "a Bluetooth address such as B8:27:EB:12:34:56, or nothing"
    case .networkMode:
      "SSID|IN|OUT, the name of a network (1 to 32 bytes) and two modes, -1, 0, 1, 2 or nothing, such as Home|0|1"
    case .timeMode:
      "HH:MM-HH:MM|IN|OUT, two different times and two modes, -1, 0, 1, 2 or nothing, such as 22:00-06:00|0|1"
    case .period: "HH:MM-HH:MM, two different times, such as 22:00-06:00"
    case .batteryStep:
      "STEP|LIMIT, receiver, beacons, checkins or off and 1% to 100% or 1V to 60V, such as beacons|30% or off|11.6V"
    }
  }

  /// NUL is never allowed: C libraries would take the text for shorter than it is.
  static func allows(_ text: String, _ rule: ConfigurationKey.TextRule) -> Bool {
    guard !text.utf8.contains(0) else { return false }
    return switch rule {
    case .any: true
    case .url: text.utf8.count <= HTTPAddress.limit
    case .placeURL:
      text.isEmpty || (HTTPAddress(text) != nil && has("{lat}", in: text) && has("{lon}", in: text))
    case .tileURL: text.isEmpty || TileAddress.isOne(text)
    case .headers: HTTPHeaders(text) != nil
    case .bytes(let limit): text.utf8.count <= limit
    case .topicLevel(let limit):
      text.utf8.count <= limit && isForATopic(text) && !text.utf8.contains(where: isWildcardOrSlash)
    case .topic:
      text.utf8.count <= 200 && isForATopic(text) && !text.utf8.contains { $0 == plus || $0 == hash }
    case .filters: text.split { $0.isWhitespace }.allSatisfy { isFilter($0) }
    case .trackerID:
      text.unicodeScalars.count <= 2 && text.allSatisfy { $0.isLetter || $0.isNumber }
    case .oneOf(let words): words.contains(text)
    case .batterySource: BatterySource(text) != nil
    case .voltageSource: text.isEmpty || VoltageSource(text) != nil
    case .powerInput: text.isEmpty || PowerFailSource(text) != nil
    case .voltages: VoltageTable(text) != nil
    case .path: text.isEmpty || text.utf8.first == UInt8(ascii: "/")
    case .bluetoothAddress: text.isEmpty || isBluetoothAddress(text)
    case .networkMode: NetworkModes.rule(text) != nil
    case .timeMode: TimeModes.Daily(text) != nil
    case .period: DailyPeriod(text) != nil
    case .batteryStep: BatteryLimits.Limit(text) != nil
    }
  }

  private static func has(_ part: String, in text: String) -> Bool {
    let (bytes, part) = (Array(text.utf8), Array(part.utf8))
    return bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  private static let plus = UInt8(ascii: "+")
  private static let hash = UInt8(ascii: "#")

  /// False with characters that MQTT advises against and libmosquitto refuses: nothing would ever be published.
  private static func isForATopic(_ text: some StringProtocol) -> Bool {
    !text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint
    }
  }

  private static func isWildcardOrSlash(_ byte: UInt8) -> Bool {
    byte == plus || byte == hash || byte == UInt8(ascii: "/")
  }

  private static func isBluetoothAddress(_ text: String) -> Bool {
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    return pairs.count == 6 && pairs.allSatisfy { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
  }

  private static func isFilter(_ text: Substring) -> Bool {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    return isForATopic(text)
      && levels.enumerated().allSatisfy { index, level in
        if level == "#" { return index == levels.count - 1 }
        return level == "+" || !level.utf8.contains { $0 == plus || $0 == hash }
      }
  }
}
