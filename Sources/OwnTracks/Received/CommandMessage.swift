import Model
import Timebase

/// `cmd` messages (docs/behaviour.md, "What commands do"): what they ask for, checked field by field.
public enum CommandMessage {
  /// Why a message is no command that can be obeyed; one line.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    init(_ text: String) { description = text.plainLine }
  }

  /// A command, and the errors in it that did not cost all of it.
  public struct Decoded: Sendable {
    /// As if it came in clear just now: who received the message fills that in.
    public var command: ReceivedCommand
    /// Keys and entries that were passed over; everything else counts.
    public var problems = Problems()
  }

  /// `configuration` is the one in force: settings are checked together with it.
  public static func decode(_ json: JSON, configuration: Configuration) throws(Refusal) -> Decoded {
    let id = id(of: json)
    guard id != .unusable else {
      throw Refusal("id is neither a whole number nor a text of at most \(CommandID.limit) bytes")
    }
    guard let action = json["action"]?.text else { throw Refusal("action is missing or not a text") }
    var problems = Problems()
    var senderOnly = Problems()
    let command: Command
    switch action {
    case "reportLocation": command = .reportLocation
    case "dump": command = .dump
    case "status": command = .status
    case "waypoints": command = .waypoints
    case "acknowledgeSos": command = .acknowledgeSOS
    case "clearWaypoints": command = .clearWaypoints
    case "park": command = .park
    case "reportSteps":
      command = .reportSteps(from: try moment("from", of: json), to: try moment("to", of: json))
    case "setWaypoints":
      command = .setWaypoints(try waypoints(of: json, configuration, &problems))
    case "setConfiguration":
      guard let settings = json["configuration"] else { throw Refusal("configuration is missing") }
      let decoded = try SettingsMessage.decode(settings, over: configuration)
      problems.append(decoded.problems)
      command = .setConfiguration(decoded.change)
      // A phone's settings have dozens of them: nothing for the journal, but their sender may have meant another.
      senderOnly = SettingsMessage.unknown(in: settings)
    case "requestCertificate": command = .requestCertificate
    case "setCertificate":
      guard let text = json["certificate"]?.text, text.utf8.count <= CertificateOrder.limit else {
        throw Refusal("certificate: expected PEM, a text of at most \(CertificateOrder.limit) bytes")
      }
      command = .setCertificate(text)
    case "action", "response":
      throw Refusal("the action \"\(action)\" means nothing to a tracker without a screen")
    default: throw Refusal("unknown action \(JSON.string(ConfigurationFile.brief(action)))")
    }
    var received = ReceivedCommand(command)
    received.id = id
    received.problems = problems.lines + senderOnly.lines
    received.sent = try moment("tst", of: json).map { WallTime(seconds: $0) }
    return Decoded(command: received, problems: problems)
  }

  /// The sender's id for it; nil: none.
  static func id(of json: JSON) -> CommandID? {
    switch json["id"] {
    case nil, .null: nil
    case .integer(let number): .number(number)
    case .string(let text) where text.utf8.count <= CommandID.limit: .text(text)
    case _: .unusable
    }
  }

  private static func waypoints(
    of json: JSON, _ configuration: Configuration, _ problems: inout Problems
  ) throws(Refusal) -> [WaypointEntry] {
    guard let object = json["waypoints"], object["_type"]?.text == "waypoints",
      let array = object["waypoints"], array.elements != nil
    else { throw Refusal("waypoints: expected an object of _type \"waypoints\" with an array \"waypoints\"") }
    let base = configuration.beacons.numberBase
    let decoded = Waypoints.decode(array, numberBase: base, problemLimit: Problems.limit)
    for problem in decoded.problems { problems.append(problem.description) }
    problems.more += decoded.omitted
    return decoded.entries
  }

  /// Unix seconds; a number, or a text that holds one.
  private static func moment(_ key: String, of json: JSON) throws(Refusal) -> Double? {
    guard let value = json[key], !value.isNull else { return nil }
    let number = value.double ?? (key == "tst" ? value.text.flatMap(DecimalText.number) : nil)
    guard let number, number.magnitude < 1e11 else { throw Refusal("\(key) is not a time in Unix seconds") }
    return number
  }
}

