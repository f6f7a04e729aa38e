import Model

/// State of a battery as files and programs write it: `57 Discharging`, or `{"level":57,"status":"Charging"}`.
public enum BatteryText {
  /// In plain words: found and expected.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Longer ones are not read.
  public static let limit = 4096

  /// Throws where there is no level from 0 to 100, or a state that the kernel does not know.
  public static func parse(_ bytes: [UInt8]) throws(Refusal) -> Battery {
    guard bytes.count <= limit else { throw refusal("\(bytes.count) bytes") }
    let text = String(decoding: bytes, as: UTF8.self)
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    if text.first(where: { !isSpace($0) }) == "{" { return try object(bytes) }
    let words = text.split(whereSeparator: isSpace)
    guard let first = words.first else { throw refusal("nothing") }
    let number = DecimalText.number(String(first.last == "%" ? first.dropLast() : first))
    return Battery(
      level: try level(number, text), state: try state(words.dropFirst().joined(separator: " "), text))
  }

  private static func object(_ bytes: [UInt8]) throws(Refusal) -> Battery {
    let json: JSON
    do {
      json = try JSON.parse(bytes)
    } catch {
      throw Refusal(description: "no JSON: \(error)")
    }
    let number = json["level"].flatMap { $0.double ?? $0.text.flatMap { DecimalText.number($0) } }
    let level = try level(number, json.description)
    return Battery(level: level, state: try state(json["status"]?.text ?? "", json.description))
  }

  private static func level(_ number: Double?, _ text: String) throws(Refusal) -> Int {
    guard let number, (0...100).contains(number) else { throw refusal(text) }
    return Int(number.rounded())
  }

  /// In the kernel's words.
  private static func state(_ word: String, _ text: String) throws(Refusal) -> Battery.State {
    switch word.lowercased() {
    case "discharging", "not charging", "unplugged": .unplugged
    case "charging": .charging
    case "full": .full
    case "", "unknown": .unknown
    default: throw refusal(text)
    }
  }

  private static func refusal(_ text: String) -> Refusal {
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    let shown = ConfigurationFile.brief(words).plainLine
    return Refusal(
      description: "\(shown.isEmpty ? "nothing" : shown), expected a level from 0 to 100 and Charging, "
        + "Discharging, Full or Unknown, such as: 57 Discharging")
  }
}
