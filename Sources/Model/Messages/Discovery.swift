/// Something of this board that Home Assistant can show, by its MQTT discovery.
public enum DiscoveredEntity: Hashable, Sendable {
  /// Values of the location.
  case place, battery, charging, speed, altitude, course, accuracy, seen, odometer
  /// Values of the `status` message; the mode may be chosen there.
  case mode, queue, network, satellites, dataMonth, ignition, vehicleVolts, nextCheckIn, batteryStep,
    sos, jamming, spoofing
  /// Events.
  case trip, tow, overspeed, harsh, anchor
  /// Buttons: tell the position now; somebody cares for the call for help.
  case locate, acknowledgeSOS
  /// A number: how far the boat may be from its anchor.
  case anchorAlarm
  /// Whether the board is inside of a region.
  case region(rid: String, name: String)

  /// Its name in topics and ids: letters, digits and `_`.
  public var key: String {
    switch self {
    case .region(let rid, _): "region_" + rid.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    case .vehicleVolts: "vehicle_volts"
    case .anchorAlarm: "anchor_alarm"
    case .dataMonth: "data_month"
    case .nextCheckIn: "next_check_in"
    case .acknowledgeSOS: "acknowledge_sos"
    case .batteryStep: "battery_step"
    case .place, .battery, .charging, .speed, .altitude, .course, .accuracy, .seen, .odometer, .mode, .queue,
      .network, .satellites, .ignition, .trip, .tow, .overspeed, .harsh, .anchor, .locate,
      .sos, .jamming, .spoofing:
      "\(self)"
    }
  }
}

/// An entity to be shown.
public struct DiscoveryReport: Hashable, Sendable {
  /// The entity that is shown.
  public var entity: DiscoveredEntity
  /// Whether the mode may be chosen there.
  public var isModeChosen: Bool

  /// Shown, and a mode that is only looked at, unless said otherwise.
  public init(_ entity: DiscoveredEntity, isModeChosen: Bool = false) {
    self.entity = entity
    self.isModeChosen = isModeChosen
  }
}

/// Description of the board, with a number that no other board has.
public struct BoardIdentity: Hashable, Sendable {
  /// It never changes, and is made of letters and digits; nothing of the owner is in it.
  public var number = ""
  /// As the device tree names the board; nil: it does not.
  public var model: String?
  /// Of the daemon.
  public var version = ""

  /// Nothing known; the daemon fills it in once at its start.
  public init() {}
}