/// The `configuration` of a `setConfiguration` (docs/behaviour.md, "Settings that a command changes").
enum SettingsMessage {
  /// One bad key costs that key; a message of the wrong form, or with an impossible `mode`, everything.
  static func decode(
    _ json: JSON, over configuration: Configuration
  ) throws(CommandMessage.Refusal) -> (change: SettingsChange, problems: Problems) {
    guard let members = json.members, json["_type"]?.text == "configuration" else {
      throw CommandMessage.Refusal("configuration: expected an object of _type \"configuration\"")
    }
    if let mode = json["mode"], !mode.isNull, mode.int != 0, mode.int != 3 {
      throw CommandMessage.Refusal("mode is \(ConfigurationFile.brief(mode.description)), expected 0 or 3")
    }
    var change = SettingsChange()
    var problems = Problems()
    var new = configuration
    // Later keys of one name win, as in every JSON reader.
    for member in members where !["_type", "waypoints"].contains(member.key) {
      guard let key = ConfigurationFile.key(member.key) else { continue }
      if let problem = take(key, member.value, into: &change, &new) { problems.append(problem) }
    }
    drop(&change, of: new, over: configuration, &problems)
    try takeWaypoints(json["waypoints"], configuration, into: &change, &problems)
    return (change, problems)
  }

  /// Keys that mean nothing here.
  static func unknown(in json: JSON) -> Problems {
    var problems = Problems()
    for member in json.members ?? [] where !["_type", "waypoints"].contains(member.key) {
      if ConfigurationFile.key(member.key) == nil {
        problems.append("there is no setting \(JSON.string(ConfigurationFile.brief(member.key)))")
      }
    }
    return problems
  }

  /// The error in it, if any; `place`: the beginning of the sentence, empty where a person has typed it.
  static func take(
    _ key: ConfigurationKey, _ value: JSON, into change: inout SettingsChange, _ new: inout Configuration,
    place: String = "setConfiguration"
  ) -> String? {
    guard key.isRemote else { return "\(key.name) can only be set on the board itself" }
    if ConfigurationFile.isMasked(key, value) {
      return "\(key.name) is \(ConfigurationFile.mask), as an answer shows a secret: it stays as it is"
    }
    let isLocked = new.commands.locked
    var trial = new
    guard ConfigurationValue.apply(value, key, to: &trial) else {
      return ConfigurationFile.problem(key, place, value, isTyped: place.isEmpty).description
    }
    if key == .monitoring {
      change.monitoring = trial.reports.monitoring
      return nil
    }
    if isLocked, !trial.commands.locked { return "locked can only be switched off on the board itself" }
    new = trial
    change.settings.removeAll { $0.name == key.name }
    change.settings.append(.init(key.name, key.value(in: new)))
    return nil
  }

  /// Drops values that a check of single keys lets pass, but that would leave the board without anyone to talk to.
  static func drop(
    _ change: inout SettingsChange, of new: Configuration, over old: Configuration,
    _ problems: inout Problems,
    place: String = "setConfiguration"
  ) {
    if new.identity.username.isEmpty, !old.identity.username.isEmpty {
      problems.append("username is empty, expected a name: without one nothing would be published any more")
      change.settings.removeAll { $0.name == ConfigurationKey.username.name }
    }
    guard var wrong = ConfigurationFile.contradiction(in: new),
      ConfigurationFile.contradiction(in: old) == nil
    else { return }
    wrong.place = place
    let connection = Set(ConfigurationKey.all.filter(\.isConnection).map(\.name))
    problems.append("\(wrong.description); no setting of the connection is changed")
    change.settings.removeAll { connection.contains($0.name) }
  }

  private static func takeWaypoints(
    _ json: JSON?, _ configuration: Configuration, into change: inout SettingsChange,
    _ problems: inout Problems
  ) throws(CommandMessage.Refusal) {
    guard let json, !json.isNull else { return }
    guard json.elements != nil else {
      problems.append("waypoints: expected an array of waypoint objects")
      return
    }
    let base = configuration.beacons.numberBase
    let decoded = Waypoints.decode(json, numberBase: base, problemLimit: Problems.limit)
    change.waypoints = decoded.entries
    for problem in decoded.problems { problems.append(problem.description) }
    problems.more += decoded.omitted
  }
}
