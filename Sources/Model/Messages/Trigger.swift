/// Why a location was published: the key `t` of a location message.
public enum Trigger: Hashable, Sendable {
  /// The rule of the mode, the connection to the broker, or the power that is failing; no letter.
  case automatic
  /// A person at the board asked.
  case user
  /// A command asked.
  case remote
  /// The interval of move mode ran out.
  case timer
  /// Nothing was told for so long that a sign of life is due.
  case ping
  /// A circle was crossed.
  case circular
  /// The circle around the board was left.
  case follow
  /// A beacon was heard, or no longer.
  case beacon
  // Letters of the family's vehicle trackers
  /// The parked vehicle was moved.
  case tow
  /// Faster than allowed.
  case overspeed
  /// The ignition was switched on, or off.
  case ignition(isOn: Bool)
  /// The supply of the board came back, or is lost.
  case power(isOn: Bool)
  /// A battery has become low.
  case lowBattery
  /// Somebody calls for help.
  case sos
  /// A battery is no longer as low: the board has stepped up again. No letter.
  case batteryWell
  /// Braked, accelerated or cornered harder than allowed.
  case harsh(HarshManoeuvre.Kind)

  /// The letter on the wire; nil for automatic ones, whose key is left out.
  public var letter: String? {
    switch self {
    case .automatic: nil
    case .user: "u"
    case .remote: "r"
    case .timer: "t"
    case .ping: "p"
    case .circular: "c"
    case .follow: "C"
    case .beacon: "b"
    case .tow: "!"
    case .overspeed: "s"
    case .ignition(isOn: true): "i"
    case .ignition(isOn: false): "I"
    case .power(isOn: false): "e"
    case .power(isOn: true): "E"
    case .lowBattery: "9"
    // No letter is known for it; this is how qtripp has it, the family's server for trackers of vehicles.
    case .sos: "GTSOS"
    case .batteryWell: nil
    case .harsh: "h"
    }
  }

  /// The key `rty` beside the letter, where one letter stands for several things; nil: it does not.
  public var reportType: Int? {
    switch self {
    case .harsh(.braking): 0
    case .harsh(.acceleration): 1
    case .harsh(.cornering): 2
    case .automatic, .user, .remote, .timer, .ping, .circular, .follow, .beacon, .tow, .overspeed, .ignition,
      .power, .lowBattery, .batteryWell, .sos:
      nil
    }
  }

  /// It reports what somebody should look at.
  public var isAlarm: Bool {
    switch self {
    case .tow, .overspeed, .lowBattery, .batteryWell, .sos, .harsh: true
    case .automatic, .user, .remote, .timer, .ping, .circular, .follow, .beacon, .ignition, .power: false
    }
  }

  /// It reports something that does not come again: it must not be thinned out.
  public var isEvent: Bool {
    switch self {
    case .user, .remote, .tow, .overspeed, .ignition, .power, .lowBattery, .batteryWell, .sos, .harsh: true
    case .automatic, .timer, .ping, .circular, .follow, .beacon: false
    }
  }
}
