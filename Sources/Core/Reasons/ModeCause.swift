import Model

/// By whom or what the mode was changed, beside the rules of networks and times, which are reasons of their own.
public enum ModeCause: Hashable, Sendable {
  /// A person at the board.
  case people
  /// A remote sender, by `setConfiguration`.
  case command
  /// `monitoring` in the configuration file was changed.
  case file
  /// The name of this region asks for it.
  case region(String, Crossing)
  /// The ignition, in its state for long enough.
  case ignition(isOn: Bool)
  /// Percent; of the board's own battery.
  case batteryLow(level: Int)
  /// It is charged, or at that level again.
  case batteryWell
  /// Volts below `vehicleBatteryLow`.
  case vehicleBatteryLow
  /// Nothing has moved for this long.
  case still(seconds: Double)
  /// A location was published that was no ping.
  case moved

  /// For people, behind the two modes.
  var sentence: String {
    switch self {
    case .people: "by hand, on this board"
    case .command: "by a command"
    case .file: "by monitoring in the configuration file"
    case .region(let name, .enter): "entering \(name), as its name says"
    case .region(let name, .leave): "leaving \(name), as its name says"
    case .ignition(let isOn): "the ignition is \(isOn ? "on" : "off")"
    case .batteryLow(let level): "the battery is at \(level) % (downgrade)"
    case .batteryWell: "the battery is no longer low"
    case .vehicleBatteryLow: "the vehicle's battery is low (vehicleBatteryLow)"
    case .still(let seconds): "nothing has moved for \(Int(min(seconds, 1e9).rounded())) s (adapt)"
    case .moved: "it moves again (adapt)"
    }
  }

  /// A stable word for programs.
  var word: String {
    switch self {
    case .people: "people"
    case .command: "command"
    case .file: "file"
    case .region: "region"
    case .ignition: "ignition"
    case .batteryLow: "batteryLow"
    case .batteryWell: "batteryWell"
    case .vehicleBatteryLow: "vehicleBatteryLow"
    case .still: "still"
    case .moved: "moved"
    }
  }

  /// For the reason that carries it.
  var details: Reason.Details {
    switch self {
    case .region(let name, let crossing): [("region", .text(name)), ("event", .text(crossing.word))]
    case .ignition(let isOn): [("event", .text(isOn ? "on" : "off"))]
    case .batteryLow(let level): [("level", .number(Double(level)))]
    case .still(let seconds): [("seconds", .number(seconds))]
    case .people, .command, .file, .batteryWell, .vehicleBatteryLow, .moved: []
    }
  }
}

extension Reason {
  /// Why the mode is in force, for people; nil: the reason does not explain that.
  public var modeCause: String? {
    switch self {
    case .modeChanged(_, _, let cause): cause.sentence
    case .modeByNetwork(_, let network, let isJoined): Self.network(network, isJoined: isJoined)
    case .modeByTime(_, let times, let isBegun): Self.times(times, isBegun: isBegun)
    default: nil
    }
  }

  static func network(_ network: String, isJoined: Bool) -> String {
    "\(isJoined ? "in" : "no longer in") the WiFi network \(network) (networkModes)"
  }

  static func times(_ times: String, isBegun: Bool) -> String {
    "\(times) has \(isBegun ? "begun" : "ended") (timeModes)"
  }
}
