/// One key of the configuration file: its name, what it takes, and where it goes.
public struct ConfigurationKey: @unchecked Sendable {
  /// What it takes, and the property it goes to.
  public enum Value {
    /// True or false; the texts and numbers that the apps write for them too.
    case flag(WritableKeyPath<Configuration, Bool>)
    /// `words` stand for numbers that mean something else than how many.
    case number(WritableKeyPath<Configuration, Int>, ClosedRange<Int>, words: [String: Int] = [:])
    /// With fraction, within the range.
    case real(WritableKeyPath<Configuration, Double>, ClosedRange<Double>)
    /// Text that keeps the rule.
    case text(WritableKeyPath<Configuration, String>, TextRule)
  }

  /// What a text has to be; `OwnTracks.ConfigurationValue` looks.
  public enum TextRule: Hashable, Sendable {
    /// Without NUL, as everywhere.
    case any
    /// An address of http or https, as far as HTTP mode is on: the apps export a placeholder.
    case url
    /// Headers of HTTP, as `httpHeaders` has them.
    case headers
    /// At most this many UTF-8 bytes.
    case bytes(Int)
    /// At most this many UTF-8 bytes, without `/`, `+`, `#`.
    case topicLevel(Int)
    /// No wildcard, no NUL, 200 bytes at most.
    case topic
    /// Topic filters separated by white space.
    case filters
    /// At most two letters or digits.
    case trackerID
    /// Exactly one of these.
    case oneOf([String])
    /// `auto`, `max17040[:bus[:address]]`, `ina219[:bus[:address]][:reversed]`, `file:/path` or
    /// `command:/path …`.
    case batterySource
    /// `supply:NAME`, `gpio:CHIP:LINE[:low]`; or empty.
    case powerInput
    /// `ina219[:bus[:address]]`, `file:/path` or `command:/path …`; or empty.
    case voltageSource
    /// Pairs of volts and percent, both growing: `3.3:0 3.7:50 4.2:100`.
    case voltages
    /// A path, absolute.
    case path
    /// Six pairs of hexadecimal digits with colons between; or empty.
    case bluetoothAddress
  }

  /// As it is written in the file.
  public var name: String
  /// See there; for the value itself there is `value(in:)`.
  public var value: Value
  /// Whether a `setConfiguration` command may set it.
  public var isRemote: Bool
  /// Whether an imported file of the apps may: who imports one stands at the board.
  public var isImported: Bool
  /// Never shown, logged or dumped.
  public var isSecret: Bool
  /// Changing it needs a new connection.
  public var isConnection: Bool

  /// `local`: neither commands nor imported files set it; `guarding`: commands do not, because it is what
  /// keeps those out who could send them.
  init(
    _ name: String, _ value: Value, local: Bool = false, guarding: Bool = false, secret: Bool = false,
    connection: Bool = false
  ) {
    self.name = name
    self.value = value
    isRemote = !local && !guarding
    isImported = !local
    isSecret = secret
    isConnection = connection
  }

  /// Nil: there is none of that name. Names of the apps' that mean the same are for `ConfigurationFile.key`.
  public static func named(_ name: String) -> ConfigurationKey? { all.first { $0.name == name } }

  /// Those that the daemon reads; the file may hold others of the apps.
  public static let all: [ConfigurationKey] = identity + reporting + connection + rules + board

  private static let identity: [ConfigurationKey] = [
    .init("username", .text(\.username, .topicLevel(200)), connection: true),
    .init("deviceId", .text(\.deviceId, .topicLevel(64)), connection: true),
    .init("tid", .text(\.tid, .trackerID)),
    .init("clientId", .text(\.clientId, .any), connection: true),
  ]

