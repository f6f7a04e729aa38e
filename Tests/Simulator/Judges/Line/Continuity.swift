import Uplink

/// Which session may be continued.
struct Continuity: Judge {
  /// What the broker keeps is of other settings.
  private var isOther = false

  mutating func saw(_ what: Seen, in world: World) {
    switch what {
    case .line(.renewed): self = Self()
    case .line(.configured(let settings)): configured(settings, after: world.client.machine.settings)
    case .line(.greets(let isPresent)): world.complain(connects(isPresent: isPresent))
    default: break
    }
  }

  mutating func configured(_ new: BrokerSettings, after old: BrokerSettings?) {
    guard let old else { return }
    if old.will.topic != new.will.topic || old.port != new.port || old.subscriptions != new.subscriptions {
      isOther = true
    }
  }

  /// The broker has read CONNECT. `isPresent`: it goes on with what it knows.
  mutating func connects(isPresent: Bool) -> String? {
    defer { isOther = false }
    return isPresent && isOther ? "what the broker keeps is of other settings, and is gone on with" : nil
  }
}
