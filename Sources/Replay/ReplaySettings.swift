import Model
import OwnTracks

/// The configuration of a replay.
public struct ReplaySettings {
  /// All settings, with a `deviceId`.
  public let configuration: Configuration
  let waypoints: [WaypointEntry]
  /// Stands in for an empty `deviceId`, as in the daemon.
  let hostName: String

  /// How major and minor of beacons are read.
  public var numberBase: BeaconNumberBase {
    configuration.beacons.numberBase
  }

  /// `waypoints` are the regions that the configuration names; `hostName` is this board's.
  public init(_ configuration: Configuration, waypoints: [WaypointEntry], hostName: String) {
    var configuration = configuration
    if configuration.identity.deviceId.isEmpty {
      configuration.identity.deviceId = Topics(configuration, hostName: hostName).device
    }
    self.configuration = configuration
    self.waypoints = waypoints
    self.hostName = hostName
  }

  /// The same with a user, for those to whom the topic is of no account: nothing is published without one.
  public var named: ReplaySettings {
    var named = configuration
    if named.identity.username.isEmpty { named.identity.username = "me" }
    return ReplaySettings(named, waypoints: waypoints, hostName: hostName)
  }

  /// A stored state in any of its forms: the last line counts, or the whole file. `file` is what errors name.
  public func state(in bytes: [UInt8], file: String) throws(ReplayError) -> StoredState {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { $0.contains { $0 > 32 } }
    let last = lines.last.map(Array.init) ?? []
    guard let json = (try? JSON.parse(last)) ?? (try? JSON.parse(bytes, limit: ConfigurationFile.limit))
    else {
      throw ReplayError(file: file, line: nil, text: "neither the file nor its last line is JSON")
    }
    if let array = json["_type"]?.text == "waypoints" ? json["waypoints"] : json["regions"] {
      return try StoredState(["regions": array], file: file, line: nil, numberBase: numberBase)
    }
    guard let state = json["state"] else {
      throw ReplayError(
        file: file, line: lines.count,
        text: "no state, expected {\"state\":{...}}, the answer of region list --json, or a waypoints file")
    }
    return try StoredState(state, file: file, line: lines.count, numberBase: numberBase, known: waypoints)
  }
}
