import Model
import Timebase

/// A store that could not be opened at the start, and can be now.
///
/// Messages made without the store are not merged with its contents: they go to the disk as at the end of a process, and
/// the tracker goes on from the disk as at a start. Totals add up, and what was told as begun goes on. Only state that no
/// event would report again stays: the clock, the last fix, the state of the adapters.
extension Tracker {
  /// Everything in hand becomes one batch, the last effect of this tracker; none: there is nothing to write. `earlier`
  /// is what the store holds.
  public mutating func handOver(to earlier: Snapshot, at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    journeyGoesOn(from: earlier.journey, at: now, into: &effects)
    // A call that nobody could know of without the store is open still.
    if !journey.sos.isOpen { journey.sos = SOSCall(earlier.journey.sos, after: journey.sos) }
    outbox.goOnCounting(from: earlier.dropped)
    surroundings.data.merge(earlier.volume)
    if surroundings.data.volume != earlier.volume {
      outbox.remember(.volume(surroundings.data.volume), isUrgent: false)
    }
    let announced = earlier.entered ?? EnteredRegions(assuming: earlier.regions).all
    regions.entered = regions.entered.merged(over: announced) { regions.region(rid: $0)?.region.eventName }
    rememberEntered()
    return effects + handle(.brokerLost(), at: now) + handle(.stopping, at: now)
  }

  /// Once that batch is durable: goes on from what the store then holds.
  public mutating func takeUp(_ snapshot: Snapshot, at now: Moment) -> [Effect] {
    var next = Tracker(configuration: layers.file, snapshot: snapshot, encoder: encoder)
    (next.clock, next.journal) = (clock, journal)
    next.positioning.goOn(from: positioning)
    for purpose in [Purpose.settling, .fixLoss] { next.deadlines[purpose] = deadlines[purpose] }
    next.surroundings.goOn(from: surroundings)
    next.outbox.networkChanged(
      isFree: surroundings.network.isFree, deadlines: &next.deadlines, at: now.instant)
    next.modes.network = modes.network
    next.outbox.memory = outbox.memory
    next.deadlines[.networkMode] = deadlines[.networkMode]
    next.station.goOn(from: station)
    next.shutDown.goOn(from: shutDown, deadlines: &next.deadlines, at: now.instant)
    next.announcement.goOn(from: announcement)
    (next.journey.ignition, next.journey.lines) = (journey.ignition, journey.lines)
    next.journey.engine.ignition(journey.ignition, at: now.instant)
    next.keepEngineHours(at: now.instant)
    next.deadlines[.lines] = deadlines[.lines]
    next.journey.sos = SOSCall(snapshot.journey.sos, after: journey.sos)
    next.deadlines[.sos] = next.journey.sos.next
    next.journey.interference = journey.interference
    let (file, scanner) = (layers.file, station.scanner)
    self = next
    var effects = handle(.configured(file, waypoints: []), at: now)
    // The store knows a network's rule that may have ended meanwhile.
    followRules(at: now, into: &effects)
    return effects + handle(.scannerChanged(scanner), at: now)
  }
}
