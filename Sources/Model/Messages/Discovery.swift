/// Something of this board that Home Assistant can show, by its MQTT discovery.
public enum DiscoveredEntity: Hashable, Sendable {
  case place, battery, charging, speed, altitude, course, accuracy, seen, queue, mode
  /// Whether the board is inside of a region.
  case region(rid: String, name: String)

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
  public var entity: DiscoveredEntity
  public var isGone: Bool
  /// Whether the mode may be chosen there.
  public var isModeChosen: Bool

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
  public var model: String?
  public var version = ""

  public init() {}
}