  private static let reporting: [ConfigurationKey] = [
    .init("monitoring", .number(\.monitoring, -1...2)),
    .init("locatorDisplacement", .number(\.locatorDisplacement, 0...100_000)),
    .init("locatorInterval", .number(\.locatorInterval, -1...86_400)),
    .init("significantDisplacement", .number(\.significantDisplacement, 1...1_000_000)),
    .init("significantInterval", .number(\.significantInterval, 1...86_400)),
    .init("ping", .number(\.ping, 0...1440)),
    .init("ignoreInaccurateLocations", .number(\.ignoreInaccurateLocations, 0...1_000_000)),
    .init("extendedData", .flag(\.extendedData)),
    .init("downgrade", .number(\.downgrade, 0...100)),
    .init("adapt", .number(\.adapt, 0...1440)),
    .init("adaptRequiresFollow", .flag(\.adaptRequiresFollow)),
    .init("adaptive", .flag(\.adaptive)),
    .init("adaptiveDistance", .number(\.adaptiveDistance, 1...100_000)),
    .init("adaptiveHeading", .number(\.adaptiveHeading, 1...180)),
    .init("adaptiveSpeed", .number(\.adaptiveSpeed, 1...500)),
    .init("odometer", .flag(\.odometer)),
    .init("trips", .flag(\.trips)),
    .init("towAlarm", .number(\.towAlarm, 0...100_000)),
    .init("overspeed", .number(\.overspeed, 0...500)),
    .init("ranging", .flag(\.ranging)),
    .init("positions", .number(\.positions, -1_000_000...1_000_000)),
    .init("days", .number(\.days, -1...36_500)),
    .init("ignoreStaleLocations", .real(\.ignoreStaleLocations, 0...36_500)),
  ]

  private static let connection: [ConfigurationKey] = [
    .init("mode", .number(\.mode, 0...3), connection: true),
    .init("host", .text(\.host, .any), connection: true),
    .init("url", .text(\.url, .url), secret: true, connection: true),
    .init("httpHeaders", .text(\.httpHeaders, .headers), secret: true, connection: true),
    .init("port", .number(\.port, 0...65_535), connection: true),
    .init("tls", .flag(\.tls), guarding: true, connection: true),
    .init("tlsCaFile", .text(\.tlsCaFile, .path), local: true, connection: true),
    .init("tlsClientCert", .text(\.tlsClientCert, .path), local: true, connection: true),
    .init("tlsClientKey", .text(\.tlsClientKey, .path), local: true, connection: true),
    .init("allowinvalidcerts", .flag(\.allowinvalidcerts), guarding: true, connection: true),
    .init("auth", .flag(\.auth), connection: true),
    .init("usePassword", .flag(\.usePassword), connection: true),
    .init("password", .text(\.password, .any), secret: true, connection: true),
    .init(
      "encryptionKey", .text(\.encryptionKey, .bytes(32)), guarding: true, secret: true, connection: true),
    .init("mqttProtocolLevel", .number(\.mqttProtocolLevel, 3...5), connection: true),
    .init("keepalive", .number(\.keepalive, 0...65_535), connection: true),
    .init("cleanSession", .flag(\.cleanSession), connection: true),
    .init("pubTopicBase", .text(\.pubTopicBase, .topic), connection: true),
    .init("pubQos", .number(\.pubQos, 0...2), connection: true),
    .init("pubRetain", .flag(\.pubRetain)),
    .init("sub", .flag(\.sub), connection: true),
    .init("friends", .flag(\.friends), local: true, connection: true),
    .init("subQos", .number(\.subQos, 0...2), connection: true),
    .init("subTopic", .text(\.subTopic, .filters), connection: true),
    .init("connectionTimeoutSeconds", .number(\.connectionTimeoutSeconds, 1...600)),
    .init("publishLocationOnConnect", .flag(\.publishLocationOnConnect)),
    .init("availability", .flag(\.availability)),
    .init("discovery", .flag(\.discovery)),
    .init("discoveryPrefix", .text(\.discoveryPrefix, .topic)),
    .init("reconnectMin", .number(\.reconnectMin, 1...3600), local: true),
    .init("reconnectMax", .number(\.reconnectMax, 1...86_400), local: true),
    .init("maxInFlight", .number(\.maxInFlight, 1...1000), local: true),
  ]

