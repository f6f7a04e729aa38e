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

/// Settings that were changed from afar. They lie over those of the file, each only as long as the file
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

  /// What counts: the file's settings with these over them.
  public func applied(to file: Configuration) -> Configuration {
    var configuration = file
    for setting in settings {
      guard let key = ConfigurationKey.named(setting.name) else { continue }
      key.set(setting.value, in: &configuration)
    }
    // An empty name is the board's own, which stands in the file's settings.
    if configuration.deviceId.isEmpty { configuration.deviceId = file.deviceId }
    return configuration
  }

  /// Without those whose key the file has changed since, or no longer knows.
  public func still(over file: Configuration) -> RemoteSettings {
    RemoteSettings(settings.filter { ConfigurationKey.named($0.name)?.value(in: file) == $0.over })
  }

  /// A value that the file has anyway is no setting of its own.
  public mutating func take(_ changes: [SettingsChange.Setting], over file: Configuration) {
    for change in changes {
      guard let key = ConfigurationKey.named(change.name), key.isRemote else { continue }
      settings.removeAll { $0.name == change.name }
      let before = key.value(in: file)
      if before != change.value {
        settings.append(.init(name: change.name, value: change.value, over: before))
      }
    }
    settings.sort { $0.name < $1.name }
  }
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
