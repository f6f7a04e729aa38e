import Model

/// How the board reaches the world: by a modem, whose bytes are counted, or over WiFi or a cable.
struct Way {
  /// The WiFi that rules are made for, and one of the neighbours.
  static let wifi = "yard"
  private static let others = "street"

  fileprivate var dice: Dice
  /// Of the ways that come and go, an hour.
  private let perHour: Double
  /// Seconds at the edge of a network: any moment it may be another one.
  private var atTheEdge = 0
  fileprivate let isFreeAtTheEnd: Bool
  fileprivate(set) var network = Network.mobile

  init(dice: Dice) {
    self.dice = dice
    perHour = self.dice.spread(1, 30)
    isFreeAtTheEnd = self.dice.chance(0.5)
  }

  /// Once a second.
  fileprivate mutating func isChanging() -> Bool {
    if atTheEdge > 0 {
      atTheEdge -= 1
      return dice.chance(0.4)
    }
    guard dice.chance(perHour / 3600) else { return false }
    atTheEdge = dice.chance(0.3) ? dice.whole(2...25) : 0
    return true
  }

  fileprivate mutating func change() {
    if case .wifi(let name, _, _) = network, dice.chance(0.4) {
      network = .wifi(ssid: name == Self.wifi ? Self.others : Self.wifi, bssid: nil)
    } else {
      turn()
    }
  }

  /// From one that counts its bytes to one that does not, or back.
  fileprivate mutating func turn() {
    let free: [Network] = [
      .wired, .wifi(ssid: Self.wifi, bssid: nil), .wifi(ssid: Self.wifi, bssid: nil),
      .wifi(ssid: Self.others, bssid: nil),
    ]
    network = network.isFree ? .mobile : dice.pick(free)
  }
}

extension World {
  /// Once a second. Where it matters to nobody, it stays a modem.
  func changeWay() {
    guard isWayCounted, !isCalm, line.way.isChanging() else { return }
    takeAnotherWay()
  }

  private var isWayCounted: Bool {
    configuration.queue.backlog != .always || !configuration.reports.networkModes.text.isEmpty
  }

  /// Once a minute, by the clocks there: rules of times begin and end with one.
  func tellTime() {
    guard !configuration.localTimes.edges.isEmpty, board.clock.isSynchronised,
      now.nanoseconds / 1_000_000_000 % 60 == 0
    else { return }
    wake(.localTime(minute: Int(BoardClock.truth(now).seconds / 60)))
  }

  /// What waits for a free way has one in the end, or never.
  func settleWay() {
    guard isWayCounted, line.way.network.isFree != line.way.isFreeAtTheEnd else { return }
    line.way.turn()
    wayIsAnother()
  }

  private func takeAnotherWay() {
    line.way.change()
    wayIsAnother()
  }

  private func wayIsAnother() {
    tell("another way: \(line.way.network)")
    // A route that goes may take its connections along, or leave them.
    let isRouteGone = line.way.dice.chance(0.6)
    guard line.wire.isUp, process.isRunning else { return }
    routeChanged(isOther: isRouteGone)
    wake(.networkChanged(line.way.network))
  }
}
