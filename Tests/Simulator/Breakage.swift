import Model

/// Something that is wrong on purpose in the driver, so that a judge has something to bark at.
public enum Breakage: Sendable {
  /// Events are sent like locations, without waiting for the disk.
  case eventsAreNotDurable
  /// The store is told yes before the disk has taken anything.
  case storeLies

  func disguise(_ message: Message) -> Message? {
    guard self == .eventsAreNotDurable, message.isEvent else { return nil }
    var disguised = message
    disguised.isEvent = false
    return disguised
  }
}