  private static let rules: [ConfigurationKey] = [
    .init("cmd", .flag(\.cmd)),
    .init("allowRemoteLocation", .flag(\.allowRemoteLocation)),
    .init("remoteConfiguration", .flag(\.remoteConfiguration)),
    .init("legacyListento", .flag(\.legacyListento), local: true),
    .init("commandMaxAge", .number(\.commandMaxAge, 0...86_400), local: true),
    .init("acceptRetainedCommands", .flag(\.acceptRetainedCommands), local: true),
    .init("requireEncryptedCommands", .flag(\.requireEncryptedCommands), local: true),
    .init("dumpSecrets", .flag(\.dumpSecrets), local: true),
    .init("locked", .flag(\.locked)),
    .init("regionConfirm", .number(\.regionConfirm, 1...10), local: true),
    .init("physicsGate", .flag(\.physicsGate), local: true),
    .init("holdDown", .number(\.holdDown, 0...3600), local: true),
    .init("beaconLossTimeout", .number(\.beaconLossTimeout, 0...3600, words: ["auto": 0]), local: true),
    .init("reentryGuard", .number(\.reentryGuard, 0...3600), local: true),
    .init("beaconEnterRssi", .number(\.beaconEnterRssi, -120...0), local: true),
    .init("beaconLeaveRssi", .number(\.beaconLeaveRssi, -126...0), local: true),
    .init("beaconNeedsPlace", .flag(\.beaconNeedsPlace), local: true),
    .init("scanDuty", .number(\.scanDuty, 0...100, words: ["auto": -1, "off": 0]), local: true),
    .init("scanAdapter", .text(\.scanAdapter, .bluetoothAddress), local: true),
    .init("scanMethod", .text(\.scanMethod, .oneOf(["auto", "monitor", "raw"])), local: true),
    .init("rangingMinInterval", .number(\.rangingMinInterval, 0...3600), local: true),
    .init("pathLossExponent", .real(\.pathLossExponent, 1...6), local: true),
    .init("beaconAccDecimals", .number(\.beaconAccDecimals, 0...3), local: true),
    .init("beaconNumberBase", .text(\.beaconNumberBase, .oneOf(["auto", "hex", "dec"])), local: true),
  ]

  private static let board: [ConfigurationKey] = [
    .init("gpsdHost", .text(\.gpsdHost, .any), local: true),
    .init("gpsdPort", .number(\.gpsdPort, 1...65_535), local: true),
    .init("gpsdDevice", .text(\.gpsdDevice, .any), local: true),
    .init("gpsDutyCycle", .number(\.gpsDutyCycle, 0...86_400), local: true),
    .init("batterySource", .text(\.batterySource, .batterySource), local: true),
    .init("batteryVoltages", .text(\.batteryVoltages, .voltages), local: true),
    .init("powerFailInput", .text(\.powerFailInput, .powerInput), local: true),
    .init("ignitionInput", .text(\.ignitionInput, .powerInput), local: true),
    .init("ignitionDelay", .number(\.ignitionDelay, 0...86_400), local: true),
    .init("parkedShutdown", .number(\.parkedShutdown, 0...604_800), local: true),
    .init("vehicleBattery", .text(\.vehicleBattery, .voltageSource), local: true),
    .init("vehicleBatteryLow", .real(\.vehicleBatteryLow, 0...60), local: true),
    .init("vehicleBatteryOff", .real(\.vehicleBatteryOff, 0...60), local: true),
    .init("fixTimeout", .number(\.fixTimeout, 1...86_400), local: true),
    .init("queueLimit", .number(\.queueLimit, 10...10_000_000), local: true),
    .init("queueLimitMegabytes", .number(\.queueLimitMegabytes, 1...100_000), local: true),
    .init("extraKeys", .text(\.extraKeys, .path), local: true),
    .init("onEvent", .text(\.onEvent, .path), local: true),
    .init("onEventTimeout", .number(\.onEventTimeout, 1...300), local: true),
    .init("stateDir", .text(\.stateDir, .path), local: true),
    .init("controlSocket", .text(\.controlSocket, .path), local: true),
    .init("logLevel", .text(\.logLevel, .oneOf(["error", "warning", "info", "debug"])), local: true),
  ]
}
