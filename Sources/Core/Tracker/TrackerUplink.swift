import Model
import Timebase

/// The way to the server: how the board reaches the world, connections that come up, and what may go over them.
extension Tracker {
  mutating func networkChanged(_ network: Network, at now: Moment, into effects: inout [Effect]) {
    surroundings.networkChanged(network)
    station.networkChanged()
    modes.network.networkChanged(network, deadlines: &deadlines, at: now.instant)
    outbox.networkChanged(isFree: network.isFree, deadlines: &deadlines, at: now.instant)
    reportOldLocations(at: now, into: &effects)
  }

  mutating func connected(receiveMaximum: Int?, at now: Moment, into effects: inout [Effect]) {
    outbox.connected(receiveMaximum: receiveMaximum)
    outbox.memory.connected(deadlines: &deadlines, at: now.instant)
    outbox.lane.connected(deadlines: &deadlines, at: now.instant)
    shutDown.checkIn.connected(deadlines: &deadlines, at: now.instant)
    announcement.allDoubted()
    uplinkConnected(at: now, into: &effects)
    if layers.inForce.reports.publishLocationOnConnect, let position = positioning.present {
      publishOrOwe(.connected, position, at: now, into: &effects)
    }
    if journey.sos.isOpen { tellSOSFirst(into: &effects) }
    // The position just published is newer than every queued one.
    outbox.lookAtOld(at: now.instant)
    reportOldLocations(at: now, into: &effects)
  }

  /// Without movement for so long the vehicle is parked, as far as the connection is concerned.
  static let standing = Span.minutes(5)

  /// The vehicle stands.
  public func isParked(at now: Instant) -> Bool { now - positioning.lastMovement >= Self.standing }

  /// Written with whatever is written next: a card that is to last has no room for a counter.
  mutating func carried(_ bytes: Int, zone: Int, at now: Moment) {
    guard surroundings.data.carried(bytes, zone: zone, wall: clock.wall(at: now)) else { return }
    outbox.remember(.volume(surroundings.data.volume), isUrgent: false)
  }

  /// Cost of the connection to the server, and may cost; nil: no clock is believed.
  public func dataUse(at now: Moment) -> DataUse? { dataUse(at: clock.wall(at: now)) }

  func spacing(at now: Moment) -> Span? {
    surroundings.data.spacing(budget: layers.inForce.reports.dataBudget, at: clock.wall(at: now))
  }

  func dataUse(at wall: WallTime?) -> DataUse? {
    surroundings.data.use(budget: layers.inForce.reports.dataBudget, at: wall)
  }

  /// Reports the fate of locations that waited for too long, once their number is known.
  mutating func reportOldLocations(at now: Moment, into effects: inout [Effect]) {
    guard let reason = outbox.newsOfOld() else { return }
    assert(outbox.isConnected, "reported what cannot be sent anyway")
    withhold(reason, at: now, into: &effects)
  }

  /// Messages that the broker had acknowledged and has lost, a few at a time.
  mutating func sendLostAgain(at now: Moment, into effects: inout [Effect]) {
    guard let count = outbox.sendLostAgain(deadlines: &deadlines, at: now.instant), count > 0 else { return }
    withhold(.brokerForgot(count: count), at: now, into: &effects)
  }
}
