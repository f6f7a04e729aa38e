import CMosquitto
import Model

@testable import OwnTracks

/// A configuration file and, behind a zero byte, KEY=VALUE lines that override it. Whatever is wrong, what
/// comes out is complete, within its ranges, and good for a broker.
enum ConfigurationTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let bytes = parts.first.map { Array($0) } ?? []
    let overrides = parts.count > 1 ? pairs(String(decoding: parts[1], as: UTF8.self)) : []
    for purpose in [ConfigurationFile.Purpose.daemon, .replay] {
      let decoded = ConfigurationFile.decode(bytes, overrides: overrides, purpose: purpose)
      told(decoded)
      isWithinItsRanges(decoded.configuration)
      // Both purposes complain of different things and come to the same.
      guard purpose == .daemon, decoded.configuration != Configuration() else { continue }
      isGoodForABroker(decoded.configuration)
      readsBack(decoded.configuration)
    }
    for (name, text) in overrides { isSet(name, text, in: bytes) }
  }

  private static func pairs(_ text: String) -> [(String, String)] {
    text.split(separator: "\n").prefix(8).compactMap { line in
      guard let equals = line.firstIndex(of: "="), equals > line.startIndex else { return nil }
      return (String(line[..<equals]), String(line[line.index(after: equals)...]))
    }
  }

  private static func told(_ decoded: ConfigurationFile.Decoded) {
    for problem in decoded.problems + decoded.skipped {
      Claim.isPlain(problem.description, "configuration")
      claim(!problem.place.isEmpty && !problem.expected.isEmpty, "no place or remedy in \(problem)")
      if problem.key == "password" { claim(problem.value == "(hidden)", "tells the password: \(problem)") }
    }
    for warning in decoded.warnings { Claim.isPlain(warning, "configuration") }
    for entry in decoded.waypoints { WaypointTarget.isSound(entry) }
  }

  private static func isWithinItsRanges(_ configuration: Configuration) {
    for key in ConfigurationKey.all {
      switch key.value {
      case .flag: break
      case .number(let path, let range, let words):
        let number = configuration[keyPath: path]
        claim(range.contains(number) || words.values.contains(number), "\(key.name) is \(number)")
      case .choice(let path, let choices):
        let number = configuration[keyPath: path]
        claim(choices.contains { $0.number == number }, "\(key.name) is \(number)")
      case .real(let path, let range):
        claim(range.contains(configuration[keyPath: path]), "\(key.name) is \(configuration[keyPath: path])")
      case .text(let path, let rule):
        let text = configuration[keyPath: path]
        claim(!text.utf8.contains(0), "\(key.name) has a zero byte")
        if case .oneOf(let words) = rule { claim(words.contains(text), "\(key.name) is \(text)") }
        if case .path = rule { claim(text.isEmpty || text.hasPrefix("/"), "\(key.name) is \(text)") }
      case .list(let path, let rule):
        let text = configuration[keyPath: path]
        let isList =
          switch rule {
          case .timeMode: TimeModes(text) != nil
          case .period: BacklogTimes(text) != nil
          case .batteryStep: BatteryLimits(text) != nil || BatteryLimits.fault(in: text) != nil
          default: NetworkModes(text) != nil
          }
        claim(isList, "\(key.name) is \(text)")
      }
    }
  }

  /// The broker's own library says what is a topic.
  private static func isGoodForABroker(_ configuration: Configuration) {
    let topics = Topics(configuration, hostName: "raspberrypi")
    for topic in [topics.base] + Topics.Suffix.allCases.map(topics.topic) {
      let size = topic.utf8.count
      claim(mosquitto_pub_topic_check2(topic, size) == 0, "\(topic.debugDescription) is no topic")
      claim(mosquitto_validate_utf8(topic, Int32(size)) == 0, "\(topic.debugDescription) is refused as text")
    }
    for filter in topics.subscriptions {
      let size = filter.utf8.count
      claim(mosquitto_sub_topic_check2(filter, size) == 0, "\(filter.debugDescription) is no filter")
      claim(
        mosquitto_validate_utf8(filter, Int32(size)) == 0, "\(filter.debugDescription) is refused as text")
    }
    let isClientPlain = topics.clientId.utf8.allSatisfy { Character(Unicode.Scalar($0)).isASCII && $0 > 32 }
    claim(!topics.clientId.isEmpty && isClientPlain, "\(topics.clientId.debugDescription) is no client")
    claim(topics.trackerID.unicodeScalars.count <= 2, "\(topics.trackerID.debugDescription) is too long")
  }

  private static func readsBack(_ configuration: Configuration) {
    let bytes = ConfigurationFile.encode(configuration, redacting: false)
    let back = ConfigurationFile.decode(bytes)
    claim(back.configuration == configuration, "written and read it is another")
    let shown = ConfigurationFile.json(configuration, redacting: true)["password"]
    claim(
      shown == (configuration.login.password.isEmpty ? "" : "***"),
      "the password is shown as \(shown ?? .null)")
  }

  /// `config set` and `--set` take and refuse the same.
  private static func isSet(_ name: String, _ text: String, in bytes: [UInt8]) {
    let plain = ConfigurationFile.decode(bytes)
    guard plain.raw.members?.isEmpty == false, let key = ConfigurationKey.named(name) else { return }
    let overridden = ConfigurationFile.decode(bytes, overrides: [(name, text)])
    do {
      let written = ConfigurationFile.decode(try ConfigurationFile.setting(name, to: text, in: bytes))
      claim(value(of: key, written) == value(of: key, overridden), "\(name): set and override differ")
    } catch {
      Claim.isPlain(error.description, "config set")
      claim(overridden.problems.contains { $0.key == name }, "\(name): refused here, overridden there")
    }
  }

  private static func value(of key: ConfigurationKey, _ decoded: ConfigurationFile.Decoded) -> JSON {
    ConfigurationValue.json(key, of: decoded.configuration)
  }
}
