/// Something of this board that Home Assistant can show, by its MQTT discovery.
public enum DiscoveredEntity: Hashable, Sendable {
  /// What every board has; each is a value of the location or of the `status` message.
  case place, battery, charging, speed, altitude, course, accuracy, seen, queue, mode
  /// Whether the board is inside of a region.
  case region(rid: String, name: String)

  /// All but the regions, in the order in which they are told.
  public static let plain: [DiscoveredEntity] = [
    .place, .battery, .charging, .speed, .altitude, .course, .accuracy, .seen, .queue, .mode,
  ]

  /// Whether both are told under one name: the later of them replaces the other.
  public var key: String {
    switch self {
    case .region(let rid, _): "region \(rid)"
    case .place, .battery, .charging, .speed, .altitude, .course, .accuracy, .seen, .queue, .mode: "\(self)"
    }
  }
}

/// An entity to be shown, or to be shown no longer.
public struct DiscoveryReport: Hashable, Sendable {
  /// What is shown, or is to go.
  public var entity: DiscoveredEntity
  /// It is to vanish: the retained description is emptied.
  public var isGone: Bool
  /// Whether the mode may be chosen there.
  public var isModeChosen: Bool

  /// Shown, and a mode that is only looked at, unless said otherwise.
  public init(_ entity: DiscoveredEntity, isGone: Bool = false, isModeChosen: Bool = false) {
    self.entity = entity
    self.isGone = isGone
    self.isModeChosen = isModeChosen
  }
}

/// What tells this board from every other one, and what it is.
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
