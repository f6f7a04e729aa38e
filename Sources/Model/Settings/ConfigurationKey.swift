/// One key of the configuration file: its name, what it takes, who may set it, and where it goes.
public struct ConfigurationKey: @unchecked Sendable {
  /// The values that a key takes, and the setting behind it.
  public enum Value {
    /// True or false; the texts and numbers that the apps write for them too.
    case flag(WritableKeyPath<Configuration, Bool>)
    /// `words` stand for numbers that mean something else than how many.
    case number(WritableKeyPath<Configuration, Int>, ClosedRange<Int>, words: [String: Int] = [:])
    /// One of a few numbers, each with what it stands for.
    case choice(WritableKeyPath<Configuration, Int>, [(number: Int, meaning: String)])
    /// With fraction, within the range.
    case real(WritableKeyPath<Configuration, Double>, ClosedRange<Double>)
    /// Text that keeps the rule.
    case text(WritableKeyPath<Configuration, String>, TextRule)
    /// Texts that each keep the rule; kept as one text, one a line.
    case list(WritableKeyPath<Configuration, String>, TextRule)
  }

  /// The form that a text must have; `OwnTracks.ConfigurationValue` checks it.
  public enum TextRule: Hashable, Sendable {
    /// Anything without a NUL.
    case any
    /// An address of http or https, as far as HTTP mode is on: the apps export a placeholder.
    case url
    /// An address of http or https with `{lat}` and `{lon}` in it; or empty.
    case placeURL
    /// An address of http or https, without a user, with `{z}`, `{x}` and `{y}` in it and no other braces; or empty.
    case tileURL
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
    /// One of these words.
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
    /// `SSID|in|out`.
    case networkMode
    /// `HH:MM-HH:MM|in|out`.
    case timeMode
    /// `HH:MM-HH:MM`.
    case period
    /// `STEP|LIMIT`, as `BatteryLimits` has them.
    case batteryStep
  }

  /// Which connection a changed key ends.
  public enum Connection: Hashable, Sendable {
    /// None: it counts from now on.
    case none
    /// Any.
    case both
    /// The one to a broker; over HTTP it is of no account.
    case mqtt
    /// The one to an HTTP endpoint.
    case http
  }

  /// As the file has it.
  public let name: String
  /// The values that it takes, and the setting that they go to.
  public let value: Value
  /// Whether a `setConfiguration` command may set it.
  public let isRemote: Bool
  /// Whether an imported file of the apps may: who imports one stands at the board.
  public let isImported: Bool
  /// Never shown, logged or dumped.
  public let isSecret: Bool
  /// Which connection has to be made anew where it changes.
  public let connection: Connection

  /// Whether a change counts from the next start alone, and not from a reload.
  public let isFixed: Bool

  /// Whether changing it needs a new connection, of whichever kind.
  public var isConnection: Bool { connection != .none }

  /// `local`: neither commands nor imported files set it; `guarding`: commands do not, because it is what
  /// keeps those out who could send them; `fixed`: it is read at the start alone.
  init(
    _ name: String, _ value: Value, local: Bool = false, guarding: Bool = false, secret: Bool = false,
    fixed: Bool = false, connection: Connection = .none
  ) {
    self.name = name
    self.value = value
    isRemote = !local && !guarding
    isImported = !local
    isSecret = secret
    isFixed = fixed
    self.connection = connection
  }

  /// Nil: there is none of that name. Names of the apps' that mean the same are for `ConfigurationFile.key`.
  public static func named(_ name: String) -> ConfigurationKey? { all.first { $0.name == name } }
}

extension ConfigurationKey: Equatable {
  /// There is one key of each name.
  public static func == (left: ConfigurationKey, right: ConfigurationKey) -> Bool { left.name == right.name }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
  /// Every word, in the order of the cases.
  static var words: [String] { allCases.map(\.rawValue) }
}
