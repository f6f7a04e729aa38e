/// A setting's value, of the type that its key takes.
public enum SettingValue: Hashable, Sendable {
  /// Of a key that is true or false.
  case flag(Bool)
  /// Of a key that takes whole numbers; the words of one, such as auto, are numbers too.
  case number(Int)
  /// Of a key that takes fractions.
  case real(Double)
  /// Of a key that takes text.
  case text(String)
}

/// The changes that a `setConfiguration` asks for, every value checked.
public struct SettingsChange: Hashable, Sendable {
  /// One key and the value that it is to have.
  public struct Setting: Hashable, Sendable {
    /// Of a key in `ConfigurationKey.all`.
    public var name: String
    /// Within the key's range: it was checked together with the settings in force.
    public var value: SettingValue

    /// Nothing is checked here.
    public init(_ name: String, _ value: SettingValue) {
      self.name = name
      self.value = value
    }
  }

  /// In the order of the message; of one name the last counts.
  public var settings: [Setting] = []
  /// The mode is no setting of the file: it is what is on now.
  public var monitoring: MonitoringMode?
  /// To be merged into the regions; those that were no waypoints are left out.
  public var waypoints: [WaypointEntry] = []

  /// Changes nothing.
  public init() {}
}

/// Settings that were changed by commands. They lie over those of the file, each only as long as the file
/// says what it said then: who edits the file means what he writes.
public struct RemoteSettings: Hashable, Sendable {
  /// One key that commands have changed.
  public struct Setting: Hashable, Sendable {
    /// Of a key in `ConfigurationKey.all`; one that an older version has stored may be there no longer.
    public var name: String
    /// The value set by the command.
    public var value: SettingValue
    /// The file's value when it was changed.
    public var over: SettingValue

    /// As it is stored.
    public init(name: String, value: SettingValue, over: SettingValue) {
      self.name = name
      self.value = value
      self.over = over
    }
  }

  /// By name.
  public private(set) var settings: [Setting] = []

  /// `settings`: one for each name.
  public init(_ settings: [Setting] = []) { self.settings = settings }

  /// No command has changed anything.
  public var isEmpty: Bool { settings.isEmpty }

  /// The effective settings: the file's with these over them, without those meant for the file's server alone.
  public func applied(to file: Configuration) -> Configuration {
    var configuration = laid(over: file)
    withhold(from: &configuration, of: file)
    return configuration
  }

  /// File and commands together, key by key.
  public func laid(over file: Configuration) -> Configuration {
    var configuration = file
    for setting in settings where Self.isAllowed(setting.name, setting.value) {
      ConfigurationKey.named(setting.name)?.set(setting.value, in: &configuration)
    }
    // An empty name is the board's own, which stands in the file's settings.
    if configuration.identity.deviceId.isEmpty { configuration.identity.deviceId = file.identity.deviceId }
    return configuration
  }

  /// Without those whose key the file has changed since, or no longer knows, and those that an older version
  /// let commands set.
  public func still(over file: Configuration) -> RemoteSettings {
    RemoteSettings(
      settings.filter {
        Self.isAllowed($0.name, $0.value) && ConfigurationKey.named($0.name)?.value(in: file) == $0.over
      })
  }

  /// A board may be locked from far away; to unlock it, a person has to be at the board.
  public static func isAllowed(_ name: String, _ value: SettingValue) -> Bool {
    guard let key = ConfigurationKey.named(name), key.isRemote else { return false }
    return !(key == .locked && value == .flag(false))
  }

  /// A value that the file has anyway is no setting of its own.
  public mutating func take(_ changes: [SettingsChange.Setting], over file: Configuration) {
    let before = laid(over: file)
    var allowed: [SettingsChange.Setting] = []
    for change in changes where Self.isAllowed(change.name, change.value) {
      allowed.removeAll { $0.name == change.name }
      allowed.append(change)
    }
    drop(Set(allowed.map(\.name)))
    for change in allowed { put(change, over: file) { $0 != change.value } }
    forgetCredentials(after: before, given: Set(allowed.map(\.name)), over: file)
    for change in allowed where isOwn(change.name, over: file) {
      put(change, over: file) { $0 == change.value }
    }
    settings.sort { $0.name < $1.name }
  }

  private mutating func put(
    _ change: SettingsChange.Setting, over file: Configuration, where isWanted: (SettingValue) -> Bool
  ) {
    guard let before = ConfigurationKey.named(change.name)?.value(in: file), isWanted(before) else { return }
    settings.append(.init(name: change.name, value: change.value, over: before))
  }

  mutating func drop(_ names: Set<String>) { settings.removeAll { names.contains($0.name) } }
}

extension ConfigurationKey {
  /// The value that this key has there, of the key's own type.
  public func value(in configuration: Configuration) -> SettingValue {
    switch value {
    case .flag(let path): .flag(configuration[keyPath: path])
    case .number(let path, _, _), .choice(let path, _): .number(configuration[keyPath: path])
    case .real(let path, _): .real(configuration[keyPath: path])
    case .text(let path, _), .list(let path, _): .text(configuration[keyPath: path])
    }
  }

  /// Changes nothing where the value is of another type, or out of the key's range.
  public func set(_ new: SettingValue, in configuration: inout Configuration) {
    switch (value, new) {
    case (.flag(let path), .flag(let flag)): configuration[keyPath: path] = flag
    case (.number(let path, let range, let words), .number(let number))
    where range.contains(number) || words.values.contains(number):
      configuration[keyPath: path] = number
    case (.choice(let path, let choices), .number(let number)) where choices.contains { $0.number == number }:
      configuration[keyPath: path] = number
    case (.real(let path, let range), .real(let number)) where range.contains(number):
      configuration[keyPath: path] = number
    case (.text(let path, _), .text(let text)), (.list(let path, _), .text(let text)):
      configuration[keyPath: path] = text
    default: break
    }
  }

  /// The keys in which two configurations differ.
  public static func differing(_ old: Configuration, _ new: Configuration) -> [ConfigurationKey] {
    all.filter { $0.value(in: old) != $0.value(in: new) }
  }

  /// The keys that a reload would have to change and cannot: the new configuration keeps what is running.
  public static func keepFixed(
    of running: Configuration, in new: inout Configuration
  ) -> [ConfigurationKey] {
    let changed = all.filter { $0.isFixed && $0.value(in: new) != $0.value(in: running) }
    for key in changed { key.set(key.value(in: running), in: &new) }
    return changed
  }
}
