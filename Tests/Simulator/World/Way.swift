import Model
import Timebase

/// How the board reaches the world: by a modem, whose bytes are counted, or over WiFi or a cable.
struct Way {
  /// The name of the only WiFi.
  static let wifi = "yard"

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
    network = network.isFree ? .mobile : dice.pick([.wired, .wifi(ssid: Self.wifi, bssid: nil)])
  }
}

extension World {
  /// Once a second. Where it matters to nobody, it is a modem for ever.
  func changeWay() {
    guard isWayCounted, !isCalm, way.isChanging() else { return }
    takeAnotherWay()
  }

  private var isWayCounted: Bool {
    configuration.queue.backlog != .always || !configuration.reports.networkModes.text.isEmpty
  }

  /// Once a minute, by the clocks there: rules of times begin and end with one.
  func tellTime() {
    guard !configuration.reports.timeModes.text.isEmpty, clock.isSynchronised,
      now.nanoseconds / 1_000_000_000 % 60 == 0
    else { return }
    wake(.localTime(minute: Int(BoardClock.truth(now).seconds / 60)))
  }

  /// What waits for a free way has one in the end, or never.
  func settleWay() {
    guard isWayCounted, way.network.isFree != way.isFreeAtTheEnd else { return }
    takeAnotherWay()
  }

  private func takeAnotherWay() {
    way.change()
    tell("another way: \(way.network)")
    // A route that goes may take its connections along, or leave them.
    let isRouteGone = way.dice.chance(0.6)
    guard wire.isUp, isRunning else { return }
    routeChanged(isOther: isRouteGone)
    wake(.networkChanged(way.network))
  }
}
