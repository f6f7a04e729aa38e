import Model
import Timebase

/// How the board reaches the world: by a modem, whose bytes are counted, or over WiFi or a cable.
struct Way {
  fileprivate var dice: Dice
  /// Of the ways that come and go, an hour.
  private let perHour: Double
  fileprivate let isFreeAtTheEnd: Bool
  fileprivate(set) var network = Network.mobile

  init(dice: Dice) {
    self.dice = dice
    perHour = self.dice.spread(1, 30)
    isFreeAtTheEnd = self.dice.chance(0.5)
  }

  /// Once a second.
  fileprivate mutating func isChanging() -> Bool { dice.chance(perHour / 3600) }

  fileprivate mutating func change() {
    network = network.isFree ? .mobile : dice.pick([.wired, .wifi(ssid: "yard", bssid: nil)])
  }
}

extension World {
  /// Once a second. Where it matters to nobody, it is a modem for ever.
  func changeWay() {
    guard configuration.queue.backlog != .always, !isCalm, way.isChanging() else { return }
    takeAnotherWay()
  }

  /// What waits for a free way has one in the end, or never.
  func settleWay() {
    guard configuration.queue.backlog != .always, way.network.isFree != way.isFreeAtTheEnd else { return }
    takeAnotherWay()
  }

  private func takeAnotherWay() {
    way.change()
    tell("another way: \(way.network)")
    if wire.isUp { wake(.networkChanged(way.network)) }
    // A route that goes may take its connections along, or leave them.
    if way.dice.chance(0.6) { dropConnection(isByBroker: false) }
  }
}
