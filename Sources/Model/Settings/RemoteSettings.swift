/// A setting's value, of the type that its key takes.
public enum SettingValue: Hashable, Sendable {
  case flag(Bool)
  case number(Int)
  case real(Double)
  case text(String)
}

/// What a `setConfiguration` asks for, every value checked.
public struct SettingsChange: Hashable, Sendable {
  public struct Setting: Hashable, Sendable {
    public var name: String
    public var value: SettingValue

    public init(_ name: String, _ value: SettingValue) {
      self.name = name
      self.value = value
    }
  }

  public var settings: [Setting] = []
  /// The mode is no setting of the file: it is what is on now.
  public var monitoring: MonitoringMode?
  public var waypoints: [WaypointEntry] = []

  public init() {}
}

/// Settings that were changed by commands. They lie over those of the file, each only as long as the file
/// says what it said then: who edits the file means what he writes.
public struct RemoteSettings: Hashable, Sendable {
  public struct Setting: Hashable, Sendable {
    public var name: String
    public var value: SettingValue
    /// The file's value when it was changed.
    public var over: SettingValue

    public init(name: String, value: SettingValue, over: SettingValue) {
      self.name = name
      self.value = value
      self.over = over
    }
  }

  /// By name.
  public private(set) var settings: [Setting] = []

  public init(_ settings: [Setting] = []) { self.settings = settings }

  public var isEmpty: Bool { settings.isEmpty }

  /// What counts: the file's settings with these over them, without what is for the file's server alone.
  public func applied(to file: Configuration) -> Configuration {
    var configuration = laid(over: file)
    withhold(from: &configuration, of: file)
    return configuration
  }

  /// What the file and the commands say, key by key.
  public func laid(over file: Configuration) -> Configuration {
    var configuration = file
    for setting in settings where Self.isAllowed(setting.name, setting.value) {
      ConfigurationKey.named(setting.name)?.set(setting.value, in: &configuration)
    }
    // An empty name is the board's own, which stands in the file's settings.
    if configuration.deviceId.isEmpty { configuration.deviceId = file.deviceId }
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

  /// Who locks a board may be far away; who unlocks it stands before it.
  public static func isAllowed(_ name: String, _ value: SettingValue) -> Bool {
    guard let key = ConfigurationKey.named(name), key.isRemote else { return false }
    return !(name == "locked" && value == .flag(false))
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
  public func value(in configuration: Configuration) -> SettingValue {
    switch value {
    case .flag(let path): .flag(configuration[keyPath: path])
    case .number(let path, _, _): .number(configuration[keyPath: path])
    case .real(let path, _): .real(configuration[keyPath: path])
    case .text(let path, _): .text(configuration[keyPath: path])
    }
  }

  /// Changes nothing where the value is of another type, or out of the key's range.
  public func set(_ new: SettingValue, in configuration: inout Configuration) {
    switch (value, new) {
    case (.flag(let path), .flag(let flag)): configuration[keyPath: path] = flag
    case (.number(let path, let range, let words), .number(let number))
    where range.contains(number) || words.values.contains(number):
      configuration[keyPath: path] = number
    case (.real(let path, let range), .real(let number)) where range.contains(number):
      configuration[keyPath: path] = number
    case (.text(let path, _), .text(let text)): configuration[keyPath: path] = text
    default: break
    }
  }

  /// The keys in which two configurations differ.
  public static func differing(_ old: Configuration, _ new: Configuration) -> [ConfigurationKey] {
    all.filter { $0.value(in: old) != $0.value(in: new) }
  }
}
